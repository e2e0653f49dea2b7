"""What is said is answered, in every app: once, in order, whole, and looking as it is meant."""

import asyncio
from pathlib import Path

import pytest

from core.engines.base import Ended, EndReason, MessageEnd, Text, TurnInput
from core.engines.script import Raise, Steps, Until
from core.engines.scripted import Script, always
from tests.journeys.apps import AppUnderTest, finished, said
from tests.journeys.living import FastClock, until
from tests.journeys.remembering import Remembering

LONG = "# Report\n\n" + "\n\n".join(f"Paragraph {number}. " + "Words and more words. " * 20 for number in range(12))
CODE = "```python\n" + "\n".join(f"value_{number} = {number}  # a line of code" for number in range(200)) + "\n```"


# ---- one after the other ---------------------------------------------------------------------------------------------


@pytest.mark.report("R005", "R007")
async def test_each_message_is_answered_once_and_in_order(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        for words in ("one", "two", "three"):
            await messenger.asked(ada.chat, words)

    assert said(ada.chat)[1:] == ["echo: one", "echo: two", "echo: three"]


@pytest.mark.report("R109", "R101")
async def test_two_people_at_the_same_time_have_two_conversations(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")

        for words in ("one", "two"):
            await asyncio.gather(messenger.asked(ada.chat, f"Ada {words}"), messenger.asked(bob.chat, f"Bob {words}"))

    told_of_bob = [words for words in said(ada.chat) if words.startswith("Bob wrote to me")]
    assert [words for words in said(ada.chat)[1:] if words not in told_of_bob] == [
        "heard Ada one",
        "heard Ada one, Ada two",
    ]
    assert said(bob.chat)[1:] == ["heard Bob one", "heard Bob one, Bob two"]


async def test_a_restart_forgets_nothing_and_repeats_nothing(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "one")

    async with messenger.living(tmp_path, engines=[Remembering()], gather_ms=0) as app:
        await messenger.ready(app, ada.channel_id)
        await messenger.asked(ada.chat, "two")

    assert said(ada.chat)[1:] == ["heard one", "heard one, two"]


# ---- how it looks ----------------------------------------------------------------------------------------------------


@pytest.mark.report("R001", "R043", "R045", "R047", "R049")
async def test_a_long_answer_with_code_arrives_whole_and_in_order(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, script=always(Text(f"{LONG}\n\n{CODE}\n\nThat is all."))) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.say("write a report")
        await ada.chat.wait_for(lambda messages: finished(messages[-1]) and messages[-1].text.endswith("That is all."))
        parts = said(ada.chat)[1:]

    text = "\n".join(parts)
    places = [text.index(f"Paragraph {number}.") for number in range(12)]
    lines = [text.index(f"value_{number} = {number} ") for number in range(200)]
    assert places + lines == sorted(places + lines)
    assert [text.count(f"value_{number} = {number} ") for number in (0, 7, 199)] == [1, 1, 1]
    assert all(part.count("```") % 2 == 0 for part in parts)


async def test_markup_is_read_and_not_seen(tmp_path: Path, messenger: AppUnderTest) -> None:
    words = "**bold** and `code` and [a link](https://example.com), 2 < 3 & *so on*, <b>no tag</b>"
    async with messenger.living(tmp_path, script=always(Text(words))) as app:
        ada = await messenger.owner_of(app)

        answer = await messenger.asked(ada.chat, "format")

    assert answer.text.startswith("bold and code and a link")
    assert answer.text.endswith(", 2 < 3 & so on, <b>no tag</b>")


async def test_messages_of_one_answer_come_one_by_one(tmp_path: Path, messenger: AppUnderTest) -> None:
    script = always(Text("First I look."), MessageEnd(), Text("Then I say."), MessageEnd())
    async with messenger.living(tmp_path, script=script) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.say("go")
        await ada.chat.wait_for_answer(2)

    assert said(ada.chat)[1:] == ["First I look.", "Then I say."]


# ---- while it is written ---------------------------------------------------------------------------------------------


def halves(seen: asyncio.Event) -> Script:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("Once upon a time")
        yield Until(seen)
        yield Text(" there was an end.")

    return script


@pytest.mark.report("R023", "R167")
async def test_what_is_seen_while_it_is_written_ends_as_one_message(tmp_path: Path, messenger: AppUnderTest) -> None:
    seen = asyncio.Event()
    async with messenger.living(tmp_path, script=halves(seen)) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("tell me a story")
        await messenger.sees(ada.chat, "Once upon a time")

        seen.set()
        await ada.chat.wait_for(lambda messages: finished(messages[-1]) and messages[-1].text.endswith("an end."))

    assert said(ada.chat)[1:] == ["Once upon a time there was an end."]


@pytest.mark.report("R167")
async def test_an_answer_that_is_stopped_keeps_what_was_said(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, script=halves(asyncio.Event())) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("tell me a story")
        await messenger.sees(ada.chat, "Once upon a time")

        await messenger.give(ada.chat, "stop")
        await ada.chat.wait_for(lambda _: "Stopped." in said(ada.chat))
        await ada.chat.wait_for(lambda _: "Once upon a time" in said(ada.chat))

    assert sorted(said(ada.chat)[1:]) == ["Once upon a time", "Stopped."]


# ---- when it fails ---------------------------------------------------------------------------------------------------


@pytest.mark.report("R029", "R113")
@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Ended(EndReason.UNAVAILABLE), "cannot be reached right now"),
        (Raise(RuntimeError("secret detail: /etc/passwd")), "Something broke while"),
    ],
    ids=["unavailable", "crashed"],
)
async def test_an_answer_that_fails_half_way_says_why_in_plain_words(
    tmp_path: Path, messenger: AppUnderTest, step: Ended | Raise, words: str
) -> None:
    async with messenger.living(tmp_path, script=always(Text("the first half"), step)) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.say("try")
        await ada.chat.wait_for_answer(2)

    half, why = said(ada.chat)[1:]
    assert half == "the first half"
    assert words in why
    assert "secret detail" not in why


@pytest.mark.report("R021", "R139")
async def test_an_answer_that_a_restart_cut_off_is_tried_again_with_a_tap(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], clock=FastClock(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("wait for me")
        await until(lambda: remembering.turns)
    told = next(message for message in ada.chat.answers if "I was restarted" in message.text)
    remembering.go.set()

    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        await messenger.ready(app, ada.channel_id)
        await ada.chat.press(told, "Try again")
        await ada.chat.wait_for(
            lambda _: any(text.endswith("heard wait for me, wait for me") for text in said(ada.chat))
        )

    assert told.text.startswith("I was restarted while I was answering")
    assert remembering.texts == ["wait for me", "wait for me"]


@pytest.mark.report("R127", "R019")
async def test_an_answer_that_the_app_does_not_take_at_first_is_said_later_once(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], clock=FastClock(), gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("wait")
        await until(lambda: remembering.turns)

        async with messenger.pretend.unreachable():
            remembering.go.set()
            await until(lambda: not app.conversations.turns)
        await ada.chat.wait_for(lambda _: any(text.endswith("heard wait") for text in said(ada.chat)), timeout=10)
        await messenger.ready(app, ada.channel_id)
        await messenger.asked(ada.chat, "and now?")

    whole = [text for text in said(ada.chat) if text.endswith("heard wait")]
    assert len(whole) == 1
