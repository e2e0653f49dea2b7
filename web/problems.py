"""What the web side says when it does not do what was asked.

A page for people, JSON with a stable code for programs. What a route says when all is well is its own business.
"""

from collections.abc import Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Scope

NEW_LINK = (
    "Run `conch console` on the machine where Conch runs (for the playground `conch console --playground`): "
    "it prints a new link."
)

PROBLEMS = {
    "foreign-host": ("Not this address", "Conch does not answer under this name. Add it to allowed_hosts to use it."),
    "foreign-origin": ("Not from here", "This request came from another site, so nothing was done."),
    "signed-out": (
        "Please come in by the link",
        f"Conch printed a link when it started; it works once. {NEW_LINK}",
    ),
    "too-long-ago": (
        "Is it still you?",
        "Who wants to do this must have come in within the last ten minutes, and nothing was done. "
        f"{NEW_LINK} Open it in this browser, and do it again.",
    ),
    "no-token": (
        "Who asks?",
        "Send a token as “Authorization: Bearer …”. `conch tokens add NAME` makes one; one that was revoked is good "
        "for nothing.",
    ),
    "read-only": ("This token only looks", "Make one that may change things with `conch tokens add NAME`."),
    "too-many-wrong": ("Too many wrong tokens", "Wait a minute, and look whether the token is the right one."),
    "busy": ("Not just now", "Something goes on in this conversation. Wait until it ended, or stop it."),
    "queue-full": ("Too many wait", "So many messages wait in this conversation that this one was not kept."),
    "maybe-done": ("Nobody knows", "It may have been done or not. Look before you try again."),
    "refused": ("Not this", "What was asked for cannot be done here."),
    "not-waiting": ("Not open any more", "Nobody waits for this answer any more."),
    "not-ready": ("Not ready", "It is not connected, or not on. Once it is, the offer can still be taken."),
    "offer-gone": ("That offer is over", "It was taken or dismissed, or something newer was said."),
    "invalid-answer": ("That does not answer it", "The answer does not fit the question, which still waits."),
    "nothing-to-retry": ("Nothing to try again", "There is no message here that could be answered again."),
    "unproven": ("Not from there", "Nothing proves that the chat app sent this, so nothing was done."),
    "link-used": ("This link is used up", f"Each link works once, within a day. {NEW_LINK}"),
    "not-found": ("Nothing here", "There is no such page."),
    "wrong-method": ("Not like this", "This address does not take this kind of request."),
    "invalid": ("That did not fit", "Something in the request is missing or malformed."),
    "too-large": ("Too large", "What was sent is larger than allowed."),
    "unavailable": ("Not now", "Conch cannot do this at the moment. Try again soon."),
    "failed": ("That went wrong", "The fault is Conch's and stands in its log."),
}
"""The stable code of each problem: its title and what to do."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


def problem(headers: Headers, status: int, code: str, detail: str | None = None, root: str = "") -> Response:
    """The answer to whoever sent `headers`: HTML if that is what they read, else problem+json (RFC 9457).

    `root` is the path below which the page's own addresses are.
    """
    title, usual = PROBLEMS[code]
    if "text/html" in headers.get("accept", ""):
        return HTMLResponse(_page(title, detail or usual, root), status)
    return as_json(status, code, detail)


def as_json(status: int, code: str, detail: str | None = None, more: Mapping[str, Any] = NOTHING) -> Response:
    """problem+json, whoever asks; `more` are members of its own."""
    title, usual = PROBLEMS[code]
    body = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail or usual}
    return JSONResponse({**more, **body}, status, media_type="application/problem+json")


def misfit(errors: Sequence[Mapping[str, Any]]) -> str | None:
    """The first of pydantic's errors about a request in plain words; None where only a program could have caused it.

    What was sent is never repeated.
    """
    if not errors:
        return None
    kind, limits = errors[0]["type"], errors[0].get("ctx", {})
    field = _field(errors[0]["loc"])
    if field is None:
        return None
    if kind == "string_too_long":
        return f"“{field}” is too long: at most {limits['max_length']:,} characters."
    if kind == "string_too_short":
        return f"“{field}” is too short: at least {limits['min_length']:,} {_characters(limits['min_length'])}."
    return {"missing": f"“{field}” is missing.", "extra_forbidden": "There is a field that does not belong here."}.get(
        kind, f"“{field}” is malformed."
    )


def _field(where: Sequence[str | int]) -> str | None:
    """The name of the field at pydantic's path, which starts with the part of the request; None for a whole part."""
    names = [part for part in where[1:] if isinstance(part, str)]
    return names[-1] if names else None


def _characters(count: int) -> str:
    return "character" if count == 1 else "characters"


def root_of(scope: Scope) -> str:
    """The path below which a browser finds us. Below a mount it is longer than what the server was asked under."""
    return str(scope.get("app_root_path", scope.get("root_path", "")))


def _page(title: str, detail: str, root: str) -> str:
    words = escape(detail).split("`")
    shown = "".join(f"<code>{word}</code>" if place % 2 else word for place, word in enumerate(words))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · Conch</title>'
        '<meta name="viewport" content="width=device-width">'
        f'<link rel="stylesheet" href="{escape(root)}/static/base.css">'
        f'</head><body class="notice"><main><h1>{escape(title)}</h1><p>{shown}</p></main></body></html>'
    )
