"""The promises of every adapter, each an async function over a `Rig` that raises `AssertionError` where it is broken.

They need no test framework: parametrise yours over `PROMISES`. A promise about an ability that the adapter does not
have holds by itself. More of them come with each app.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta

from channels.abilities import Drafts, Edits, History, Marks, Presses, Streams, Typing
from channels.base import Button, InboundMessage, MessageRef, OutboundMessage, Press
from channels.conformance.rig import Ear, Rig, Trouble
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

Promise = Callable[[Rig], Awaitable[None]]

PATIENCE = 10.0
"""Real seconds that something may take; only a broken adapter ever takes them."""


def _words(text: str, *buttons: Button) -> OutboundMessage:
    return OutboundMessage(text=text, fallback=text, key=f"key of {text}", buttons=buttons)


@asynccontextmanager
async def _listening(rig: Rig) -> AsyncIterator[Ear]:
    ear = Ear(rig.channel)
    task = asyncio.create_task(rig.channel.listen(ear))
    try:
        async with asyncio.timeout(PATIENCE):
            await ear.is_online.wait()
            yield ear
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def what_is_said_is_seen_and_has_the_apps_id(rig: Rig) -> None:
    """A send returns the app's own id, a different one each time, and the person sees the words in order."""
    first = await rig.channel.send(rig.chat, _words("one"))
    second = await rig.channel.send(rig.chat, _words("two"))

    assert list(rig.seen())[-2:] == ["one", "two"]
    assert first.message_id
    assert first.message_id != second.message_id
    assert first.chat == rig.chat


async def what_a_person_writes_is_heard(rig: Rig) -> None:
    """A message comes in once, with its sender and chat."""
    async with _listening(rig) as ear:
        await rig.say("hello")
        (message,) = await ear.until_heard(InboundMessage)

    assert isinstance(message, InboundMessage)
    assert (message.text, message.chat) == ("hello", rig.chat)
    assert message.sender.id
    assert not message.sender.is_bot


async def the_bot_never_hears_itself(rig: Rig) -> None:
    """Neither on the line nor in a payload that tells of its own message."""
    own = rig.own_message()
    async with _listening(rig) as ear:
        await rig.channel.send(rig.chat, _words("my own words"))
        await rig.say("a person's words")
        await ear.until_heard(InboundMessage)

    assert own is None or not rig.channel.parse(own)
    assert [item.text for item in ear.heard if isinstance(item, InboundMessage)] == ["a person's words"]


async def nothing_is_acknowledged_before_it_is_stored(rig: Rig) -> None:
    """What could not be stored is offered again under the same id, and heard once."""
    async with _listening(rig) as ear:
        ear.full = 2
        await rig.say("keep this")
        await ear.until_heard(InboundMessage)

    assert len({update.update_id for update in ear.offered}) == 1
    assert len(ear.offered) == 3
    assert len(ear.stored) == 1


async def an_unstored_update_is_heard_by_the_next_life(rig: Rig) -> None:
    """Who stops listening without having stored anything hears it again later."""
    async with _listening(rig) as ear:
        ear.full = 1_000
        await rig.say("keep this too")
        await ear.was_offered.wait()
    async with _listening(rig) as later:
        (message,) = await later.until_heard(InboundMessage)

    assert isinstance(message, InboundMessage)
    assert message.text == "keep this too"
    assert message.update_id == ear.offered[0].update_id


async def a_press_reaches_the_core_once(rig: Rig) -> None:
    """A button brings back its token, its message and who pressed it."""
    if not isinstance(rig.channel, Presses) or not rig.channel.capabilities.button_limit:
        return
    async with _listening(rig) as ear:
        sent = await rig.channel.send(
            rig.chat, _words("choose", Button("Yes", token="tok-1"), Button("No", token="tok-2"))
        )
        await rig.press("No")
        (press,) = await ear.until_heard(Press)
        assert isinstance(press, Press)
        await rig.channel.answer_press(press, "done")

    assert (press.token, press.message.message_id) == ("tok-2", sent.message_id)
    assert press.sender.id


async def a_busy_app_is_classed_as_such(rig: Rig) -> None:
    """`TryLater` with the seconds that the app gave; nothing is seen, and the same call works afterwards."""
    before = len(rig.seen())
    rig.trouble(Trouble.REFUSED_FOR_NOW)
    try:
        await rig.channel.send(rig.chat, _words("patience"))
    except TryLater as reason:
        assert reason.retry_after is not None
    else:
        raise AssertionError("a busy app was not told")
    assert len(rig.seen()) == before

    await rig.channel.send(rig.chat, _words("patience"))
    assert rig.seen()[-1] == "patience"


async def a_lost_receipt_is_classed_as_unknown(rig: Rig) -> None:
    """`MaybeDone`, and no second try by the adapter itself."""
    before = len(rig.seen())
    rig.trouble(Trouble.RECEIPT_LOST)
    try:
        await rig.channel.send(rig.chat, _words("perhaps"))
    except MaybeDone:
        pass
    else:
        raise AssertionError("a lost receipt was not told")

    assert len(rig.seen()) == before + 1


async def a_refusal_is_final_and_says_its_kind(rig: Rig) -> None:
    """`Refused`, with a reason that is not about the key."""
    rig.trouble(Trouble.NEVER)
    try:
        await rig.channel.send(rig.chat, _words("never"))
    except Refused as reason:
        assert reason.reason is not RefusedReason.AUTH
    else:
        raise AssertionError("a refusal was not told")


async def a_revoked_key_is_said_and_not_shown(rig: Rig) -> None:
    """`Refused` (`AUTH`) at the next start and the next send, without the key in any word of it."""
    rig.revoke()
    for call in (rig.channel.start, lambda: rig.channel.send(rig.chat, _words("hello"))):
        try:
            await call()
        except Refused as reason:
            assert reason.reason is RefusedReason.AUTH
            assert rig.secret not in f"{reason!r} {reason} {reason.__cause__!r} {reason.__context__!r}"
        else:
            raise AssertionError("a key that does not work was not told")


async def an_edit_changes_the_message_and_no_change_is_no_fault(rig: Rig) -> None:
    """Twice the same words count as success; so does taking away what is gone."""
    if not isinstance(rig.channel, Edits):
        return
    sent = await rig.channel.send(rig.chat, _words("before"))
    await rig.channel.edit(sent, _words("after"))
    await rig.channel.edit(sent, _words("after"))
    assert rig.seen()[-1] == "after"

    await rig.channel.delete(sent)
    await rig.channel.delete(sent)
    assert "after" not in rig.seen()


async def signs_of_writing_leave_no_message(rig: Rig) -> None:
    """Typing and drafts show something for a while; the final message is the only one that stays."""
    before = len(rig.seen())
    if isinstance(rig.channel, Typing):
        await rig.channel.typing(rig.chat)
    if isinstance(rig.channel, Drafts) and rig.channel.drafts_in(rig.chat):
        await rig.channel.draft(rig.chat, 1, "half", "half")
    await rig.channel.send(rig.chat, _words("half and the rest"))

    assert list(rig.seen())[before:] == ["half and the rest"]


async def preview_and_final_are_one_message(rig: Rig) -> None:
    """What is written into a message and what ends it is one message with one id; a final goes out without it, too."""
    if not isinstance(rig.channel, Streams) or not rig.channel.streams_in(rig.chat):
        return
    before = len(rig.seen())
    begun = await rig.channel.open_stream(rig.chat, _words("one"))
    await rig.channel.stream(begun, "one and two", "one and two")
    ended = await rig.channel.send(rig.chat, replace(_words("one and two and three"), into=begun.message_id))

    assert list(rig.seen())[before:] == ["one and two and three"]
    assert ended.message_id == begun.message_id


async def a_mark_leaves_no_message_and_is_put_on_and_taken_away_twice(rig: Rig) -> None:
    """The sign that a message is being answered is no message, and one that is there or gone already is no fault."""
    if not isinstance(rig.channel, Marks):
        return
    async with _listening(rig) as ear:
        await rig.say("mark this")
        (message,) = await ear.until_heard(InboundMessage)
    assert isinstance(message, InboundMessage)
    before, marked = len(rig.seen()), MessageRef(message.chat, message.message_id)
    for call in (rig.channel.mark, rig.channel.mark, rig.channel.unmark, rig.channel.unmark):
        await call(marked)

    assert len(rig.seen()) == before


async def what_is_read_later_has_the_id_that_it_came_with(rig: Rig) -> None:
    """A message that was heard and is read again from the history is the same update, so that it counts once."""
    if not isinstance(rig.channel, History):
        return
    async with _listening(rig) as ear:
        await rig.say("remember this")
        (message,) = await ear.until_heard(InboundMessage)
    assert isinstance(message, InboundMessage)
    since = message.at - timedelta(seconds=5)
    read = [update async for update in rig.channel.missed(rig.chat, since)]

    assert [update.update_id for update in read] == [message.update_id]
    assert [again for update in read for again in rig.channel.parse(update.payload)] == [message]


async def a_message_at_the_limit_is_taken(rig: Rig) -> None:
    """As long as the capabilities say, and what is longer is refused as such, not cut."""
    most = rig.channel.capabilities.max_text
    if most is None:
        return
    await rig.channel.send(rig.chat, _words("x" * most))
    assert rig.seen()[-1] == "x" * most
    try:
        await rig.channel.send(rig.chat, _words("y" * (most + 1)))
    except Refused as reason:
        assert reason.reason is RefusedReason.BAD_PAYLOAD
    else:
        raise AssertionError("what is too long was taken")


async def a_stranger_payload_is_a_value_error_or_nothing(rig: Rig) -> None:
    """Parsing never raises anything else, whatever a payload holds."""
    for payload in ({}, {"message": 7}, {"message": {"chat": None}}, {"x": [{"y": "\x00"}]}, {"update_id": "a"}):
        try:
            rig.channel.parse(payload)
        except ValueError:
            continue


async def stopping_is_harmless(rig: Rig) -> None:
    """Twice, and before a new start; afterwards everything works again."""
    await rig.channel.stop()
    await rig.channel.stop()
    await rig.channel.start()
    sent: MessageRef | ConchError = await rig.channel.send(rig.chat, _words("back"))

    assert isinstance(sent, MessageRef)
    assert rig.seen()[-1] == "back"


PROMISES: tuple[Promise, ...] = (
    what_is_said_is_seen_and_has_the_apps_id,
    what_a_person_writes_is_heard,
    the_bot_never_hears_itself,
    nothing_is_acknowledged_before_it_is_stored,
    an_unstored_update_is_heard_by_the_next_life,
    a_press_reaches_the_core_once,
    a_busy_app_is_classed_as_such,
    a_lost_receipt_is_classed_as_unknown,
    a_refusal_is_final_and_says_its_kind,
    a_revoked_key_is_said_and_not_shown,
    an_edit_changes_the_message_and_no_change_is_no_fault,
    signs_of_writing_leave_no_message,
    preview_and_final_are_one_message,
    a_mark_leaves_no_message_and_is_put_on_and_taken_away_twice,
    what_is_read_later_has_the_id_that_it_came_with,
    a_message_at_the_limit_is_taken,
    a_stranger_payload_is_a_value_error_or_nothing,
    stopping_is_harmless,
)
