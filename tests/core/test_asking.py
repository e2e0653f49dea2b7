"""What waits for people, and their replies: the first one counts, from wherever it comes, and every wait has an end."""

import asyncio
import random

import pytest

from core import events as ev
from core.asking import LOOK, NOT_WAITING
from core.conversations import Answered, Resolved, SendOutcome
from core.engines.base import Text, TurnInput
from core.engines.script import AskPermission, Steps
from core.repeat import seq_to_repeat
from core.store.log import EventLog
from tests.core.askers import asker, newest, permission_of, question_of, waits
from tests.core.lives import CHAT, Life, Start, from_chat, message, until


@pytest.fixture
async def life(start: Start) -> Life:
    return await start(asker)


# ---- questions -----------------------------------------------------------------------------------------------------


async def test_an_answer_lets_the_turn_go_on(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    answered = await life.conversations.answer_question(CHAT, question.question_id, {"drink": "t"}, "Ada")
    await life.idle()

    assert answered == Answered("answered", "Tea")
    assert (await life.story())[2:] == [
        "ask starts",
        "question",
        "question.answered",
        "ask ends: ok",
        'The person answered. Tea\nExact values: {"drink": "t"}',
        "end: success",
    ]
    kept = await newest(life, ev.QuestionAnswered)
    assert (kept.answer, kept.words, kept.by, kept.expired) == ({"drink": "t"}, "Tea", "Ada", False)


async def test_an_engine_s_own_question_gets_the_values(life: Life) -> None:
    await life.say("question")
    question = await question_of(life)

    await life.conversations.answer_question(CHAT, question.question_id, {"drink": "c"}, "Ada")
    await life.idle()

    assert "values: {'drink': 'c'}" in await life.story()
    assert question.question_id != "engine-s-own"


async def test_what_does_not_fit_is_said_and_the_question_still_waits(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    wrong = await life.conversations.answer_question(CHAT, question.question_id, {"drink": "milk"}, "Ada")
    right = await life.conversations.answer_question(CHAT, question.question_id, {"drink": "t"}, "Ada")

    assert wrong == Answered("invalid", "“What may I bring?”: that is none of the choices.")
    assert right.outcome == "answered"


async def test_a_skipped_question_is_left_to_the_model(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    skipped = await life.conversations.answer_question(CHAT, question.question_id, None, "Ada")
    await life.idle()

    assert skipped == Answered("answered", None)
    assert "best judgement" in (await life.story())[-2]


@pytest.mark.report("R073")
async def test_typed_words_are_logged_with_the_answer_and_start_no_turn(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    typed = message("only water, please", from_chat("ada"), ("m2",))
    answered = await life.conversations.answer_question(CHAT, question.question_id, typed.text, "Ada", message=typed)
    await life.idle()

    assert answered == Answered("answered", "only water, please")
    story = await life.story()
    assert story[3:6] == ["question", "> only water, please", "question.answered"]
    assert story.count("turn") == 1
    assert 'typed: "only water, please"' in story[-2]
    assert (await newest(life, ev.QuestionAnswered)).answer is None


async def test_typed_words_that_are_the_field_s_value_are_that_value(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    await life.conversations.answer_question(CHAT, question.question_id, " coffee ", "Ada")

    assert (await newest(life, ev.QuestionAnswered)).answer == {"drink": "c"}


async def test_the_same_message_again_is_the_same_answer(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)
    typed = message("tea", from_chat("ada"), ("m2",))

    twice = [
        await life.conversations.answer_question(CHAT, question.question_id, "tea", "Ada", message=typed)
        for _ in range(2)
    ]
    await life.idle()

    assert [answered.outcome for answered in twice] == ["answered", "answered"]
    assert (await life.story()).count("> tea") == 1


async def test_words_that_came_too_late_for_the_question_can_still_be_sent(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)
    await life.conversations.answer_question(CHAT, question.question_id, {"drink": "t"}, "Bob")
    await life.idle()
    late = message("coffee", from_chat("ada"), ("m2",))

    answered = await life.conversations.answer_question(CHAT, question.question_id, "coffee", "Ada", message=late)
    sent = await life.conversations.send(CHAT, late)

    assert (answered.outcome, answered.sentence) == ("not-found", NOT_WAITING)
    assert answered.earlier is not None
    assert (answered.earlier.words, answered.earlier.by) == ("Tea", "Bob")
    assert sent.outcome is SendOutcome.STARTED


async def test_somebody_else_s_words_as_an_answer_taint_the_chat(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    typed = message("tea", from_chat("bob"), ("m2",), others_words=True, words_of="Bob")
    await life.conversations.answer_question(CHAT, question.question_id, "tea", "Bob", message=typed)

    state = await EventLog(life.database).state(CHAT)
    assert [mark.label for mark in state.taint] == ["Bob"]


async def test_a_typed_answer_is_not_what_trying_again_repeats(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)
    typed = message("tea", from_chat("ada"), ("m2",))
    await life.conversations.answer_question(CHAT, question.question_id, "tea", "Ada", message=typed)
    await life.idle()

    seq = seq_to_repeat(await EventLog(life.database).state(CHAT))

    assert seq is not None
    [event] = await EventLog(life.database).read(CHAT, after=seq - 1, limit=1)
    assert isinstance(event.data, ev.UserMessage)
    assert event.data.text == "ask"


@pytest.mark.report("R079")
async def test_an_unknown_question_is_not_found(life: Life) -> None:
    await life.answer("hello")

    answered = await life.conversations.answer_question(CHAT, "nothing", "tea", "Ada")

    assert answered == Answered("not-found", NOT_WAITING)


async def test_a_question_is_answered_in_its_own_chat_only(life: Life) -> None:
    await life.say("ask", to="one")
    await life.say("ask", to="other")
    one, other = await question_of(life, "one"), await question_of(life, "other")

    answered = await life.conversations.answer_question("one", other.question_id, {"drink": "t"}, "Ada")

    assert answered.outcome == "not-found"
    assert waits(life, "one") == [one]


# ---- permissions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("decision", "said"), [("allow", "it ran"), ("deny", "it did not run")])
async def test_a_decision_lets_the_turn_go_on(life: Life, decision: str, said: str) -> None:
    await life.say("permit git push")
    permission = await permission_of(life)

    resolved = await life.conversations.resolve_permission(CHAT, permission.permission_id, decision, "Ada")  # type: ignore[arg-type] # one of them
    await life.idle()

    assert resolved == Resolved("resolved")
    assert permission.summary == "Run `git push`"
    assert (await life.story())[-2] == said


@pytest.mark.report("R105")
async def test_always_covers_this_exact_action_and_no_other(life: Life) -> None:
    await life.say("permit git push")
    permission = await permission_of(life)
    await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow-always", "Ada")
    await life.idle()

    await life.answer("permit git push", ids=("again",))
    again = await life.story()
    await life.say("permit git push --force")
    other = await permission_of(life)

    assert again.count("permission.requested") == 1
    assert again[-2] == "it ran"
    assert other.input == {"command": "git push --force"}


@pytest.mark.report("R105")
async def test_an_interpreter_is_asked_about_each_time_whatever_was_pressed(life: Life) -> None:
    for number in range(2):
        await life.say("permit bash x.sh", ids=(str(number),))
        permission = await permission_of(life)
        assert permission.once
        await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow-always", "Ada")
        await life.idle()

    assert (await life.story()).count("permission.requested") == 2
    assert (await newest(life, ev.PermissionResolved)).decision == "allow"


async def test_always_outlives_a_clear_and_the_process(start: Start, life: Life) -> None:
    await life.say("permit git push")
    permission = await permission_of(life)
    await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow-always", "Ada")
    await life.idle()
    await life.is_over()

    after = await start(asker)
    await after.answer("permit git push", ids=("again",))

    assert (await after.story()).count("permission.requested") == 1


# ---- the first one counts ------------------------------------------------------------------------------------------


@pytest.mark.report("R081")
async def test_of_a_hundred_presses_at_once_one_counts(life: Life) -> None:
    await life.say("permit git push")
    permission = await permission_of(life)
    chance = random.Random(7)

    presses = await asyncio.gather(
        *(
            life.conversations.resolve_permission(
                CHAT, permission.permission_id, chance.choice(("allow", "deny", "allow-always")), f"person {n}"
            )
            for n in range(100)
        )
    )
    await life.idle()

    kept = await newest(life, ev.PermissionResolved)
    assert [press.outcome for press in presses].count("resolved") == 1
    assert {press.earlier for press in presses if press.outcome == "not-found"} == {kept}
    assert (await life.story()).count("permission.resolved") == 1


@pytest.fixture
async def other(start: Start, life: Life) -> Life:
    """Another process on the same database. It hears nothing of what the first one commits."""
    return await start(asker, recover=False)


async def test_an_answer_through_another_process_is_heard_by_a_slow_look(life: Life, other: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    answered = await other.conversations.answer_question(CHAT, question.question_id, {"drink": "t"}, "Ada")
    before = (await life.story()).count("end: success")
    await life.clock.advance(LOOK)
    await life.idle()

    assert answered.outcome == "answered"
    assert before == 0
    assert 'The person answered. Tea\nExact values: {"drink": "t"}' in await life.story()


async def test_of_two_processes_that_answer_at_once_one_counts(life: Life, other: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    both = await asyncio.gather(
        life.conversations.answer_question(CHAT, question.question_id, {"drink": "t"}, "Ada"),
        other.conversations.answer_question(CHAT, question.question_id, {"drink": "c"}, "Bob"),
        return_exceptions=True,
    )
    await life.clock.advance(LOOK)
    await life.idle()

    outcomes = [answered.outcome for answered in both if isinstance(answered, Answered)]
    assert outcomes.count("answered") == 1
    assert (await life.story()).count("question.answered") == 1


# ---- every wait has an end -----------------------------------------------------------------------------------------


@pytest.mark.report("R067", "R153")
async def test_a_question_is_skipped_after_a_day(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)

    await life.clock.advance(24 * 3600 - 1)
    waits = (await life.story()).count("question.answered")
    await life.clock.advance(2)
    await life.idle()

    kept = await newest(life, ev.QuestionAnswered)
    assert waits == 0
    assert (kept.question_id, kept.words, kept.expired) == (question.question_id, None, True)
    assert (await life.story())[-1] == "end: success"


@pytest.mark.report("R067")
async def test_a_press_after_the_time_is_over_hears_that_it_expired(life: Life) -> None:
    await life.say("permit git push")
    permission = await permission_of(life)
    await life.clock.advance(24 * 3600 + 1)
    await life.idle()

    late = await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow", "Ada")

    assert late.outcome == "not-found"
    assert late.earlier is not None
    assert late.earlier.decision == "expired"
    assert (await life.story())[-2] == "it did not run"


async def test_where_nobody_is_there_a_permission_waits_for_an_hour(start: Start) -> None:
    life = await start(asker)
    await life.say("permit git push", by=ev.Origin(kind="routine"))
    await permission_of(life)

    await life.clock.advance(3600 + 1)
    await life.idle()

    assert (await newest(life, ev.PermissionResolved)).decision == "expired"


@pytest.mark.parametrize(
    ("words", "closing"), [("ask", ev.QuestionAnswered), ("permit git push", ev.PermissionResolved)]
)
async def test_a_stop_closes_what_waits_before_the_turn_ends(life: Life, words: str, closing: type) -> None:
    await life.say(words)
    await until(lambda: waits(life))

    await life.stop()

    types = [data.type for data in await life.events()]
    kept = await newest(life, closing)
    assert types.index(kept.type) < types.index("turn.completed")
    assert types.count(kept.type) == 1
    assert kept.by is None
    assert (await life.story())[-1] == "end: interrupted stop"


@pytest.mark.report("R077")
async def test_a_restart_closes_what_waits_and_says_so(start: Start, life: Life) -> None:
    await life.say("ask", to="one")
    await life.say("permit git push", to="other")
    question, permission = await question_of(life, "one"), await permission_of(life, "other")
    await life.is_killed()

    after = await start(asker)

    answered = await after.conversations.answer_question("one", question.question_id, {"drink": "t"}, "Ada")
    resolved = await after.conversations.resolve_permission("other", permission.permission_id, "allow", "Ada")
    assert (answered.outcome, resolved.outcome) == ("not-found", "not-found")
    assert (await newest(after, ev.QuestionAnswered, "one")).words is None
    assert (await newest(after, ev.PermissionResolved, "other")).decision == "expired"
    assert (await after.story("one"))[-1] == "end: interrupted restart"


async def test_what_is_said_meanwhile_waits_and_goes_next(life: Life) -> None:
    await life.say("permit git push")
    permission = await permission_of(life)

    sent = await life.say("hello")
    await life.conversations.resolve_permission(CHAT, permission.permission_id, "deny", "Ada")
    await life.idle()

    assert sent.outcome is SendOutcome.QUEUED
    assert (await life.story())[-2:] == ["echo: hello", "end: success"]


async def test_nothing_is_left_in_memory_of_what_was_answered(life: Life) -> None:
    await life.say("ask")
    question = await question_of(life)
    await life.conversations.answer_question(CHAT, question.question_id, None, "Ada")
    await life.idle()

    assert life.conversations.active == 0
    assert life.clock.sleeping == 0


async def test_one_permission_after_the_other_is_asked_for(start: Start) -> None:
    def both(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        first = yield AskPermission("1", "one", {}, ("Yes",), "Yes")
        second = yield AskPermission("2", "two", {}, ("Yes",), "Yes")
        yield Text(f"{first} {second}")

    life = await start(both)
    await life.say("go")
    for name in ("one", "two"):
        permission = await permission_of(life)
        assert permission.tool_name == name
        await life.conversations.resolve_permission(CHAT, permission.permission_id, "allow", "Ada")
    await life.idle()

    assert (await life.story())[-2] == "True True"


async def test_a_turn_that_ends_while_nothing_can_be_stored_waits_for_nobody(life: Life) -> None:
    await life.say("ask")
    await question_of(life)
    life.database.is_down = True

    stopping = asyncio.create_task(life.conversations.drain(grace=0))
    while not stopping.done():
        await life.clock.advance(4)
    life.database.is_down = False

    assert (await EventLog(life.database).state(CHAT)).waiting_question is not None


async def test_the_end_of_the_program_waits_for_no_person(life: Life) -> None:
    await life.say("ask")
    await question_of(life)
    before = life.clock.monotonic()

    await life.conversations.drain()

    assert life.clock.monotonic() == before
    assert (await life.story())[-1] == "end: interrupted restart"
