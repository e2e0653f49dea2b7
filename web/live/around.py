"""What stands around the messages of a chat: what it is doing, the words being written, its goal, what stops it.

Each part is one element with an id of its own, drawn here for the page as for the live stream.
"""

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from commands.values import MODES
from core.conversation_state import ConversationState
from core.errors import NotFound
from core.events import Status
from web.api.parts import LONGEST_ID
from web.api.parts import Parts as Api
from web.markdown import blocks
from web.pages import Templates

PAGE: Final = 400
"""Events of a page: some dozens of messages, with what was done for them."""

LONGEST_SAID: Final = 500
"""Characters of an answer that a screen reader is told when it is done; the whole stands in the chat."""


@dataclass(frozen=True, slots=True)
class Around:
    """A chat as it is at a moment. `waiting` counts messages behind the running answer."""

    title: str | None = None
    goal: str | None = None
    running: bool = False
    waits: bool = False
    waiting: int = 0
    how: str = ""


async def around_of(api: Api, chat: str) -> Around:
    """A chat as it is now, also one in which nothing was said yet."""
    conversations, state, waiting = api.conversations, ConversationState(), 0
    if await api.log.exists(chat):
        overview = await conversations.overview(chat)
        state, waiting = overview.state, overview.waiting
    mode = state.options.mode or api.preferences.current.default_mode
    model = conversations.model_for(state)
    how = " · ".join((conversations.engine_for(state).title, *([model] if model else []), MODES.title(mode.value)))
    running = state.status is not Status.IDLE or conversations.running(chat) is not None
    return Around(state.title, state.goal, running, state.status is Status.WAITING, waiting, how)


class Parts:
    """Draws them."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def status(self, now: Around) -> Markup:
        """What it is doing, in words."""
        return self._templates.part("chat/live/status.html", now=now)

    def stop(self, now: Around, chat: str, root: str) -> Markup:
        """The button that stops it; hidden where nothing goes on."""
        return self._templates.part("chat/live/stop.html", now=now, chat=chat, root=root)

    def goal(self, now: Around) -> Markup:
        """The goal above the field."""
        return self._templates.part("chat/live/goal.html", now=now)

    def title(self, now: Around) -> Markup:
        """The chat's name."""
        return self._templates.part("chat/live/title.html", now=now)

    def how(self, now: Around) -> Markup:
        """What answers, and how freely."""
        return self._templates.part("chat/live/how.html", now=now)

    def running(self, words: str) -> Markup:
        """The words being written; empty before the first and after the last."""
        return self._templates.part("chat/live/running.html", blocks=blocks(words))

    def running_block(self, place: int, block: Markup) -> Markup:
        """One block of them."""
        return self._templates.part("chat/live/block.html", place=place, block=block)

    def said(self, words: str) -> Markup:
        """An answer that is done, for who does not see the page."""
        told = words if len(words) <= LONGEST_SAID else f"{words[: LONGEST_SAID - 1].rstrip()}…"
        return self._templates.part("chat/live/said.html", words=told)


def possible(chat: str) -> str:
    """The id; raises NotFound for what nothing can be called."""
    if not (0 < len(chat) <= LONGEST_ID and chat.isascii() and chat.isprintable()):
        raise NotFound("There is no such chat.")
    return chat
