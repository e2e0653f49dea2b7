"""What stands around the messages of a chat: what it is doing, the words being written, its goal, what stops it.

Each part is one element with an id of its own, drawn here for the page as for the live stream.
"""

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from web.markdown import blocks
from web.pages import Templates

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
