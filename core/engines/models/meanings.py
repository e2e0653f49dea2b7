"""What the errors of model servers mean: a table, looked through from the top, with the sentence that a person reads.

A sentence is made of our words, the engine's title, the model's name and when to send it again, as `{engine}`,
`{model}` and `{when}`: what the server wrote never gets into it.
"""

import asyncio
import re
from dataclasses import dataclass
from typing import Final

import httpx2
from pydantic_ai import exceptions as library

from core.engines.base import EndReason
from core.engines.models.complaint import Complaint


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of an error that is of one of the classes, has one of the statuses, or says one of the phrases.

    `only` narrows phrases to these statuses (None: the error has none); `near` to servers in the owner's own network.
    """

    reason: EndReason
    sentence: str
    kinds: tuple[type[BaseException], ...] = ()
    statuses: frozenset[int] = frozenset()
    phrases: re.Pattern[str] | None = None
    only: frozenset[int | None] | None = None
    near: bool = False

    def fits(self, said: Complaint, near: bool) -> bool:
        """Whether this is what the error means."""
        if self.near and not near:
            return False
        if said.is_a(*self.kinds) or said.status in self.statuses:
            return True
        asked = self.only is None or said.status in self.only
        return asked and self.phrases is not None and self.phrases.search(said.words) is not None


def _phrases(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


TOO_LONG: Final = Meaning(
    EndReason.CONTEXT_FULL,
    "This chat has grown too long for {model}. Send \u2060/compact to sum it up, or \u2060/new to start a fresh one.",
)

_NO_TOOLS: Final = _phrases(
    r"does not support (?:tools|tool use|function calling)",
    r"no endpoints found that support tool use",
    r"tools? (?:calling )?(?:is|are) not supported",
)

MEANINGS: Final = (
    # Nobody's fault, or ours.
    Meaning(EndReason.CANCELLED, "", kinds=(library.RunCancelled, asyncio.CancelledError)),
    Meaning(EndReason.LENGTH, "", kinds=(library.OutputTokenLimitExceeded,)),
    # Servers that were started without what tools need: the owner can mend it at once.
    Meaning(
        EndReason.REJECTED,
        "{engine} was started without tools. Start it again with --jinja, then send your message again.",
        phrases=_phrases(r"requires? --jinja"),
    ),
    Meaning(
        EndReason.REJECTED,
        "{engine} was started without tools. Start it again with --enable-auto-tool-choice and the --tool-call-parser "
        "of its model, then send your message again.",
        phrases=_phrases(r"--enable-auto-tool-choice"),
    ),
    Meaning(
        EndReason.REJECTED,
        "{model} cannot use tools, and Conch needs them. Choose another model with \u2060/model.",
        phrases=_NO_TOOLS,
    ),
    Meaning(
        EndReason.REJECTED,
        "{model} cannot look at pictures. Send it without them, or choose another model with \u2060/model.",
        phrases=_phrases(
            r"image input is not supported",
            r"no endpoints found that support image",
            r"does not support (?:image|vision)",
            r"not a multimodal model",
            r"image_url is only supported",
        ),
    ),
    # No money. Some say it with 400 or 403, so this comes before both.
    Meaning(
        EndReason.RATE_LIMITED,
        "{engine} has no credit left for this key, or its quota is used up. "
        "The owner can add credit or raise the limit in the account there.",
        kinds=(library.ModelQuotaExceededError,),
        statuses=frozenset({402}),
        phrases=_phrases(
            r"insufficient[_ ](?:quota|credits?|balance|funds)",
            r"credit balance is too low",
            r"billing_hard_limit",
            r"exceeded_current_quota_error",
            r"used all available credits",
            r"(?:requires|need) more credits",
            r"monthly spending limit",
            r"reached your specified (?:workspace )?api usage limits",
        ),
    ),
    Meaning(
        EndReason.REFUSED,
        "{engine} would not answer this, by its rules on content. Put it another way, or ask for something else.",
        kinds=(library.ContentFilterError,),
        phrases=_phrases(
            r"content[_ ](?:filter(?:ing)?|management) ?(?:policy)?",
            r"violat\w+ (?:our|the) (?:usage|content) polic",
            r"content_policy_violation|prohibited_content|blocklist",
            r"flagged_input|requires moderation|(?:was|input) flagged",
            r"blocked (?:by|due to|for) \w*safety",
        ),
        only=frozenset({400, 403, 422, None}),
    ),
    Meaning(
        EndReason.REJECTED,
        "There is no model {model} at {engine} (any more). Send \u2060/model to see what there is.",
        phrases=_phrases(
            r"model_not_found|model_decommissioned|not_found_error.{0,40}model",
            r"models?[\"' :`/\w.@-]{0,120} (?:(?:is |was )?not found|does not exist|has been decommissioned)",
            r"model not exist|not a valid model id|invalid model(?: id| identifier)?\b|unknown model",
            r"no endpoints found for|(?:could not find|cannot find|no such) model|failed to load model",
            r"model[^.]{0,80}not (?:available|loaded)",
        ),
        only=frozenset({400, 403, 404, 422, None}),
    ),
    Meaning(
        EndReason.REJECTED,
        "{engine} has nothing at its address that answers like a model server. The owner can check the address with "
        "`conch engines list`; for most servers it ends in /v1.",
        kinds=(library.ModelNotFoundError,),
        statuses=frozenset({404, 405}),
    ),
    Meaning(
        EndReason.REJECTED,
        "{engine} sends us on to another address, and a key does not follow. The owner can connect it anew with the "
        "address it is at now, often https instead of http.",
        statuses=frozenset(range(300, 400)),
    ),
    Meaning(
        EndReason.AUTH,
        "{engine} is not offered in the country or region of this server. Choose another model with \u2060/model.",
        phrases=_phrases(
            r"country, region, or territory not supported|unsupported_country",
            r"location is not supported|not available in your (?:country|region)",
        ),
    ),
    Meaning(
        EndReason.AUTH,
        "The key for {engine} does not work (any more). The owner can enter a new one with `conch engines add {id}`.",
        statuses=frozenset({401}),
        phrases=_phrases(
            r"api_key_invalid|invalid_api_key|incorrect api key|api key (?:not valid|expired|not found)",
            r"invalid (?:x-)?api[- ]key|authentication_error",
        ),
        only=frozenset({400, 403, None}),
    ),
    Meaning(
        EndReason.AUTH,
        "The key for {engine} may not be used for {model}. The owner can look in the account there at what it may do.",
        kinds=(library.ModelAuthenticationError,),
        statuses=frozenset({403}),
    ),
    # A server that is busy, broken, slow or gone.
    Meaning(
        EndReason.UNAVAILABLE,
        "{engine} is still loading its model. Try again {when}.",
        phrases=_phrases(r"loading model|model is (?:currently )?loading"),
        only=frozenset({500, 503, None}),
    ),
    Meaning(
        EndReason.UNAVAILABLE,
        "{engine} has too much to do for everybody just now. Try again {when}.",
        kinds=(library.ModelOverloadedError,),
        statuses=frozenset({529}),
    ),
    Meaning(
        EndReason.RATE_LIMITED,
        "{engine} takes no more requests for now. Try again {when}.",
        kinds=(library.ModelRateLimitError,),
        statuses=frozenset({429}),
    ),
    Meaning(
        EndReason.UNAVAILABLE,
        "The certificate of {engine} is not one that this machine trusts. The owner can check the address, or add it "
        "to the trusted ones.",
        phrases=_phrases(r"certificate[ _]verify[ _]failed|certificate verify|self-signed certificate"),
    ),
    Meaning(
        EndReason.UNAVAILABLE,
        "{engine} took too long to answer. Try again {when}; a smaller or faster model might manage.",
        kinds=(library.ModelTimeoutError, library.ModelRequestTimeout, httpx2.TimeoutException, TimeoutError),
        statuses=frozenset({408, 504}),
        phrases=_phrases(r"\b(?:read|request|write)[ -]?time[d]?[ -]?out"),
        only=frozenset({None}),
    ),
    Meaning(
        EndReason.UNAVAILABLE,
        "The connection to {engine} broke off in the middle of the answer. Send it again {when}.",
        phrases=_phrases(
            r"ended without a `?finish_reason",
            r"incomplete chunked read|peer closed connection|response ended prematurely",
            r"server disconnected|connection reset",
        ),
        only=frozenset({None}),
    ),
    Meaning(
        EndReason.UNAVAILABLE,
        "{engine} does not answer at its address. Start it (or see that it listens there), then try again.",
        kinds=(library.ModelConnectionError, httpx2.ConnectError, ConnectionError),
        phrases=_phrases(r"connection (?:error|refused)|connect(?:ion)? attempts? failed|name or service not known"),
        only=frozenset({None}),
        near=True,
    ),
    Meaning(
        EndReason.UNAVAILABLE,
        "{engine} could not be reached or had a fault of its own. Try again {when}.",
        kinds=(
            library.ModelConnectionError,
            library.ModelUnavailableError,
            library.ModelServerError,
            httpx2.TransportError,
            OSError,
        ),
        statuses=frozenset({*range(500, 600), 409, 425}),
        phrases=_phrases(r"connection error"),
        only=frozenset({None}),
    ),
    # It did not like what we sent.
    Meaning(
        EndReason.REJECTED,
        "{model} does not know this effort or speed. Send \u2060/effort auto and \u2060/fast off, or choose another "
        "model with \u2060/model.",
        phrases=_phrases(
            r"reasoning[_ .]effort|reasoning is not supported|thinking[_ ](?:budget|level|config)",
            r"does not support thinking|service_tier",
        ),
        only=frozenset({400, 422}),
    ),
    Meaning(
        EndReason.REJECTED,
        "{engine} did not take this request. Put it another way, send it without files, or choose another model with "
        "\u2060/model.",
        kinds=(library.ModelRequestRejectedError,),
        statuses=frozenset(range(400, 500)),
    ),
    # Inside a stream, without a word that says more; an answer that nobody can read.
    Meaning(
        EndReason.UNAVAILABLE,
        "{engine} could not finish this answer. Try again {when}.",
        kinds=(library.ModelAPIError,),
    ),
    Meaning(
        EndReason.CRASHED,
        "{model} answered in a way that cannot be read. Send it again, or choose another model with \u2060/model.",
        kinds=(library.UnexpectedModelBehavior,),
    ),
)

BROKEN: Final = Meaning(
    EndReason.CRASHED,
    "Something broke while {engine} was answering. Send it again; if that fails too, tell the owner.",
)
