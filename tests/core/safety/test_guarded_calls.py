"""Every call of a turn, in every mode, whatever its chat read and whatever a skill holds: by the host, before it runs.

The table is written out once more here, so that a mistake in ours is seen.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

import pytest

from core.attendance import Attendance, attendance
from core.clock import ManualClock
from core.conversation_state import ConversationState, SkillHold, TaintMark
from core.engines.base import EngineCapabilities, HostTool, HostToolResult, ToolAnswer
from core.engines.registry import Engines
from core.engines.scripted import ScriptedEngine
from core.events import EventData, Mode, Notice, OptionsSet, Origin, PermissionResolved
from core.framing import Framing
from core.host import NO_ANSWER, NOT_ALLOWED, TurnHost
from core.offers.desk import NOTHING, OfferDesk
from core.opened import Opened
from core.preferences import Preferences
from core.safety.permissions import PLANNING, Ask, ToolKind, action_of
from core.settings import Settings
from core.store.queue import QueuedMessage
from core.tools.tool import Desk
from tests.core.lives import echo

TABLE: Final[Mapping[Mode, str]] = {
    # read, in the work folder, elsewhere, send, run a command
    Mode.PLAN: "allow deny deny deny deny",
    Mode.ASK: "allow ask ask ask ask",
    Mode.EDIT: "allow allow ask ask ask",
    Mode.AUTO: "allow allow ask ask ask",
    Mode.FULL: "allow allow allow allow allow",
}
WEB = TaintMark(source="web", label="example.org")


@dataclass(frozen=True)
class Case:
    """A call in a chat that is so."""

    mode: Mode
    kind: ToolKind
    tainted: bool
    held: bool
    own_words: bool
    always: bool

    @property
    def verdict(self) -> str:
        """What has to become of it."""
        by_mode = TABLE[self.mode].split()[list(ToolKind).index(self.kind)]
        changes = self.kind is not ToolKind.READ
        trusted = self.mode is Mode.FULL and self.own_words
        if by_mode == "deny":
            return "deny"
        if self.held or (self.tainted and changes and not trusted):
            return "ask"
        if by_mode == "ask":
            return "allow" if self.always else "ask"
        return "allow"

    @property
    def state(self) -> ConversationState:
        """The conversation."""
        holds = (SkillHold(skill_id="s", title="Bookings", holds=(self.kind.value,)),) if self.held else ()
        return ConversationState(
            options=OptionsSet(mode=self.mode),
            taint=(WEB,) if self.tainted else (),
            holds=holds,
            always=(action_of("act", {}),) if self.always else (),
        )


def cases() -> Iterator[Case]:
    """All there are."""
    both = (False, True)
    for each in product(Mode, ToolKind, both, both, both, both):
        yield Case(*each)


@dataclass
class Acting:
    """A tool of this kind, which counts its runs."""

    kind: ToolKind
    ran: int = 0
    spec: HostTool = field(default_factory=lambda: HostTool("act", "Acts.", {"type": "object"}))

    async def run(self, desk: Desk, args: Mapping[str, Any]) -> ToolAnswer:
        self.ran += 1
        return HostToolResult("done")


@dataclass
class Answering:
    """A desk at which every question about a call gets this answer."""

    here: Attendance
    now: ConversationState
    decision: str
    asked: list[Ask] = field(default_factory=list)
    recorded: list[EventData] = field(default_factory=list)

    async def state(self) -> ConversationState:
        return self.now

    async def record(self, *events: EventData) -> None:
        self.recorded += events

    async def permission(self, title: str, args: Mapping[str, Any], ask: Ask) -> PermissionResolved:
        self.asked.append(ask)
        return PermissionResolved.model_validate({"permission_id": "p", "decision": self.decision, "by": "Ada"})


def turn_of(case: Case, decision: str) -> tuple[TurnHost, Answering, Acting]:
    """The host of a turn of the owner's in a chat that is so, its desk, and the tool."""
    able = EngineCapabilities(host_tools="inline", plan_approval="host")
    engine, preferences = ScriptedEngine(ManualClock(), echo, capabilities=able), Preferences(Settings())
    message = QueuedMessage(text="go", origin=Origin(kind="console"), others_words=not case.own_words)
    tool, desk = Acting(case.kind), Answering(attendance(message), case.state, decision)
    framing = Framing(preferences, OfferDesk(NOTHING, preferences, Engines([engine], preferences)), lambda: [tool])
    opened = Opened("chat", 0, 1, engine, None, case.state, message)
    stand_in: Any = desk
    return TurnHost(opened, framing, stand_in), desk, tool


@pytest.mark.report("R117", "R105")
@pytest.mark.parametrize("decision", ["allow", "deny", "expired"])
async def test_before_every_call_it_is_decided_by_mode_kind_what_was_read_and_what_is_held(decision: str) -> None:
    for case in cases():
        host, desk, tool = turn_of(case, decision)

        answer = await host.call_tool("c", "act", {})

        asked = case.verdict == "ask"
        ran = case.verdict == "allow" or (asked and decision == "allow")
        refusal = PLANNING if case.verdict == "deny" else NO_ANSWER if decision == "expired" else NOT_ALLOWED
        assert (len(desk.asked), tool.ran) == (asked, ran), case
        assert answer.text == ("done" if ran else refusal), case


async def test_what_is_asked_for_what_was_read_or_is_held_has_a_reason_and_no_always() -> None:
    for case in cases():
        host, desk, _ = turn_of(case, "allow-always")

        await host.call_tool("c", "act", {})

        guarded = case.held or (case.tainted and case.kind is not ToolKind.READ)
        assert all((ask.reason is not None) is ask.once is guarded for ask in desk.asked), case


async def test_full_trust_goes_ahead_with_a_note_after_outside_words_and_asks_for_a_hold() -> None:
    told = dict[tuple[bool, bool], tuple[int, int]]()
    for tainted, held in product((False, True), repeat=2):
        host, desk, _ = turn_of(Case(Mode.FULL, ToolKind.SEND, tainted, held, own_words=True, always=True), "deny")

        await host.call_tool("c", "act", {})

        told[tainted, held] = len(desk.asked), sum(isinstance(event, Notice) for event in desk.recorded)

    assert told == {(False, False): (0, 0), (True, False): (0, 1), (False, True): (1, 0), (True, True): (1, 0)}


@pytest.mark.parametrize("command", [True, False])
async def test_a_tool_of_the_engine_s_own_is_held_to_the_same(command: bool) -> None:
    kind, args = (ToolKind.COMMAND, {"command": "ls"}) if command else (ToolKind.ELSEWHERE, {})
    for case in cases():
        if case.kind is not kind or case.always:  # "always" is of other arguments here
            continue
        host, desk, _ = turn_of(case, "deny")

        chosen = await host.permit("c", "theirs", args, ("Yes", "No"))

        assert len(desk.asked) == (case.verdict == "ask"), case
        assert chosen == ("Yes" if case.verdict == "allow" else None), case
