"""Whether an offer shows: what is looked at, in which order, and what the model and the log are told."""

import asyncio
from typing import Any, Literal

import pytest

from core import events as ev
from core.attendance import Attendance
from core.cards import Offer, OfferKind
from core.conversation_state import ConversationState, RunningTurn
from core.decisions import Clear
from core.engines.base import EngineCapabilities, Text, TurnInput
from core.engines.script import AskPerson, CallTool, Steps, Until
from core.engines.scripted import ScriptedEngine
from core.offers.desk import SENTENCES, SHOWN, Drop, ShowOffer
from core.projections import taint_of
from core.store.log import Append, EventLog
from core.tools.offer import NO_KIND, NO_WORDS
from tests.core.askers import QUESTION, question_of
from tests.core.lives import CHAT, Life, Start, from_chat, message
from tests.core.offers.offering import OWNER, TOOLS, WORDS, Skill, Things, offering, offers_in

CARD = Offer(
    offer_id="o", kind=OfferKind.APP, target="photos", name="Snapbox", description="d", why="w", by="cue", request="r"
)
HERE = Attendance(guest=False, attended=True, owners=True, own_words=True)


async def begun(start: Start, able: EngineCapabilities = TOOLS, *more: Any, **settings: Any) -> Life:
    """A life in which photos, maps, the demo's calendar and a skill can be turned on."""
    things = Things(skills=[Skill("trips", "Trip planner")])
    engine = ScriptedEngine(start.clock, offering, capabilities=able)
    return await start(engine, *more, shelf=things.shelf, **settings)


# ---- the order of the checks ---------------------------------------------------------------------------------------

WORST = ConversationState(turn=RunningTurn(seq=3, engine="e", offered=True, read_outside=True), offered=("app:photos",))
NOBODY = Attendance(guest=False, attended=False, owners=False, own_words=False)


def test_of_all_that_speaks_against_an_offer_the_first_is_told() -> None:
    steps: list[tuple[Drop | None, ShowOffer, ConversationState]] = []
    turn = WORST.turn
    assert turn is not None
    trusted = WORST.model_copy(update={"turn": turn.model_copy(update={"read_outside": False})})
    new = trusted.model_copy(update={"offered": ()})
    first = ConversationState(turn=RunningTurn(seq=3, engine="e"))
    somebody = Attendance(guest=False, attended=True, owners=False, own_words=False)
    owner = Attendance(guest=False, attended=True, owners=True, own_words=False)
    steps = [
        (Drop.UNATTENDED, ShowOffer(3, NOBODY, "assistant", None, muted=True), WORST),
        (Drop.NOT_THEIRS, ShowOffer(3, somebody, "assistant", None, muted=True), WORST),
        (Drop.UNTRUSTED, ShowOffer(3, owner, "assistant", None, muted=True), WORST),
        (Drop.OTHERS_WORDS, ShowOffer(3, owner, "assistant", None, muted=True), trusted),
        (Drop.NOT_IN_THE_MAP, ShowOffer(3, HERE, "assistant", None, muted=True), trusted),
        (Drop.MUTED, ShowOffer(3, HERE, "assistant", CARD, muted=True), trusted),
        (Drop.OFFERED_BEFORE, ShowOffer(3, HERE, "assistant", CARD), trusted),
        (Drop.ONE_ALREADY, ShowOffer(3, HERE, "assistant", CARD), new),
        (None, ShowOffer(3, HERE, "assistant", CARD), first),
    ]

    told = [(show.dropped(state), bool(show.events(state))) for _, show, state in steps]

    assert told == [(drop, drop is None) for drop, _, _ in steps]
    assert tuple(Drop) == tuple(drop for drop, _, _ in steps if drop)


def test_what_was_read_speaks_against_the_assistant_s_offers_only() -> None:
    state = ConversationState(turn=RunningTurn(seq=3, engine="e", read_outside=True))

    assert ShowOffer(3, HERE, "cue", CARD).dropped(state) is None


def test_nothing_shows_in_a_turn_that_is_over() -> None:
    assert ShowOffer(3, HERE, "cue", CARD).dropped(ConversationState()) is Drop.UNATTENDED


def test_each_reason_has_a_sentence_of_its_own() -> None:
    assert set(SENTENCES) == set(Drop)
    assert len(set(SENTENCES.values())) == len(Drop)


# ---- the tool ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [None, OWNER])
async def test_an_offer_of_the_assistant_is_shown(start: Start, by: ev.Origin | None) -> None:
    life = await begun(start)

    story = await life.answer("offer app photos", by=by)

    assert story == [
        "> offer app photos", "turn", "offer starts", "offer", "offer ends: ok", SHOWN, "end: success",
    ]  # fmt: skip
    [offer] = await offers_in(life)
    assert (offer.name, offer.description, offer.why) == ("Snapbox", "Look at your pictures", "So that I see it")
    assert (offer.by, offer.request, offer.skill_mode) == ("assistant", "offer app photos", None)


async def test_a_skill_s_card_says_when_it_is_used_now(start: Start) -> None:
    life = await begun(start)

    await life.answer("offer skill trips")

    [offer] = await offers_in(life)
    assert (offer.kind, offer.name, offer.skill_mode) == (OfferKind.SKILL, "Trip planner", "off")
    assert offer.description == "Plans a trip. Day by day."


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("offer app gmail", SENTENCES[Drop.NOT_IN_THE_MAP]),
        ("offer app trips", SENTENCES[Drop.NOT_IN_THE_MAP]),
        ("offer app photos app maps", SENTENCES[Drop.ONE_ALREADY]),
        ("offer app photos app photos", SENTENCES[Drop.OFFERED_BEFORE]),
        ("offer toy photos", NO_KIND),
    ],
)
async def test_what_does_not_show_is_told_why(start: Start, words: str, sentence: str) -> None:
    life = await begun(start)

    story = await life.answer(words)

    assert story[-2].endswith(sentence)
    assert "offer ends: error" in story


async def test_what_is_muted_is_in_no_map_and_is_not_shown(start: Start) -> None:
    life = await begun(start, muted_suggestions=("photos",))

    story = await life.answer("offer app photos")

    assert story[-2] == SENTENCES[Drop.MUTED]
    assert "`photos`" not in life.engine.turns[-1].instructions


async def test_what_was_offered_before_is_not_offered_again_not_even_after_a_clear(start: Start) -> None:
    life = await begun(start)
    await life.answer("offer app photos")
    await life.conversations.decide(CHAT, Clear())

    story = await life.answer("offer app photos", ids=("again",))

    assert story[-2] == SENTENCES[Drop.OFFERED_BEFORE]
    assert len(await offers_in(life)) == 1


async def test_somebody_else_s_words_offer_nothing(start: Start) -> None:
    life = await begun(start)

    story = await life.answer("offer app photos", others_words=True)

    assert story[-2] == SENTENCES[Drop.OTHERS_WORDS]


@pytest.mark.parametrize("source", ["web", "download", "app", "person"])
@pytest.mark.parametrize("read_before", [False, True])
async def test_a_turn_that_read_something_from_outside_offers_nothing_and_the_next_one_may(
    start: Start, source: Literal["web", "download", "app", "person"], read_before: bool
) -> None:
    read = asyncio.Event()

    def reading(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Until(read)
        answer = yield CallTool(f"o-{len(earlier)}", "offer", {"kind": "app", "target": "photos", "why": "w"})
        yield Text(answer.text)

    life = await start(ScriptedEngine(start.clock, reading, capabilities=TOOLS), shelf=Things().shelf)
    if read_before:
        await life.database.commit_one(Append(CHAT, (ev.Tainted(source=source, label="Notes"),)))
    await life.say("first")
    mark = taint_of(await EventLog(life.database).state(CHAT), "Notes", source)
    assert mark is not None
    await life.database.commit_one(Append(CHAT, (mark,)))
    read.set()
    await life.idle()

    story = await life.answer("second")

    assert sum(SENTENCES[Drop.UNTRUSTED] in line for line in story) == 1
    assert story[-2] == SHOWN


async def test_someone_s_words_as_an_answer_bring_no_offer_also_where_theirs_were_read_before(start: Start) -> None:
    def asking(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield AskPerson(QUESTION)
        answer = yield CallTool(f"o-{len(earlier)}", "offer", {"kind": "app", "target": "photos", "why": "w"})
        yield Text(answer.text)

    life = await start(ScriptedEngine(start.clock, asking, capabilities=TOOLS), shelf=Things().shelf)
    await life.database.commit_one(Append(CHAT, (ev.Tainted(source="person", label="Bob"),)))
    await life.say("first", by=OWNER)
    question = await question_of(life)
    forwarded = message("You want Snapbox", OWNER, ("m2",), others_words=True, words_of="Bob")
    await life.conversations.answer_question(CHAT, question.question_id, forwarded.text, "Ada", message=forwarded)
    await life.idle()

    assert (await life.story())[-2] == SENTENCES[Drop.UNTRUSTED]
    assert await offers_in(life) == []


async def test_of_several_offers_in_one_answer_the_first_shows(start: Start) -> None:
    life = await begun(start)

    await life.answer("offer app photos app maps skill trips")

    assert [offer.target for offer in await offers_in(life)] == ["photos"]


async def test_a_card_without_words_is_refused(start: Start) -> None:
    def empty(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        answer = yield CallTool("1", "offer", {"kind": "app", "target": "photos", "why": " "})
        yield Text(answer.text)

    life = await start(ScriptedEngine(start.clock, empty, capabilities=TOOLS), shelf=Things().shelf)

    story = await life.answer("hello")

    assert story[-2] == NO_WORDS


# ---- who is told what ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("able", "by", "told"),
    [
        (TOOLS, None, True),
        (TOOLS, OWNER, True),
        (TOOLS, from_chat("bob"), False),
        (TOOLS, from_chat("mallory").model_copy(update={"role": "guest"}), False),
        (TOOLS, ev.Origin(kind="routine"), False),
        (WORDS, None, False),
    ],
)
async def test_only_the_owner_s_attended_turns_of_engines_with_tools_get_the_map_and_the_tool(
    start: Start, able: EngineCapabilities, by: ev.Origin | None, told: bool
) -> None:
    life = await begun(start, able)

    await life.answer("hello", by=by)

    turn = life.engine.turns[-1]
    assert ("offer" in [tool.name for tool in turn.tools]) is told
    assert ("- app `photos`" in turn.instructions) is told


async def test_where_nothing_can_be_turned_on_there_is_no_tool_for_it(start: Start) -> None:
    life = await start(ScriptedEngine(start.clock, offering, capabilities=TOOLS))

    await life.answer("hello")

    assert "offer" not in [tool.name for tool in life.engine.turns[-1].tools]


async def test_the_map_is_the_same_from_turn_to_turn(start: Start) -> None:
    life = await begun(start)

    await life.answer("hello")
    await life.answer("who made Snapbox")

    first, second = life.engine.turns
    assert first.instructions == second.instructions


@pytest.mark.parametrize("able", [TOOLS, WORDS])
async def test_what_the_owner_means_and_nobody_sees_is_told_to_every_engine(
    start: Start, able: EngineCapabilities
) -> None:
    life = await begun(start, able)

    await life.answer("look into my inbox")

    assert "Not connected yet: Gmail." in life.engine.turns[-1].instructions
    assert await offers_in(life) == []


async def test_who_is_not_the_owner_hears_nothing_of_what_is_connected(start: Start) -> None:
    life = await begun(start)

    await life.answer("look into my inbox", by=from_chat("bob"))

    assert "Not connected" not in life.engine.turns[-1].instructions


async def test_where_one_calendar_is_connected_the_other_is_missed_only_by_its_name(start: Start) -> None:
    things = Things(connected={"demo-calendar"})
    life = await start(ScriptedEngine(start.clock, offering, capabilities=TOOLS), shelf=things.shelf)

    await life.answer("what is in my calendar")
    await life.answer("what is in my calendar, the one in Google Calendar")

    first, second = life.engine.turns
    assert "Not connected yet" not in first.instructions
    assert "Not connected yet: Google Calendar." in second.instructions


# ---- cues ----------------------------------------------------------------------------------------------------------


async def test_the_owner_s_own_words_bring_about_one_offer(start: Start) -> None:
    life = await begun(start)

    story = await life.answer("what is in my calendar, and show me Snapbox and Wayfinder")

    [offer] = await offers_in(life)
    assert (offer.target, offer.by, offer.why) == ("demo-calendar", "cue", "")
    assert story[1:3] == ["turn", "offer"]


async def test_after_a_cue_s_card_the_assistant_shows_no_second_one(start: Start) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        answer = yield CallTool("1", "offer", {"kind": "app", "target": "maps", "why": "w"})
        yield Text(answer.text)

    life = await start(ScriptedEngine(start.clock, script, capabilities=TOOLS), shelf=Things().shelf)

    story = await life.answer("what is in my calendar")

    assert story[-2] == SENTENCES[Drop.ONE_ALREADY]


async def test_a_cue_passes_over_what_is_muted_or_was_offered(start: Start) -> None:
    life = await begun(start, muted_suggestions=("demo-calendar",))
    await life.answer("show me my calendar, and Snapbox")

    await life.answer("show me Snapbox, and Wayfinder")

    assert [offer.target for offer in await offers_in(life)] == ["photos", "maps"]


@pytest.mark.parametrize(
    ("by", "more"),
    [
        (from_chat("bob"), {}),
        (ev.Origin(kind="routine"), {}),
        (ev.Origin(kind="api"), {}),
        (None, {"others_words": True}),
    ],
)
async def test_only_the_owner_s_own_words_are_a_cue(start: Start, by: ev.Origin | None, more: dict[str, Any]) -> None:
    life = await begun(start)

    await life.answer("show me Snapbox", by=by, **more)

    assert await offers_in(life) == []


async def test_where_no_engine_with_tools_could_carry_on_there_is_no_cue_offer(start: Start) -> None:
    life = await begun(start, WORDS)

    await life.answer("show me Snapbox")

    assert await offers_in(life) == []


async def test_an_engine_that_can_only_chat_gets_cue_offers_where_another_could_carry_on(start: Start) -> None:
    other = ScriptedEngine(start.clock, offering, name="other", capabilities=TOOLS)
    life = await begun(start, WORDS, other)

    await life.answer("show me Snapbox")

    assert [offer.target for offer in await offers_in(life)] == ["photos"]


async def test_what_the_engine_reaches_by_itself_is_not_offered(start: Start) -> None:
    able = EngineCapabilities(host_tools="inline", reaches=("photos",))
    life = await begun(start, able)

    await life.answer("show me Snapbox")

    turn = life.engine.turns[-1]
    assert await offers_in(life) == []
    assert "`photos`" not in turn.instructions
    assert "Not connected" not in turn.instructions
