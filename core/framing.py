"""What holds while an engine answers: the system text, the mode and the tools, by what the conversation is now."""

from collections.abc import Callable, Sequence

from core.attendance import Attendance, attendance
from core.conversation_state import ConversationState
from core.engines.base import Frame
from core.events import Mode, Origin
from core.offers.desk import OfferDesk
from core.preferences import Preferences
from core.prompt import Persona, Place, Role, instructions
from core.skills.calling import section
from core.tools.table import offered
from core.tools.tool import Tool
from core.tools.use_skill import USE_SKILL
from core.turn import Opened


class Framing:
    """Makes frames. Asked again whenever something that they are made of may have changed.

    `apps` are the tools of the apps that are connected now.
    """

    def __init__(self, preferences: Preferences, offers: OfferDesk, apps: Callable[[], Sequence[Tool]] = tuple) -> None:
        self._preferences = preferences
        self._offers = offers
        self._apps = apps

    def mode(self, state: ConversationState) -> Mode:
        """The mode of a conversation that is so."""
        return state.options.mode or self._preferences.current.default_mode

    def tools(self, opened: Opened, here: Attendance, mode: Mode) -> tuple[Tool, ...]:
        """What the engine may call in a turn of these people."""
        able = opened.engine.capabilities
        offers = self._offers.has_any(able, here)
        return offered(able, here, mode, offers=offers, skills=opened.skills, apps=self._apps())

    def frame(self, opened: Opened, state: ConversationState) -> Frame:
        """For a turn, in a conversation that is so now."""
        settings, able = self._preferences.current, opened.engine.capabilities
        here, mode = attendance(opened.message), self.mode(state)
        tools = tuple(tool.spec for tool in self.tools(opened, here, mode))
        names = [tool.name for tool in tools] if here.attended else []
        text = instructions(
            Persona(settings.assistant_name, settings.voice),
            place(opened.message.origin),
            tools=names,
            not_connected=self._offers.not_connected(opened),
            offer_map=self._offers.offer_map(opened),
            skills=section(opened.skills) if USE_SKILL in names else "",
            goal=state.goal,
            mode=None if mode in able.modes else mode,
            context_window=opened.engine.window(opened.model),
        )
        return Frame(text, mode, tools)


def place(origin: Origin) -> Place:
    """Where the words come from, for the prompt."""
    return Place(
        origin.kind,
        origin.address.chat_kind if origin.address else None,
        app=origin.app,
        person=origin.person_name,
        role=Role(origin.role) if origin.role else None,
    )
