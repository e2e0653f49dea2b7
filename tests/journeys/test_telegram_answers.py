"""From a person's words to the answer that they see, in Telegram and over real sockets."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.clock import SystemClock
from core.engines.base import Ended, EndReason, FileMade, Text, TurnInput
from core.engines.script import Raise, Steps, Until
from core.engines.scripted import ScriptedEngine
from tests.journeys.living import living, owner_of, said, until

LONG = "# Report\n\n" + "\n\n".join(f"Paragraph {number}. " + "Words and more words. " * 20 for number in range(12))
CODE = "```python\n" + "\n".join(f"value_{number} = {number}  # a line of code" for number in range(200)) + "\n```"


async def test_a_message_is_answered(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("hello")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "echo: hello"


@pytest.mark.report("R001", "R043", "R047", "R049")
async def test_a_long_answer_with_code_arrives_whole_and_in_order(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text(f"{LONG}\n\n{CODE}\n\nThat is all.")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("write a report")
        await ada.chat.wait_for(lambda messages: messages[-1].text.endswith("That is all."))
        parts = ada.chat.answers[1:]

    text = "\n".join(part.text for part in parts)
    places = [text.index(f"Paragraph {number}.") for number in range(12)]
    lines = [text.index(f"value_{number} = {number} ") for number in range(200)]
    assert len(parts) > 2
    assert places + lines == sorted(places + lines)
    assert text.count("value_7 = 7 ") == 1
    assert sum(bool(part.marked("pre")) for part in parts) >= 2


@pytest.mark.report("R043", "R049")
async def test_an_answer_of_a_book_arrives_whole_as_a_file(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("word " * 20_000)

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("write a book")
        book = await ada.chat.wait_for(lambda messages: messages[-1] if messages[-1].file else None)

    assert said(ada.chat)[-2] == "This answer is very long, so here it is as a file."
    assert book is not None
    assert book.file is not None
    assert (book.file.name, book.file.size) == ("answer.md", 100_000)


async def test_formatting_reaches_the_person(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("**bold** and `code` and [a link](https://example.com) and <b>not markup</b>")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("format")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "bold and code and a link and <b>not markup</b>"
    assert (answer.marked("bold"), answer.marked("code")) == (["bold"], ["code"])


@pytest.mark.report("R181")
async def test_a_file_arrives_as_a_file_with_its_words(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("Here it is.")
        yield FileMade("table.csv", "text/csv", b"a,b\n1,2\n", "Two *columns*")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("make a file")
        with_file = await ada.chat.wait_for(lambda messages: messages[-1] if messages[-1].file else None)

    assert with_file is not None
    assert with_file.file is not None
    assert (with_file.file.name, with_file.file.size, with_file.text) == ("table.csv", 8, "Two columns")
    assert said(ada.chat)[-2] == "Here it is."


async def test_an_answer_is_seen_while_it_is_written(tmp_path: Path, pretend: PretendTelegram) -> None:
    seen = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("Once upon a time")
        yield Until(seen)
        yield Text(" there was an end.")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("tell me a story")
        draft = await ada.chat.wait_until(lambda: ada.chat.draft)
        seen.set()
        answer = await ada.chat.wait_for_answer()

    assert draft is not None
    assert draft.text == "Once upon a time"
    assert answer.text == "Once upon a time there was an end."


@pytest.mark.report("R023", "R167")
async def test_preview_and_final_are_one_message(tmp_path: Path, pretend: PretendTelegram) -> None:
    seen = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("half an answer")
        yield Until(seen)
        yield Text(", now whole")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("go")
        await ada.chat.wait_until(lambda: ada.chat.draft)
        seen.set()
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["half an answer, now whole"]
    assert ada.chat.draft is None


async def test_a_slow_start_shows_that_the_bot_is_writing(tmp_path: Path, pretend: PretendTelegram) -> None:
    seen = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Until(seen)
        yield Text("done thinking")

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("think")
        action = await ada.chat.wait_until(lambda: ada.chat.action)
        seen.set()
        await ada.chat.wait_for_answer()

    assert action == "typing"


@pytest.mark.report("R113")
@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Ended(EndReason.UNAVAILABLE), "cannot be reached right now"),
        (Ended(EndReason.RATE_LIMITED), "takes no more requests"),
        (Raise(RuntimeError("secret detail: /etc/passwd")), "Something broke while"),
    ],
    ids=["unavailable", "rate limited", "crashed"],
)
async def test_a_failed_turn_is_told_plainly(
    tmp_path: Path, pretend: PretendTelegram, step: Ended | Raise, words: str
) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield step

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("try")
        answer = await ada.chat.wait_for_answer()

    assert words in answer.text
    assert "secret detail" not in answer.text


async def test_what_there_was_is_said_when_an_answer_fails_half_way(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("the first half")
        yield Ended(EndReason.UNAVAILABLE)

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)

        await ada.chat.say("try")
        await ada.chat.wait_for_answer(2)

    half, why = said(ada.chat)[1:]
    assert half == "the first half"
    assert "cannot be reached" in why


async def test_a_turn_that_says_nothing_ends_without_an_empty_message(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if earlier:
            yield Text("now I speak")
        else:
            yield Text("  \n ")

    engine = ScriptedEngine(SystemClock(), script)
    async with living(tmp_path, pretend, engines=[engine]) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("one")
        await until(lambda: engine.turns and not app.conversations.turns)
        await ada.chat.say("two")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["now I speak"]


async def test_what_was_said_before_is_remembered(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text(" and ".join((*earlier, turn.text)))

    async with living(tmp_path, pretend, script=script) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("one")
        await ada.chat.wait_for_answer()
    async with living(tmp_path, pretend, script=script):
        await ada.chat.say("two")
        await ada.chat.wait_for_answer()

    assert said(ada.chat)[1:] == ["one", "one and two"]
