"""Promises about what goes out: seen once, changed in place, one message for an answer that grows, nothing cut."""

from dataclasses import replace
from typing import Final

from channels.abilities import Drafts, Edits, Marks, Streams, Typing
from channels.base import InboundMessage, MessageRef
from channels.conformance.promise import NotAsked, Promise, lacking, listening, words
from channels.conformance.rig import Rig
from core.errors import ConchError, Refused, RefusedReason


async def what_is_said_is_seen_and_has_the_apps_id(rig: Rig) -> None:
    """A send returns the app's own id, a different one each time, and the person sees the words in order."""
    first = await rig.channel.send(rig.chat, words("one"))
    second = await rig.channel.send(rig.chat, words("two"))

    assert list(rig.seen())[-2:] == ["one", "two"]
    assert first.message_id
    assert first.message_id != second.message_id
    assert first.chat == rig.chat


async def an_edit_changes_the_message_and_no_change_is_no_fault(rig: Rig) -> None:
    """Twice the same words count as success; so does taking away what is gone."""
    if not isinstance(rig.channel, Edits):
        raise lacking(Edits)
    sent = await rig.channel.send(rig.chat, words("before"))
    await rig.channel.edit(sent, words("after"))
    await rig.channel.edit(sent, words("after"))
    assert rig.seen()[-1] == "after"

    await rig.channel.delete(sent)
    await rig.channel.delete(sent)
    assert "after" not in rig.seen()


async def signs_of_writing_leave_no_message(rig: Rig) -> None:
    """Typing and drafts show something for a while; the final message is the only one that stays."""
    if not isinstance(rig.channel, Typing | Drafts):
        raise lacking(Typing)
    before = len(rig.seen())
    if isinstance(rig.channel, Typing):
        await rig.channel.typing(rig.chat)
    if isinstance(rig.channel, Drafts) and rig.channel.drafts_in(rig.chat):
        await rig.channel.draft(rig.chat, 1, "half", "half")
    await rig.channel.send(rig.chat, words("half and the rest"))

    assert list(rig.seen())[before:] == ["half and the rest"]


async def preview_and_final_are_one_message(rig: Rig) -> None:
    """What is written into a message and what ends it is one message with one id."""
    if not isinstance(rig.channel, Streams):
        raise lacking(Streams)
    if not rig.channel.streams_in(rig.chat):
        raise NotAsked("no Streams in this private chat")
    before = len(rig.seen())
    begun = await rig.channel.open_stream(rig.chat, words("one"))
    await rig.channel.stream(begun, "one and two", "one and two")
    ended = await rig.channel.send(rig.chat, replace(words("one and two and three"), into=begun.message_id))

    assert list(rig.seen())[before:] == ["one and two and three"]
    assert ended.message_id == begun.message_id


async def a_mark_leaves_no_message_and_is_put_on_and_taken_away_twice(rig: Rig) -> None:
    """The sign that a message is being answered is no message, and one that is there or gone already is no fault."""
    if not isinstance(rig.channel, Marks):
        raise lacking(Marks)
    async with listening(rig) as ear:
        await rig.say("mark this")
        (message,) = await ear.until_heard(InboundMessage)
    assert isinstance(message, InboundMessage)
    before, marked = len(rig.seen()), MessageRef(message.chat, message.message_id)
    for call in (rig.channel.mark, rig.channel.mark, rig.channel.unmark, rig.channel.unmark):
        await call(marked)

    assert len(rig.seen()) == before


async def a_message_at_the_limit_is_taken(rig: Rig) -> None:
    """As long as the capabilities say, and what is longer is refused as such, not cut."""
    most = rig.channel.capabilities.max_text
    if most is None:
        raise NotAsked("no limit of a message's length")
    await rig.channel.send(rig.chat, words("x" * most))
    assert rig.seen()[-1] == "x" * most
    try:
        await rig.channel.send(rig.chat, words("y" * (most + 1)))
    except Refused as reason:
        assert reason.reason is RefusedReason.BAD_PAYLOAD
    else:
        raise AssertionError("what is too long was taken")


async def stopping_is_harmless(rig: Rig) -> None:
    """Twice, and before a new start; afterwards everything works again."""
    await rig.channel.stop()
    await rig.channel.stop()
    await rig.channel.start()
    sent: MessageRef | ConchError = await rig.channel.send(rig.chat, words("back"))

    assert isinstance(sent, MessageRef)
    assert rig.seen()[-1] == "back"


SAYING: Final[tuple[Promise, ...]] = (
    what_is_said_is_seen_and_has_the_apps_id,
    an_edit_changes_the_message_and_no_change_is_no_fault,
    signs_of_writing_leave_no_message,
    preview_and_final_are_one_message,
    a_mark_leaves_no_message_and_is_put_on_and_taken_away_twice,
    a_message_at_the_limit_is_taken,
    stopping_is_harmless,
)
