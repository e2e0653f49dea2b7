"""May I? in every app: allowed once or always, refused, with a reason to look twice, and a plan before it starts."""

import asyncio
from pathlib import Path

import pytest

from channels.pressing import NOTES
from core.cards import PlanStep
from core.engines.base import Plan, Text, TurnInput
from core.engines.script import Steps, Until
from core.events import EventData, SkillUsed, Tainted
from core.store.actions import Denied
from tests.journeys.apps import AppUnderTest, labels, now, said
from tests.journeys.cards import (
    add,
    card,
    lasting,
    lines,
    opened_by,
    planning,
    says,
    shows,
    tap,
    told,
    wanting,
    whispers,
)
from tests.journeys.living import echo

ASKED = ("May I do this?", "Write note: text “*hello*”")


@pytest.mark.parametrize(
    ("label", "line", "answer"),
    [
        ("Allow", "Ada allowed it.", "done"),
        ("Always in this chat", "Ada allowed it, always in this chat.", "done"),
        ("Don't allow", "Ada did not allow it.", "not done"),
    ],
)
async def test_a_permission_is_pressed(
    tmp_path: Path, messenger: AppUnderTest, label: str, line: str, answer: str
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

        await tap(ada.chat, asked, label)
        await says(ada.chat, answer)
        await shows(ada.chat, asked, *ASKED, line)

    assert labels(asked) == ["Allow", "Always in this chat", "Don't allow"]
    assert lines(ada.chat) == ["\n".join((*ASKED, line)), answer]
    assert not whispers(ada.chat)


async def test_what_is_always_allowed_is_not_asked_again(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        await tap(ada.chat, await card(ada.chat, "May I do this?"), "Always in this chat")
        await says(ada.chat, "done")

        await ada.chat.say("Write it down again")
        await ada.chat.wait_for(lambda _: lines(ada.chat).count("done") == 2)

    assert lines(ada.chat)[1:] == ["done", "done"]


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (Tainted(source="web", label="a page"), "This chat has taken in something from outside: “a page”."),
        (
            SkillUsed(skill_id="s", name="s", title="Careful", by="Ada", holds=("write_note",)),
            "The skill “Careful” asks before anything like this.",
        ),
    ],
    ids=["read from outside", "a skill's hold"],
)
async def test_a_reason_to_look_twice_is_said_and_nothing_is_allowed_for_good(
    tmp_path: Path, messenger: AppUnderTest, before: EventData, reason: str
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "hello")
        await add(app, before)

        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")
        await tap(ada.chat, asked, "Allow")
        await shows(ada.chat, asked, *ASKED, reason, "Ada allowed it.")

    assert labels(asked) == ["Allow", "Don't allow"]


@pytest.mark.parametrize(("words", "answer"), [("yes", "done"), ("3", "not done"), ("👎", "not done")])
async def test_a_permission_is_typed(tmp_path: Path, messenger: AppUnderTest, words: str, answer: str) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        await card(ada.chat, "May I do this?")

        await ada.chat.say(words)
        await says(ada.chat, answer)

    assert not any(text.startswith("echo") for text in said(ada.chat))


async def test_ordinary_words_wait_while_a_permission_does(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

        await ada.chat.say("yes, and also look at the weather")
        await says(ada.chat, "I'm waiting for an answer")
        await tap(ada.chat, asked, "Allow")
        await says(ada.chat, "echo: yes, and also look at the weather")

    assert "done" in said(ada.chat)


@pytest.mark.report("R079")
async def test_of_two_devices_the_second_hears_what_the_first_decided(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

        await ada.chat.press(asked, "Allow")
        second = await told(ada.chat, asked, "Don't allow", stale=True, besides=("done",))
        await says(ada.chat, "done")

    assert second == "Ada allowed it."


@pytest.mark.report("R079")
async def test_a_yes_that_quotes_a_decided_card_allows_no_other(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        first = await card(ada.chat, "May I do this?")
        await tap(ada.chat, first, "Allow")
        await says(ada.chat, "done")
        await ada.chat.say("Write more")
        second = await card(ada.chat, "May I do this?", below=first)

        await ada.chat.reply(first, "yes")
        await says(ada.chat, "Ada allowed it.")
        left = labels(now(ada.chat, second))

    assert left == ["Allow", "Always in this chat", "Don't allow"]
    assert said(ada.chat).count("done") == 1


@pytest.mark.report("R079")
async def test_what_somebody_else_presses_is_told_to_be_not_theirs_and_stays_usable(
    tmp_path: Path, messenger: AppUnderTest
) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        bob = await messenger.another(app, ada, "Bob")
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

        own = bob.chat if messenger.kind == "slack" else None  # a line never stands in somebody else's chat there
        note = await told(opened_by(bob, ada.chat), asked, "Allow", lines_in=own)
        still = labels(now(ada.chat, asked))
        await tap(ada.chat, asked, "Don't allow")
        await says(ada.chat, "not done")

    assert note == NOTES[Denied.FOREIGN]
    assert still == ["Allow", "Always in this chat", "Don't allow"]


@pytest.mark.report("R077")
async def test_a_restart_closes_what_waited_and_does_nothing(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Write it down")
        asked = await card(ada.chat, "May I do this?")

    async with messenger.living(tmp_path, gather_ms=0, script=wanting()) as app:
        await shows(ada.chat, asked, *ASKED, "Skipped: I was restarted.")
        await messenger.ready(app, ada.channel_id)
        late = await told(ada.chat, asked, "Allow", stale=True)

    assert late == "Skipped: I was restarted."
    assert "done" not in said(ada.chat)


# ---- a plan ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "answer", "line"),
    [
        ("Start", "started", "Ada said: start."),
        ("yes", "started", "Ada said: start."),
        ("Keep planning", "kept planning", "Ada wants to keep planning."),
        ("no", "kept planning", "Ada wants to keep planning."),
    ],
)
async def test_a_plan_is_shown_and_started_or_kept(
    tmp_path: Path, messenger: AppUnderTest, how: str, answer: str, line: str
) -> None:
    plan = "I tidy *up*.\n\n1. Look around\n2. Clean"
    async with messenger.living(tmp_path, gather_ms=0, script=planning(plan)) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "/plan")
        await ada.chat.say("Tidy up")
        asked = await card(ada.chat, "Shall I start")
        shown = lines(ada.chat)[-2]

        await (tap(ada.chat, asked, how) if how in labels(asked) else ada.chat.say(how))
        await says(ada.chat, answer)
        await shows(ada.chat, asked, "Shall I start with this plan?", line)

    assert shown == "The plan\nI tidy up.\n○ Look around\n○ Clean"
    assert labels(asked) == ["Start", "Keep planning"]


async def test_a_long_plan_is_shown_whole_before_it_may_start(tmp_path: Path, messenger: AppUnderTest) -> None:
    steps = [f"{number}. Step {number} <b>bold</b> {'lorem ' * 105}" for number in range(1, 31)]
    plan = "\n".join(steps)[:19_990].rstrip() + " the end"
    async with messenger.living(tmp_path, gather_ms=0, script=planning(plan)) as app:
        ada = await messenger.owner_of(app)
        await messenger.asked(ada.chat, "/plan")
        await ada.chat.say("Tidy up")
        asked = await card(ada.chat, "Shall I start")
        shown = "\n".join(said(ada.chat)[:-1])

        await tap(ada.chat, asked, "Start")
        await says(ada.chat, "started")

    assert "the end" in shown
    assert all(f"Step {number} <b>bold</b>" in shown for number in range(1, 31))


async def test_the_checklist_is_one_message_that_goes_along_and_folds(tmp_path: Path, messenger: AppUnderTest) -> None:
    on, end = asyncio.Event(), asyncio.Event()

    def steps(*states: str) -> Plan:
        titles = ("Look *here*", "Clean")
        return Plan(
            tuple(PlanStep.model_validate({"title": t, "state": s}) for t, s in zip(titles, states, strict=True))
        )

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text != "Tidy up":
            yield from echo(turn, earlier)
            return
        yield steps("active", "pending")
        yield Until(on)
        yield steps("done", "active")
        yield Until(end)
        yield steps("done", "done")
        yield Text("All done.")

    async with messenger.living(tmp_path, gather_ms=0, script=script) as app:
        ada = await messenger.owner_of(app)
        await ada.chat.say("Tidy up")
        await says(ada.chat, "◐ Look *here*\n○ Clean")
        first = lasting(ada.chat.answers)[-1].id
        on.set()
        await says(ada.chat, "✓ Look *here*\n◐ Clean")
        end.set()
        await says(ada.chat, "✓ 2 of 2 done")
        await says(ada.chat, "All done.")

    assert lines(ada.chat) == ["✓ 2 of 2 done", "All done."]
    assert lasting(ada.chat.answers)[1].id == first
