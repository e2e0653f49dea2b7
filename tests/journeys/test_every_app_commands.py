"""Commands in every app, as people give them there: what they say, what is one tap away, and what never runs."""

from pathlib import Path

import pytest

from conch.home import Home
from tests.journeys.apps import AppUnderTest, labels, now, pressed, said
from tests.journeys.living import until
from tests.journeys.remembering import Remembering

# ---- help, and what is no command ------------------------------------------------------------------------------------


async def test_help_lists_the_commands_as_they_are_written_here(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")

        owners = await messenger.asked(ada.chat, "/help")
        others = await messenger.asked(bob.chat, "/help")

    assert all(messenger.written(name) in owners.text for name in ("new", "stop", "model", "settings", "help"))
    assert messenger.written("clear") in others.text
    assert messenger.written("model") not in others.text
    assert messenger.written("export") not in owners.text


@pytest.mark.report("R071", "R083")
async def test_what_was_probably_meant_is_one_tap_away(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)

        question = await messenger.asked(ada.chat, "/claer")
        after = await pressed(ada.chat, question, messenger.written("clear"))
        await ada.chat.wait_for(lambda _: not labels(now(ada.chat, question)))

    written = messenger.written("clear")
    assert question.text == f"There is no command {messenger.written('claer')}. Did you mean {written}?"
    assert labels(question) == [written]
    assert after.text == "Nothing was said here yet, so there is nothing to forget."


async def test_a_suggestion_is_run_with_the_words_that_were_typed(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)

        answer = await messenger.asked(ada.chat, "/gaol sleep more")
        if messenger.kind != "slack":  # where several words of which the first is no command are a message
            answer = await pressed(ada.chat, answer, messenger.written("goal sleep more"))

    assert answer.text.startswith("echo: gaol" if messenger.kind == "slack" else "The goal is now “sleep more”.")


async def test_a_name_like_no_other_is_pointed_to_help_or_asked(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)

        answer = await messenger.asked(ada.chat, "/xyzzy")

    lost = f"There is no command /xyzzy. {messenger.written('help')} shows what there is."
    assert answer.text == ("echo: xyzzy" if messenger.kind == "slack" else lost)


@pytest.mark.parametrize("name", ["export", "theme", "rename"])
async def test_what_works_in_the_console_alone_says_so(tmp_path: Path, messenger: AppUnderTest, name: str) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)

        answer = await messenger.asked(ada.chat, f"/{name}")

    assert answer.text.startswith(f"{messenger.written(name)} works in the console")


async def test_a_path_is_not_a_command(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)

        await ada.chat.say("look at /Users/ada/notes.txt")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "echo: look at /Users/ada/notes.txt"


@pytest.mark.parametrize(
    "words", ["/model", "/effort high", "/fast", "/mode full yes", "/usage", "/settings", "/goal x"]
)
async def test_who_was_let_in_changes_nothing_of_conch(tmp_path: Path, messenger: AppUnderTest, words: str) -> None:
    async with messenger.living(tmp_path) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")

        answer = await messenger.asked(bob.chat, words)

    assert answer.text.endswith("only its owner can use it, in their private chat with me.")
    assert not labels(answer)


# ---- stop, new, and what comes while an answer is written ------------------------------------------------------------


@pytest.mark.report("R027", "R037", "R039")
async def test_what_comes_while_an_answer_is_written_goes_next_as_one(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("wait")
        await until(lambda: remembering.turns)

        await ada.chat.say("second")
        await ada.chat.wait_for(lambda _: any("right after that" in text for text in said(ada.chat)))
        await ada.chat.say("third")
        helped = await messenger.asked(ada.chat, "/help")
        remembering.go.set()
        await until(lambda: len(remembering.turns) == 2)
        await ada.chat.wait_for(lambda _: said(ada.chat)[-1].endswith("third"))

    told = [text for text in said(ada.chat) if "right after that" in text]
    assert told == ["I'm still answering. Your message comes right after that."]
    assert messenger.written("new") in helped.text
    assert remembering.texts == ["wait", "second\n\nthird"]


@pytest.mark.report("R015")
async def test_stop_ends_the_answer_and_empties_the_queue(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("wait for ever")
        await until(lambda: remembering.turns)
        await ada.chat.say("never mind")
        await ada.chat.wait_for(lambda _: any("right after that" in text for text in said(ada.chat)))

        await messenger.give(ada.chat, "stop")
        await ada.chat.wait_for(lambda _: any(text.startswith("Stopped") for text in said(ada.chat)))
        await ada.chat.wait_for(lambda _: "so far:" in said(ada.chat))
        await messenger.asked(ada.chat, "still there?")
        nothing = await messenger.asked(ada.chat, "/stop")

    assert "Stopped, and dropped the message that was waiting." in said(ada.chat)
    assert nothing.text == "Nothing was going on."
    assert remembering.texts == ["wait for ever", "still there?"]


async def test_new_starts_afresh_and_lets_a_running_answer_arrive(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("wait")
        await until(lambda: remembering.turns)

        await messenger.give(ada.chat, "new")
        await ada.chat.wait_for(lambda _: any("starts a fresh conversation" in text for text in said(ada.chat)))
        remembering.go.set()
        await ada.chat.wait_for(lambda _: "so far: heard wait" in said(ada.chat))
        after = await messenger.asked(ada.chat, "hello")

    told = next(text for text in said(ada.chat) if "fresh" in text)
    assert told.endswith("The answer that I am still writing will arrive here.")
    assert after.text == "heard hello"


# ---- words that run nothing ------------------------------------------------------------------------------------------


async def test_a_command_with_a_file_is_not_run(tmp_path: Path, messenger: AppUnderTest) -> None:
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "my name is Ada")

        await ada.chat.file("note.txt", b"!", messenger.written("clear"))
        with_a_file = await ada.chat.wait_for_answer()
        answer = await messenger.asked(ada.chat, "who am I?")

    assert with_a_file.text.startswith("I only run a command that you type yourself, without a file or a quote.")
    assert messenger.written("clear") in with_a_file.text
    assert answer.text == "heard my name is Ada, who am I?"


# ---- own commands and skills -----------------------------------------------------------------------------------------


async def test_a_saved_command_is_filled_in_and_answered(tmp_path: Path, messenger: AppUnderTest) -> None:
    folder = Home(tmp_path).commands
    folder.mkdir(parents=True)
    (folder / "briefing.md").write_text("Brief me on {{input}}.", encoding="utf-8")
    async with messenger.living(tmp_path, gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        typed = await messenger.asked(ada.chat, "/briefing my day")
        misspelt = await messenger.asked(ada.chat, "/breifing")
        suggested = await pressed(ada.chat, misspelt, messenger.written("briefing"))
        helped = await messenger.asked(ada.chat, "/help")

    assert typed.text == "echo: Brief me on my day."
    assert suggested.text == "echo: Brief me on this."
    assert messenger.written("briefing") in helped.text


async def test_a_skill_is_called_by_its_name(tmp_path: Path, messenger: AppUnderTest) -> None:
    folder = Home(tmp_path).skills / "haiku"
    folder.mkdir(parents=True)
    words = "---\nname: haiku\ndescription: Writes haikus\n---\nAnswer in three lines."
    (folder / "SKILL.md").write_text(words, encoding="utf-8")
    remembering = Remembering()
    async with messenger.living(tmp_path, engines=[remembering], gather_ms=0, skills_when_asked=["haiku"]) as app:
        ada = await messenger.owner_of(app)

        await messenger.asked(ada.chat, "/haiku about rain")
        helped = await messenger.asked(ada.chat, "/help")

    assert "Answer in three lines." in remembering.turns[-1].text
    assert "about rain" in remembering.turns[-1].text
    assert messenger.written("haiku") in helped.text


# ---- status and usage ------------------------------------------------------------------------------------------------


async def test_status_says_what_this_chat_runs_on(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "hello")
        await messenger.asked(ada.chat, "/goal sleep more")

        answer = await messenger.asked(ada.chat, "/status")

    lines = [line.lstrip("•- ") for line in answer.text.splitlines()]
    assert lines == ["Model: Scripted", "Mode: Ask first", "Goal: “sleep more”", "Now: nothing going on"]
    assert labels(answer) == ["Model ›", "Effort ›", "Fast answers ›", "Mode ›", "Look again"]


async def test_usage_says_what_was_used(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, budget_day_tokens=500_000) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "hello")

        answer = await messenger.asked(ada.chat, "/usage")

    assert "Tokens a day: 500,000 left of 500,000" in answer.text
