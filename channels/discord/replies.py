"""What an interaction is answered with: at once, that it came in, or with a form; later, with a line for one person.

Pure. Each interaction has a token of its own that is good for 15 minutes, and takes one first answer
[discord.com/developers/docs/interactions/receiving-and-responding].
"""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.base import Button, Form
from channels.discord import forms, limits, render
from channels.discord.render import ApiCall

_MESSAGE, _DEFERRED_UPDATE, _UPDATE, _COMPLETIONS, _MODAL = 4, 6, 7, 8, 9


def seen(interaction_id: str, token: str) -> ApiCall:
    """It came in; nothing changes on the screen."""
    return _first(interaction_id, token, {"type": _DEFERRED_UPDATE})


def told(interaction_id: str, token: str, words: str, buttons: Sequence[Button] = ()) -> ApiCall:
    """A line that only this person sees."""
    return _first(interaction_id, token, {"type": _MESSAGE, "data": _for_one(words, buttons)})


def changed(interaction_id: str, token: str, words: str, buttons: Sequence[Button] = ()) -> ApiCall:
    """The message under which it happened says something else; buttons that are not named again go away."""
    said = {"content": words[: limits.MAX_TEXT], "components": render.components(buttons)}
    return _first(interaction_id, token, {"type": _UPDATE, "data": said | {"allowed_mentions": render.NO_MENTIONS}})


def form(interaction_id: str, token: str, shown: Form) -> ApiCall:
    """A form to fill in."""
    return _first(interaction_id, token, {"type": _MODAL, "data": forms.drawn(shown)})


def completions(interaction_id: str, token: str, words: Mapping[str, str]) -> ApiCall:
    """Words that a command can take, by what a person reads, while somebody types one."""
    choices = [{"name": title[: limits.MAX_OPTION_TEXT], "value": word} for title, word in words.items()]
    return _first(interaction_id, token, {"type": _COMPLETIONS, "data": {"choices": choices[: limits.MAX_OPTIONS]}})


def told_later(application_id: str, token: str, words: str) -> ApiCall:
    """A line that only this person sees, after the first answer."""
    where = {"webhook_id": render.snowflake(application_id), "webhook_token": token}
    return ApiCall("POST", "/webhooks/{webhook_id}/{webhook_token}", where, _for_one(words))


def _first(interaction_id: str, token: str, answer: Mapping[str, Any]) -> ApiCall:
    where = {"webhook_id": render.snowflake(interaction_id), "webhook_token": token}
    return ApiCall("POST", "/interactions/{webhook_id}/{webhook_token}/callback", where, answer)


def _for_one(words: str, buttons: Sequence[Button] = ()) -> dict[str, Any]:
    said = {
        "content": words[: limits.MAX_TEXT],
        "flags": render.EPHEMERAL | render.SUPPRESS_EMBEDS,
        "allowed_mentions": render.NO_MENTIONS,
    }
    return said | {"components": render.components(buttons)} if buttons else said
