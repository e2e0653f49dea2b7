"""The kit finds what is wrong: adapters that break one promise each, and rigs that look away."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from channels.base import Button, ChatRef, Inbound, InboundMessage, MessageRef, OutboundMessage, Press, Sink
from channels.conformance.promises import FIRST, PROMISES, Outcome, examine
from channels.conformance.rig import Rig
from channels.memory.app import MemoryApp
from channels.memory.channel import CAPABILITIES, MemoryChannel
from channels.memory.forms import FormChannel
from channels.memory.streaming import StreamingChannel
from commands.menus import NativeMenu
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater
from tests.channels.conformance.rigs import RIGS
from tests.channels.memory.memory_rig import MemoryRig
from tests.journeys.living import FastClock


class Deaf(MemoryChannel):
    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        return [replace(item, text="") for item in super().parse(payload) if isinstance(item, InboundMessage)]


class Forgetful(MemoryChannel):
    """It says "got it" whether or not anything was stored."""

    async def take(self, sink: Sink, updates: Sequence[Any]) -> None:
        try:
            await sink.store(updates)
        except TryLater:
            return


class Renaming(MemoryChannel):
    """Its ids change from one look to the next."""

    looks = 0

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        self.looks += 1
        found = super().parse(payload)
        return [replace(item, update_id=f"{self.looks}") for item in found if isinstance(item, InboundMessage)]


class Stammering(MemoryChannel):
    """It tries again by itself what may have been taken."""

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        try:
            return await super().send(chat, message)
        except MaybeDone:
            return await super().send(chat, message)


class Vague(MemoryChannel):
    """Everything that goes wrong is for now."""

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        try:
            return await super().send(chat, message)
        except ConchError as reason:
            raise TryLater("something") from reason


class Telling(MemoryChannel):
    """Its errors show the key."""

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        try:
            return await super().send(chat, message)
        except Refused as reason:
            raise Refused(f"POST https://app.example/{self._key}/send failed", reason.reason) from reason


class Printed(MemoryChannel):
    """It shows the key where it is printed itself."""

    def __repr__(self) -> str:
        return f"Printed({self._key!r})"


class Cutting(MemoryChannel):
    """It sends what fits, and says nothing of the rest."""

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        return await super().send(chat, replace(message, text=message.text[:30]))


class Repeating(MemoryChannel):
    """It puts buttons under everything."""

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        buttons = message.buttons or (Button("Yes", token="tok-1"),)
        return await super().send(chat, replace(message, buttons=buttons))


class Fewer(MemoryChannel):
    """It shows three buttons and promises eight."""

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        return await super().send(chat, replace(message, buttons=message.buttons[:3]))


class Doubling(StreamingChannel):
    """The final message is another one than the preview."""

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        return await super().send(chat, replace(message, into=None))


class Losing(FormChannel):
    """It brings back a form without what was filled in."""

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        return [replace(item, filled={}) if isinstance(item, Press) else item for item in super().parse(payload)]


class BesideThreads(MemoryChannel):
    """It answers in the group what was asked in a thread."""

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        await super().send(replace(chat, thread=None), message)
        return MessageRef(chat, "1")


class Ending(MemoryChannel):
    """A cut connection is the end of it: nothing goes out any more."""

    away = False

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        try:
            if self.away:
                raise MaybeDone("not connected")
            return await super().send(chat, message)
        except TryLater as reason:
            self.away = reason.retry_after is None
            raise


BROKEN: Mapping[type[MemoryChannel], str] = {
    Deaf: "what_a_person_writes_is_heard",
    Forgetful: "nothing_is_acknowledged_before_it_is_stored",
    Renaming: "what_was_stored_always_means_the_same",
    Stammering: "a_lost_receipt_is_classed_as_unknown",
    Vague: "a_refusal_is_final_and_says_its_kind",
    Telling: "a_revoked_key_is_said_and_not_shown",
    Printed: "no_error_shows_the_key",
    Cutting: "every_kind_of_question_can_be_answered",
    Repeating: "buttons_stand_only_under_the_last_part",
    Fewer: "as_many_buttons_as_promised_are_whole",
    Doubling: "preview_and_final_are_one_message",
    Losing: "what_is_filled_in_comes_back_by_its_field",
    BesideThreads: "an_answer_to_a_thread_stays_in_it",
    Ending: "a_cut_connection_is_taken_up_again",
}


def rig_over(kind: type[MemoryChannel]) -> Callable[[], Any]:
    """A rig over the in-memory app as this adapter drives it; messages hold 2,000 characters."""

    @asynccontextmanager
    async def rig() -> AsyncIterator[Rig]:
        clock = FastClock()
        app = MemoryApp(clock)
        ada = app.private_chat("Ada")
        capabilities = replace(CAPABILITIES, max_text=2_000)
        channel = kind("m1", app, clock, key=app.key, button_limit=8, capabilities=capabilities)
        await channel.start()
        yield MemoryRig(channel, ChatRef("m1", ada.id), app, ada)

    return rig


async def broken_by(kind: type[MemoryChannel], name: str) -> Outcome:
    [promise] = [promise for promise in PROMISES if getattr(promise, "__name__", "") == name]
    [outcome] = await examine(rig_over(kind), [promise])
    return outcome


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_broken_promise_is_found(kind: type[MemoryChannel], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("channels.conformance.promise.PATIENCE", 0.5)
    monkeypatch.setattr("channels.conformance.failing.PATIENCE", 0.5)

    outcome = await broken_by(kind, BROKEN[kind])

    assert outcome.broken is not None
    assert str(outcome).startswith("BROKEN")


async def test_what_does_not_concern_an_adapter_says_what_is_done_instead() -> None:
    outcome = await broken_by(MemoryChannel, "preview_and_final_are_one_message")

    assert outcome.aside == "no Streams; instead: `Drafts`, else typing"
    assert str(outcome) == f"aside   preview and final are one message ({outcome.aside})"


async def test_a_rig_without_a_form_to_fill_in_does_not_pass_for_an_adapter_with_forms() -> None:
    @dataclass
    class Blind:
        """All of a rig except what fills in forms."""

        rig: Rig

        def __getattr__(self, name: str) -> Any:
            if name in ("open_form", "fill_in"):
                raise AttributeError(name)
            return getattr(self.rig, name)

    @asynccontextmanager
    async def blind() -> AsyncIterator[Any]:
        async with rig_over(FormChannel)() as rig:
            yield Blind(rig)

    outcomes = {outcome.promise: outcome for outcome in await examine(blind)}

    broken = outcomes["what_is_filled_in_comes_back_by_its_field"].broken
    assert "Blind must also be a FillsIn" in str(broken)


class MenuChannel(MemoryChannel):
    """An app with a menu that nobody can look at."""

    async def set_menu(self, menu: NativeMenu) -> None:
        raise Refused("never", RefusedReason.FORBIDDEN)


async def test_a_menu_that_nobody_looks_at_is_not_in_step() -> None:
    outcome = await broken_by(MenuChannel, "the_apps_menu_is_the_one_that_was_set")

    assert "MemoryRig must also be a ShowsMenu" in str(outcome.broken)


async def test_the_first_part_is_the_beginning_of_the_whole() -> None:
    outcomes = await examine(RIGS["memory"], FIRST)

    assert PROMISES[: len(FIRST)] == FIRST
    assert [outcome.broken for outcome in outcomes] == [None] * len(FIRST)
