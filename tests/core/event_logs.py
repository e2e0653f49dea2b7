"""Logs for tests: hand-written ones by `log`, random ones by `logs`, in which ids repeat and much is out of place."""

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import strategies as st

from core import cards
from core import events as ev

START = datetime(2026, 1, 1, tzinfo=UTC)
OWNER = ev.Origin(kind="console")


def log(*data: ev.EventData, start: int = 0) -> list[ev.Event]:
    """These events, one after the other, from seq `start` on."""
    return [ev.Event("c", start + number, START, item) for number, item in enumerate(data)]


def said(text: str = "hello", *, others_words: bool = False) -> ev.UserMessage:
    return ev.UserMessage(message_id="m", text=text, origin=OWNER, others_words=others_words)


def answered(text: str = "hi") -> ev.AssistantMessage:
    return ev.AssistantMessage(message_id="a", text=text)


def started(engine: str = "demo") -> ev.TurnStarted:
    return ev.TurnStarted(engine=engine)


def completed(engine: str = "demo") -> ev.TurnCompleted:
    return ev.TurnCompleted(outcome="success", engine=engine)


def offered(offer_id: str = "o1") -> ev.OfferShown:
    offer = cards.Offer(
        offer_id=offer_id,
        kind=cards.OfferKind.APP,
        target="calendar",
        name="Calendar",
        description="Your appointments",
        why="You asked for today",
        by="assistant",
        request="what is on today?",
    )
    return ev.OfferShown(offer=offer)


def asked(question_id: str = "q1", label: str = "When?") -> ev.QuestionAsked:
    field = cards.TextField(id="when", label=label)
    return ev.QuestionAsked(question=cards.Question(question_id=question_id, fields=(field,)))


def wants_permission(permission_id: str = "p1", summary: str = "Send a mail") -> ev.PermissionRequested:
    return ev.PermissionRequested(permission_id=permission_id, tool_name="send_mail", summary=summary)


def used_skill(skill_id: str, *holds: str) -> ev.SkillUsed:
    return ev.SkillUsed(skill_id=skill_id, name=skill_id, title=skill_id.title(), by="owner", holds=holds)


def ids(letter: str, count: int = 3) -> st.SearchStrategy[str]:
    return st.sampled_from([f"{letter}{number}" for number in range(1, count + 1)])


words = st.sampled_from(["", "yes", "no", "a  b\nc", "é" * 5])
chips = st.lists(st.builds(cards.ReplySuggestion, text=st.sampled_from(["go on", "stop"])), max_size=2).map(tuple)
steps = st.lists(
    st.builds(cards.PlanStep, title=st.sampled_from(["look", "mend"]), state=st.sampled_from(["pending", "done"])),
    max_size=2,
).map(tuple)
hold_names = st.lists(st.sampled_from(["network", "mail", "files"]), max_size=2, unique=True)

Strategy = st.SearchStrategy[ev.EventData]

turns: Strategy = st.one_of(
    st.builds(ev.TurnStarted, engine=ids("e"), trigger=st.sampled_from(ev.Trigger)),
    st.builds(ev.TurnStarted, engine=ids("e")),
    st.builds(ev.TurnCompleted, outcome=st.sampled_from(["success", "interrupted", "error"]), engine=ids("e")),
    st.builds(ev.TurnRouted, from_engine=ids("e"), to_engine=ids("e"), reason=words),
)
waits: Strategy = st.one_of(
    st.builds(ev.ToolStarted, tool_use_id=ids("t"), name=ids("n")),
    st.builds(ev.ToolFinished, tool_use_id=ids("t"), name=ids("n"), status=st.sampled_from(["ok", "error"])),
    st.builds(wants_permission, ids("p")),
    st.builds(ev.PermissionResolved, permission_id=ids("p"), decision=st.sampled_from(["allow", "deny", "expired"])),
    st.builds(asked, ids("q")),
    st.builds(ev.QuestionAnswered, question_id=ids("q"), answer=st.none() | st.just({"when": "now"})),
)
offers: Strategy = st.one_of(
    st.builds(offered, ids("o")),
    st.builds(ev.OfferResolved, offer_id=ids("o"), outcome=st.sampled_from(["accepted", "dismissed", "expired"])),
    st.builds(ev.Replies, replies=chips),
)
memory: Strategy = st.one_of(
    st.just(ev.ContextCleared()),
    st.builds(ev.ContextRestored, cleared_seq=st.integers(0, 3)),
    st.builds(ev.ContextCompacted, summary=words, before_seq=st.integers(0, 20), engine=ids("e")),
    st.builds(ev.PlanUpdated, steps=steps),
    st.builds(said, words, others_words=st.booleans()),
)
marks: Strategy = st.one_of(
    st.builds(ev.GoalSet, goal=st.none() | st.just("") | ids("g")),
    st.builds(ev.OptionsSet, engine=st.none() | ids("e"), mode=st.none() | st.sampled_from(ev.Mode)),
    st.builds(ev.Tainted, source=st.sampled_from(["web", "app", "person"]), label=ids("l", 8)),
    hold_names.flatmap(lambda holds: ids("s").map(lambda skill: used_skill(skill, *holds))),
    st.builds(ev.SkillHoldEnded, skill_id=ids("s"), reason=words),
)
telling: Strategy = st.one_of(
    st.builds(answered, words),
    st.builds(ev.TurnHeld, reason=st.sampled_from(["offline", "no-engine"])),
    st.builds(
        ev.ArtifactChanged, artifact_id=words, title=words, kind=st.just("svg"), version=st.just(1), action=words
    ),
    st.builds(ev.TitleSet, title=words),
    st.builds(ev.Notice, code=words, message=words),
    st.builds(ev.StatusChanged, status=st.sampled_from(ev.Status)),
    st.builds(ev.AppNeedsSignIn, app_id=words, name=words),
    st.builds(ev.RoutineDrafted, routine_id=words, title=words, schedule=words),
    st.just(ev.Unknown(type="hologram", raw={"size": 3})),
)

TOPICS: dict[str, Strategy] = {
    "turns": turns | waits,
    "waits": waits | st.just(started()),
    "offers": offers | turns | memory,
    "chips": offers | telling | turns,
    "memory": memory | turns,
    "marks": marks | memory,
    "everything": turns | waits | offers | memory | marks | telling,
}
"""What logs are about; in a narrow one the same things meet more often."""


def _naming_clears(data: Sequence[ev.EventData]) -> list[ev.EventData]:
    """Restores name the newest clear but n, so that many of them are right; the rest stay out of place."""
    clears: list[int] = []
    out: list[ev.EventData] = []
    for seq, item in enumerate(data):
        if isinstance(item, ev.ContextCleared):
            clears.append(seq)
        if isinstance(item, ev.ContextRestored) and item.cleared_seq < len(clears):
            out.append(ev.ContextRestored(cleared_seq=clears[-1 - item.cleared_seq]))
        else:
            out.append(item)
    return out


def logs(data: Strategy = TOPICS["everything"], *, max_size: int = 40) -> st.SearchStrategy[list[ev.Event]]:
    """Random logs of a conversation, without gaps, of every length up to `max_size`."""
    sizes = st.integers(0, max_size)
    return sizes.flatmap(lambda n: st.lists(data, min_size=n, max_size=n)).map(
        lambda items: log(*_naming_clears(items))
    )
