"""Presses, forms and picked commands: answered within Discord's three seconds, before and whatever our side does.

What they mean is `parse`'s, how the answers look `replies`'; storing them is `listening`'s.
"""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

import structlog

from channels.base import Button, Form, Press, Sink
from channels.discord import limits, menu, parse, render, replies, tokens
from channels.discord.client import DiscordClient
from channels.discord.fields import Json, need_id, need_text, need_thing
from channels.discord.parse import Parser
from channels.discord.render import ApiCall
from channels.formatting.discord import calling_nobody, escaped
from commands.menus import NativeMenu
from core.errors import ConchError

T = TypeVar("T")

_MOST_FAULTS = 4
_MOST_REPEATED = limits.MAX_TEXT // 4
"""Characters of a command that are repeated to who picked it; escaped they are more, and never too many."""

_log = structlog.get_logger(__name__)


class Interactions:
    """Answers what came in. True from `answer`: it is to be stored now; False: it is seen through already."""

    def __init__(self, client: DiscordClient, parser: Parser, commands: NativeMenu) -> None:
        self._client = client
        self._parser = parser
        self._commands = commands

    def waits(self, event: Json) -> bool:
        """Whether our side has to be asked before it is known how this is answered."""
        kind = event.get("type")
        asked = (parse.MODAL, parse.COMPLETION)
        return kind in asked or (kind == parse.COMPONENT and tokens.opens_form(_data(event)))

    async def answer(self, event: Mapping[str, Any], place: Json, sink: Sink) -> bool:
        """Answer an interaction; never raises for what Discord or our side does."""
        try:
            interaction_id, token = need_id(event), need_text(event, "token")
            match event.get("type"):
                case parse.COMPLETION:
                    await self._complete(event, place, sink)
                    return False
                case parse.COMMAND:
                    await self._say(replies.told(interaction_id, token, _repeated(parse.command_words(event) or "/")))
                case parse.MODAL:
                    return await self._sent(event, place, sink)
                case parse.COMPONENT if tokens.opens_form(_data(event)):
                    return await self._opens(event, place, sink)
                case _:
                    await self._say(replies.seen(interaction_id, token))
        except ValueError as fault:
            _log.warning("an interaction could not be read", reason=str(fault))
        return True

    async def _complete(self, event: Json, place: Json, sink: Sink) -> None:
        """With the words that there are now; where our side does not say in time, with those that there always are."""
        data, found = need_thing(event, "data"), None
        if (asked := self._parser.typing(event, place)) is not None:
            chat, sender, command = asked
            found = await _soon(sink.suggest(chat, sender, command))
        words = menu.completions(self._commands, data, found)
        await self._say(replies.completions(need_id(event), need_text(event, "token"), words))

    async def _opens(self, event: Json, place: Json, sink: Sink) -> bool:
        """A button that opens a form: with the form, or, where there is none any more, as any other press."""
        interaction_id, token = need_id(event), need_text(event, "token")
        press = self._parser.press(event, place)
        form = await _soon(sink.form(press)) if press else None
        if form is not None and await self._say(replies.form(interaction_id, token, form)):
            return False
        await self._say(replies.seen(interaction_id, token))
        return True

    async def _sent(self, event: Json, place: Json, sink: Sink) -> bool:
        """A form that was sent: taken, or told what is wrong with it and opened again by a button."""
        interaction_id, token = need_id(event), need_text(event, "token")
        press = self._parser.press(event, place)
        faults = await _soon(sink.faults(press)) if press else None
        say = replies.changed if _is_for_one(event) else replies.told
        if press and faults:
            again = Button("Fill it in again", token=press.token, form=True)
            words = _told(faults, await _soon(sink.form(press)))
            await self._say(say(interaction_id, token, words, (again,)))
            return False
        sent = replies.changed(interaction_id, token, "Sent.") if _is_for_one(event) else None
        await self._say(sent or replies.seen(interaction_id, token))
        return True

    async def open_form(self, press: Press, form: Form) -> None:
        """Answer a press with a form, where it was not answered yet."""
        interaction_id, _, token = press.id.partition(":")
        await self._client.call(replies.form(interaction_id, token, form))

    async def _say(self, answer: ApiCall) -> bool:
        """Whether Discord took it; a person whose press it does not hear of sees that it failed, and presses again."""
        try:
            await self._client.call(answer)
        except ConchError as reason:
            _log.info("an interaction was not answered", reason=str(reason))
            return False
        return True


def _repeated(words: str) -> str:
    """The words as they were typed, and not as what Discord would make of them."""
    return escaped(words if len(words) <= _MOST_REPEATED else words[: _MOST_REPEATED - 1] + "…")


def _is_for_one(event: Json) -> bool:
    """Whether it happened under a message that only this person sees: what we said about an earlier form."""
    message = event.get("message")
    flags = message.get("flags") if isinstance(message, dict) else None
    return isinstance(flags, int) and bool(flags & render.EPHEMERAL)


def _told(faults: Mapping[str, str], form: Form | None) -> str:
    """What is wrong, each with the question that it is about."""
    labels = {field.id: field.label for field in form.fields} if form else {}
    lines = [f"“{labels[name]}” {fault}" if name in labels else fault for name, fault in faults.items()]
    return calling_nobody("\n".join(lines[:_MOST_FAULTS]))


def _data(event: Json) -> Json:
    data = event.get("data")
    return data if isinstance(data, dict) else {}


async def _soon(asked: Awaitable[T]) -> T | None:
    """What our side says, if it says so in time."""
    try:
        async with asyncio.timeout(limits.FORM_SECONDS):
            return await asked
    except Exception as reason:  # noqa: BLE001 - whatever our side does, the press is answered, and then stored
        _log.warning("our side did not answer in time", reason=repr(reason))
        return None
