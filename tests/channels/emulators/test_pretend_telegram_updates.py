"""How a bot gets its updates by polling: order, offsets, waiting, two pollers at once."""

import asyncio

import pytest
from telegram import Bot, Update
from telegram.error import Conflict, NetworkError

from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from core.clock import ManualClock
from tests.channels.emulators.conftest import Refused, Wire, asleep, sdk

OTHER_POLL = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)


def texts(updates: tuple[Update, ...]) -> list[str | None]:
    return [update.message.text for update in updates if update.message]


async def say(chat: Screen, *words: str) -> None:
    for text in words:
        await chat.say(text)


async def test_updates_come_in_order_until_they_are_confirmed(bot: Bot, chat: Screen) -> None:
    await say(chat, "one", "two")

    first = await bot.get_updates()
    again = await bot.get_updates()
    rest = await bot.get_updates(offset=first[0].update_id + 1)

    assert (texts(first), texts(again), texts(rest)) == (["one", "two"], ["one", "two"], ["two"])


async def test_update_ids_have_no_gap(bot: Bot, chat: Screen) -> None:
    await say(chat, "one", "two", "three")

    ids = [update.update_id for update in await bot.get_updates()]

    assert ids == list(range(ids[0], ids[0] + 3))


async def test_a_negative_offset_keeps_the_newest(bot: Bot, chat: Screen) -> None:
    await say(chat, "one", "two", "three")

    newest = await bot.get_updates(offset=-1)
    left = await bot.get_updates()

    assert (texts(newest), texts(left)) == (["three"], ["three"])


async def test_an_offset_far_ahead_counts_as_none(bot: Bot, chat: Screen) -> None:
    await say(chat, "one")

    assert texts(await bot.get_updates(offset=2_000_000_000)) == ["one"]


@pytest.mark.parametrize(("limit", "count"), [(1, 1), (100, 100), (0, 1), (500, 100)])
async def test_a_batch_has_1_to_100_updates(wire: Wire, chat: Screen, limit: int, count: int) -> None:
    await say(chat, *(str(number) for number in range(101)))

    assert len((await wire("getUpdates", limit=limit))["result"]) == count


async def test_a_poll_waits_for_something(bot: Bot, telegram: PretendTelegram, chat: Screen) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await telegram.bot.queue.polling.wait()

    await say(chat, "finally")

    assert texts(await poll) == ["finally"]


async def test_a_poll_without_anything_ends_after_its_time(
    bot: Bot, telegram: PretendTelegram, clock: ManualClock
) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await telegram.bot.queue.polling.wait()

    await clock.advance(30)

    assert await poll == ()


async def test_no_poll_waits_longer_than_50_seconds(bot: Bot, telegram: PretendTelegram, clock: ManualClock) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=300))
    await telegram.bot.queue.polling.wait()

    await clock.advance(50)

    assert await poll == ()


async def test_a_second_poller_ends_the_first(telegram: PretendTelegram, bot: Bot, clock: ManualClock) -> None:
    async with sdk(telegram) as other:
        first = asyncio.create_task(bot.get_updates(timeout=30))
        await telegram.bot.queue.polling.wait()
        second = asyncio.create_task(other.get_updates(timeout=30))

        with pytest.raises(Conflict):
            await first
        await telegram.stop()

    conflicts = [record.answer for record in telegram.calls("getUpdates") if record.status == 409]
    assert conflicts == [{"ok": False, "error_code": 409, "description": OTHER_POLL}]
    await asyncio.gather(second, return_exceptions=True)


async def test_a_second_conflict_within_3_seconds_is_answered_late(
    telegram: PretendTelegram, bot: Bot, clock: ManualClock, chat: Screen
) -> None:
    telegram.bot.next_conflict_at = clock.monotonic() + 3
    await bot.set_webhook("http://127.0.0.1:9/hook")

    poll = asyncio.create_task(bot.get_updates())
    await asleep(clock)
    await clock.advance(3)

    with pytest.raises(Conflict, match="webhook is active"):
        await poll


async def test_polling_and_a_webhook_exclude_each_other(bot: Bot, refused: Refused) -> None:
    await bot.set_webhook("http://127.0.0.1:9/hook")

    assert await refused(bot.get_updates()) == WEBHOOK_ACTIVE

    await bot.delete_webhook()
    assert await bot.get_updates() == ()


async def test_a_bot_gets_the_kinds_that_it_asked_for_until_it_asks_for_others(bot: Bot, chat: Screen) -> None:
    await bot.get_updates(allowed_updates=["edited_message"])
    said = await chat.say("one")
    await chat.edit(said, "two")

    edits = await bot.get_updates()
    await bot.get_updates(offset=-1, allowed_updates=[])
    await chat.say("three")

    assert [update.edited_message.text for update in edits if update.edited_message] == ["two"]
    assert texts(await bot.get_updates(offset=edits[0].update_id + 1)) == ["three"]


async def test_a_kind_that_does_not_exist_is_refused(wire: Wire) -> None:
    answer = await wire("getUpdates", allowed_updates=["mesage"])

    assert answer["description"] == "Bad Request: strict: there is no kind of update called 'mesage'"


async def test_an_update_waits_for_a_day(bot: Bot, chat: Screen, clock: ManualClock) -> None:
    await chat.say("old")
    await clock.advance(24 * 3600)
    await chat.say("new")
    still_there = await bot.get_updates()
    await clock.advance(0.001)

    assert texts(still_there) == ["old", "new"]
    assert texts(await bot.get_updates()) == ["new"]


async def test_pending_updates_can_be_dropped(bot: Bot, chat: Screen) -> None:
    await say(chat, "one", "two")

    await bot.delete_webhook(drop_pending_updates=True)

    assert await bot.get_updates() == ()


async def test_a_bot_that_asks_the_same_again_at_once_can_be_slowed_down(
    telegram: PretendTelegram, bot: Bot, chat: Screen, clock: ManualClock
) -> None:
    telegram.bot.queue.slows_repeats = True
    await say(chat, "one", "two")

    first = await bot.get_updates()
    again = await bot.get_updates()
    await clock.advance(3)
    later = await bot.get_updates()

    assert [len(updates) for updates in (first, again, later)] == [2, 1, 2]


async def test_each_bot_has_its_own_updates(telegram: PretendTelegram, bot: Bot, ada: Player, chat: Screen) -> None:
    token = "7000000002:" + DEFAULT_BOT.partition(":")[2]
    second = telegram.add_bot(token, "Second", "second_bot")
    await chat.say("to the first")
    await ada.private_chat(second).say("to the second")

    async with sdk(telegram, token) as other:
        assert texts(await other.get_updates()) == ["to the second"]
    assert texts(await bot.get_updates()) == ["to the first"]


async def test_what_a_person_does_arrives_as_they_did_it(bot: Bot, ada: Player, chat: Screen) -> None:
    answered = await bot.send_message(ada.id, "how far, and how long?")
    await chat.reply(answered.message_id, "two hours", quote="how long")
    await chat.forward("their words", of="Somebody")
    await chat.forward("his words", of=chat.person)
    await chat.start("abc-123")
    await chat.block()

    reply, hidden, known, start, standing = await bot.get_updates()

    assert reply.message is not None
    assert reply.message.reply_to_message is not None
    assert reply.message.quote is not None
    assert (reply.message.reply_to_message.message_id, reply.message.quote.text) == (answered.message_id, "how long")
    assert hidden.message is not None
    assert hidden.message.forward_origin is not None
    assert hidden.message.forward_origin.type == "hidden_user"
    assert known.message is not None
    assert known.message.forward_origin is not None
    assert known.message.forward_origin.type == "user"
    assert start.message is not None
    assert start.message.text == "/start abc-123"
    assert standing.my_chat_member is not None
    assert standing.my_chat_member.new_chat_member.status == "kicked"


async def test_what_is_pasted_comes_in_pieces(bot: Bot, chat: Screen) -> None:
    await chat.paste("a" * 4095 + "😀" + "b" * 5000)

    pieces = [update.message.text or "" for update in await bot.get_updates() if update.message]

    assert pieces == ["a" * 4095, "😀" + "b" * 4094, "b" * 906]
    with pytest.raises(ValueError, match="an app splits"):
        await chat.say("a" * 4097)


async def test_a_reaction_reaches_a_bot_that_asked_for_it(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, "nice?")
    await chat.react(message.message_id, "👍")
    await bot.get_updates(allowed_updates=["message_reaction"])
    await chat.react(message.message_id, "🔥")

    (update,) = await bot.get_updates()

    assert update.message_reaction is not None
    assert [r.to_dict()["emoji"] for r in update.message_reaction.new_reaction] == ["🔥"]
    assert [r.to_dict()["emoji"] for r in update.message_reaction.old_reaction] == ["👍"]


@pytest.mark.parametrize("payload", ["a" * 65, "a b", "ä"])
async def test_a_start_link_carries_no_more_than_telegram_lets_it(chat: Screen, payload: str) -> None:
    with pytest.raises(ValueError, match="at most 64"):
        await chat.start(payload)


async def test_a_bot_never_hears_itself(bot: Bot, ada: Player, chat: Screen) -> None:
    message = await bot.send_message(ada.id, "x")
    await message.edit_text("y")
    await message.delete()

    assert await bot.get_updates() == ()


async def test_ids_are_larger_than_32_bits_and_counted_per_chat(
    telegram: PretendTelegram, bot: Bot, ada: Player
) -> None:
    bob = telegram.person("Bob")

    said = [await person.private_chat().say("hi") for person in (ada, bob)]

    assert min(ada.id, bob.id) > 2**32
    assert [message.id for message in said] == [1, 1]
    assert len({update.effective_chat.id for update in await bot.get_updates() if update.effective_chat}) == 2


async def test_stopping_ends_a_poll(telegram: PretendTelegram, bot: Bot) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await telegram.bot.queue.polling.wait()

    await telegram.stop()

    (outcome,) = await asyncio.gather(poll, return_exceptions=True)
    assert outcome == () or isinstance(outcome, NetworkError)
