"""What holds while an engine answers: the system text, the mode and the tools, by what the conversation is now."""

from core.conversation_state import ConversationState
from core.engines.base import Frame
from core.events import Origin
from core.preferences import Preferences
from core.prompt import Persona, Place, Role, instructions
from core.turn import Opened


class Framing:
    """Makes frames. Asked again whenever something that they are made of may have changed."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences

    def frame(self, opened: Opened, state: ConversationState) -> Frame:
        """For a turn, in a conversation that is so now."""
        settings, able = self._preferences.current, opened.engine.capabilities
        mode = state.options.mode or settings.default_mode
        text = instructions(
            Persona(settings.assistant_name, settings.voice),
            place(opened.message.origin),
            goal=state.goal,
            mode=None if mode in able.modes else mode,
            context_window=opened.engine.window(opened.model),
        )
        return Frame(text, mode)


def place(origin: Origin) -> Place:
    """Where the words come from, for the prompt."""
    return Place(
        origin.kind,
        origin.address.chat_kind if origin.address else None,
        app=origin.app,
        person=origin.person_name,
        role=Role(origin.role) if origin.role else None,
    )
