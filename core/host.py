"""What an engine may call back while it answers: host tools, permissions for its own tools, questions of its own.

Before every call it is decided anew whether it may run. The engine sees the text of an answer and nothing else.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from core.asking import Asking
from core.cards import Question
from core.clock import Clock
from core.desk import TurnDesk
from core.engines.base import EXIT_PLAN_MODE, KEEP_PLANNING, START, Frame, Host, ToolAnswer
from core.events import Mode, Notice
from core.framing import Framing
from core.offers.desk import OfferDesk
from core.plans import MAX_PLAN, plan_from
from core.record import storable
from core.replies import Suggested
from core.safety.guard import guarded
from core.safety.permissions import Allow, Ask, Deny, ToolCall, ToolKind, action_of, decide
from core.store.database import Database
from core.turn import Opened

NOT_ALLOWED: Final = "The person did not allow this. Do not try it in another way; go on without it, or ask what to do."
NO_ANSWER: Final = "Nobody answered in time, so this was not allowed. Go on without it, and say so."

_POWER: Final = tuple(Mode)
"""Modes, the weakest first."""


class Hosts(Protocol):
    """Makes the host of a turn."""

    def host_of(self, opened: Opened, suggested: Suggested) -> Host:
        """For a turn that was opened and has not begun; what it suggests to send next it puts into `suggested`."""
        ...


class TurnHosts:
    """Hosts of turns whose people can be asked, where somebody is there."""

    def __init__(self, framing: Framing, asking: Asking, offers: OfferDesk, database: Database, clock: Clock) -> None:
        self._framing = framing
        self._offers = offers
        self._asking = asking
        self._database = database
        self._clock = clock

    def host_of(self, opened: Opened, suggested: Suggested) -> Host:
        """One with a desk of its own."""
        desk = TurnDesk(opened, self._asking, self._offers, self._database, self._clock, suggested)
        return TurnHost(opened, self._framing, desk)


class TurnHost:
    """The host of one turn.

    A mode that somebody switched to while the turn runs counts for it where it allows less; only the start of a plan
    lets the rest of the turn do more.
    """

    def __init__(self, opened: Opened, framing: Framing, desk: TurnDesk) -> None:
        self._opened = opened
        self._framing = framing
        self._desk = desk
        self._state = opened.state
        self._most = framing.mode(opened.state)
        self._noted = False

    def frame(self) -> Frame:
        """As at the start, but for the mode and what goes with it."""
        state = self._opened.state
        options = state.options.model_copy(update={"mode": self._mode})
        return self._framing.frame(self._opened, state.model_copy(update={"options": options}))

    async def call_tool(self, call_id: str, name: str, args: Mapping[str, Any]) -> ToolAnswer:
        """Run one of the tools that the turn has now."""
        args = storable(args)
        await self._look()
        tools = self._framing.tools(self._opened, self._desk.here, self._mode)
        tool = next((tool for tool in tools if tool.spec.name == name), None)
        if tool is None:
            return ToolAnswer(f"There is no tool named {name!r} here.", failed=True)
        refused = await self._refused(ToolCall(name, args, tool.kind))
        if refused is not None:
            return ToolAnswer(refused, failed=True)
        answer = await tool.run(self._desk, args)
        if name == EXIT_PLAN_MODE and not answer.failed:
            await self._start()
        return answer

    async def permit(self, call_id: str, title: str, args: Mapping[str, Any], options: Sequence[str]) -> str | None:
        """Whether a tool of the engine's own may run: the first option is the yes, None is no.

        What such a tool does at most, nobody says, so it counts as a change elsewhere.
        """
        title, args = storable(title), storable(args)
        if title == EXIT_PLAN_MODE and START in options:
            return await self._may_start(args)
        await self._look()
        kind = ToolKind.COMMAND if "command" in args else ToolKind.ELSEWHERE
        refused = await self._refused(ToolCall(title, args, kind))
        return options[0] if refused is None and options else None

    async def question(self, question: Question) -> Mapping[str, Any] | None:
        """The values by field. Typed words that are no field's value come as the first one's, for they must arrive."""
        if not self._desk.attended:
            return None
        answered = await self._desk.ask(question)
        if answered.answer is None and answered.words is not None:
            return {question.fields[0].id: answered.words}
        return answered.answer

    @property
    def _mode(self) -> Mode:
        return min(self._most, self._framing.mode(self._state), key=_POWER.index)

    async def _look(self) -> None:
        self._state = await self._desk.state()

    async def _may_start(self, args: Mapping[str, Any]) -> str | None:
        """Put the engine's own plan; one that is too long is cut, for the engine has no way to put it again."""
        plan = plan_from({"plan": str(args.get("plan") or "")[:MAX_PLAN]})
        if not self._desk.attended or plan is None:
            return KEEP_PLANNING
        resolved = await self._desk.approve(plan)
        if resolved.decision == "allow":
            await self._start()
            return START
        return KEEP_PLANNING if resolved.decision == "deny" else None

    async def _start(self) -> None:
        """The rest of the turn runs in the mode that the chat is in now."""
        await self._look()
        self._most = self._framing.mode(self._state)

    async def _refused(self, call: ToolCall) -> str | None:
        """Decide about a call, and ask where somebody has to; None when it may run, else why not, for the model."""
        here, state, mode = self._desk.here, self._state, self._mode
        held = guarded(state, call, mode=mode, own_words=here.own_words)
        always = action_of(call.name, call.args) in state.always
        match decide(call, mode=mode, guest=here.guest, guarded=held, always=always):
            case Allow(note):
                await self._note(note)
                return None
            case Deny(reason):
                return reason
            case Ask() as ask:
                resolved = await self._desk.permission(call.name, call.args, ask)
        if resolved.decision in ("allow", "allow-always"):
            return None
        return NO_ANSWER if resolved.decision == "expired" else NOT_ALLOWED

    async def _note(self, note: str | None) -> None:
        """Say once in a turn that Full trust let something through."""
        if note is not None and not self._noted:
            self._noted = True
            await self._desk.record(
                Notice(code="went-ahead", message=f"{note} In Full trust I went ahead all the same.")
            )
