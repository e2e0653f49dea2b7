"""Saved commands of the owner's own: what they send, whose they are, and what goes before what."""

import pytest

from channels.memory.app import MemoryApp
from channels.memory.chat import SentFile
from conch.home import Home
from core.clock import ManualClock
from core.events import UserMessage
from tests.channels.commands.talking import Echo, Talk, labels, save, talking


@pytest.mark.parametrize(
    ("body", "typed", "sent"),
    [
        ("Plan my day.", "/daily", "Plan my day."),
        ("Plan my day.\n", "/daily with a walk", "Plan my day.\n\nwith a walk"),
        ("Sum up {{input}} in {{input}} words.", "/daily ten\nlines", "Sum up ten\nlines in ten\nlines words."),
        ("Sum up {{input}}.", "/daily", "Sum up this."),
        ("\ufeffPlan {{input}}", "/DAILY {{input}}", "Plan {{input}}"),
    ],
)
async def test_a_saved_command_is_filled_in_and_sent(
    talk: Talk, engine: Echo, home: Home, body: str, typed: str, sent: str
) -> None:
    save(home, "daily", body)

    answer = await talk.say(typed)

    assert answer.text == f"heard {sent}"
    [message] = [data for data in await talk.log() if isinstance(data, UserMessage)]
    assert (message.text, message.origin.person_id, message.others_words) == (sent, "ada", False)


async def test_a_saved_command_is_read_anew_each_time(talk: Talk, engine: Echo, home: Home) -> None:
    path = save(home, "daily", "one")
    await talk.say("/daily")
    path.write_text("two", encoding="utf-8")
    await talk.say("/daily")
    path.unlink()

    gone = await talk.say("/daily")

    assert [turn.text for turn in engine.turns] == ["one", "two"]
    assert gone.text == "There is no command /daily. /help shows what there is."


@pytest.mark.parametrize("name", ["clear", "reset", "new", "help"])
async def test_a_command_of_conchs_goes_first(talk: Talk, engine: Echo, home: Home, name: str) -> None:
    save(home, name, "mine")

    await talk.say(f"/{name}")

    assert not engine.turns


@pytest.mark.parametrize("name", ["goal", "plan", "retry", "again", "undo", "status", "export"])
async def test_a_command_that_yields_gives_way_to_the_typed_name(
    talk: Talk, engine: Echo, home: Home, name: str
) -> None:
    save(home, name, "mine")

    answer = await talk.say(f"/{name}")

    assert answer.text == "heard mine"


async def test_buttons_still_mean_what_they_say_where_a_saved_command_took_the_name(
    talk: Talk, engine: Echo, home: Home
) -> None:
    save(home, "goal", "mine")
    save(home, "undo", "mine")
    await talk.say("hello")
    shown = await talk.say("/objective sleep")
    cleared = await talk.say("/clear")

    gone = await talk.tap(shown, "Clear goal")
    undone = await talk.tap(cleared, "Undo")

    assert gone.text == "The goal is gone."
    assert undone.text.startswith("Taken back")


async def test_a_goal_that_waits_goes_with_a_saved_command(talk: Talk, engine: Echo, home: Home) -> None:
    save(home, "daily", "Plan my day.")
    await talk.say("/goal sleep more")

    await talk.say("/daily")

    assert "“sleep more”" in engine.newest.instructions


async def test_what_was_said_before_a_saved_command_goes_before_it(talk: Talk, engine: Echo, home: Home) -> None:
    save(home, "daily", "Plan my day.")

    talk.ada.say("first")
    talk.ada.say("/daily")
    await talk.ada.wait_until(lambda seen: "Plan my day." in seen.texts[-1])

    assert talk.ada.texts[-1] == "heard first, Plan my day."


async def test_an_edited_saved_command_stays_as_it_was_filled_in(talk: Talk, engine: Echo, home: Home) -> None:
    save(home, "daily", "Plan {{input}}.")
    talk.ada.say("wait")
    await engine.has_begun("wait")
    typed = talk.ada.say("/daily today")
    await talk.ada.wait_until(lambda seen: "right after that" in seen.texts[-1])

    talk.ada.edit(typed, "/daily tomorrow")
    await talk.app.service.settled()
    engine.go.set()
    await talk.ada.wait_until(lambda seen: "Plan" in seen.texts[-1])

    assert engine.newest.text == "Plan today."


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The saved command /daily is empty."),
        (b" \n", "The saved command /daily is empty."),
        (b"\xff\xfe\x00", "The saved command daily.md is no UTF-8 text, so it was not sent."),
        (b"x" * 64_001, "The saved command daily.md is over 64 kB, so it was not sent."),
    ],
    ids=["empty", "blank", "no text", "too long"],
)
async def test_a_file_that_cannot_be_sent_says_so(
    talk: Talk, engine: Echo, home: Home, content: bytes, words: str
) -> None:
    save(home, "daily", "").write_bytes(content)

    answer = await talk.say("/daily")

    assert answer.text == words
    assert not engine.turns


async def test_saved_commands_stand_in_the_owners_help(talk: Talk, home: Home) -> None:
    for name in ("daily", "wéekly", "new", "has space"):
        save(home, name, "words")

    answer = await talk.say("/help")

    assert "Your own commands: /daily, /wéekly\n" in f"{answer.text}\n"


async def test_a_slip_of_the_finger_suggests_a_saved_command(talk: Talk, engine: Echo, home: Home) -> None:
    save(home, "briefing", "Brief me on {{input}}.")

    asked = await talk.say("/breifing today")
    answer = await talk.tap(asked, "/briefing today")

    assert asked.text == "There is no command /breifing. Did you mean /briefing today?"
    assert answer.text == "heard Brief me on today."


# ---- people who were let in ----------------------------------------------------------------------------------------


async def test_someone_who_was_let_in_has_no_saved_commands(talk: Talk, engine: Echo, home: Home) -> None:
    save(home, "briefing", "secret words")
    bob = await talk.let_in("Bob")

    typed = await talk.say("/briefing", bob)
    nearly = await talk.say("/briefin", bob)
    helped = await talk.say("/help", bob)

    assert typed.text == "There is no command /briefing. /help shows what there is."
    assert nearly.text == "There is no command /briefin. /help shows what there is."
    assert "briefing" not in helped.text
    assert not engine.turns


async def test_the_owner_can_switch_some_on_for_people(
    home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock
) -> None:
    save(home, "Daily", "Plan {{input}}.")
    save(home, "secret", "words")
    async with talking(home, engine, shell, clock, commands_for_people=["daily"]) as talk:
        bob = await talk.let_in("Bob")

        answer = await talk.say("/daily work", bob)
        refused = await talk.say("/secret", bob)
        helped = await talk.say("/help", bob)
        [message] = [data for data in await talk.log(bob) if isinstance(data, UserMessage)]

    assert answer.text == "heard Plan work."
    assert message.others_words
    assert refused.text.startswith("There is no command /secret.")
    assert "Your own commands: /Daily" in helped.text


async def test_a_saved_command_that_is_someone_elses_words_is_not_run(talk: Talk, engine: Echo, home: Home) -> None:
    save(home, "daily", "Plan my day.")

    forwarded = await talk.say("/daily", forwarded_from="Eve")
    with_a_file = await talk.say("/daily", files=[SentFile("note.txt", b"!", "text/plain")])

    expected = "I only run a command that you type yourself, without a file or a quote. Send /daily on its own."
    assert (forwarded.text, with_a_file.text) == (expected, expected)
    assert not engine.turns
    assert labels(forwarded) == []
