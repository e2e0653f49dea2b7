"""What happens in a chat as patches of its page: which element becomes what. Pure.

A patch is `[target, how, html]`: `append` puts the element at the end of the target (or in the place of one with the
same id), `morph` makes the target that element, `remove` takes it away. A target that is not on the page is nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from markupsafe import Markup

from core.events import AssistantMessage, Event, TurnCompleted
from core.live import Delta, Dropped, Folding, Written
from web.api.following import Followed, Snapshot
from web.cards import Drawer
from web.live.around import Around, Parts
from web.markdown import blocks
from web.transcript import Change, Transcript

ITEMS: Final = "items"
NOTHING: Final = "nothing"
"""What stands where nothing was said yet."""


class Patch(NamedTuple):
    """One of them, as it goes over the wire."""

    target: str
    how: Literal["append", "morph", "remove"]
    html: str = ""


class Picture:
    """The page of one chat as a browser has it, as far as it can change."""

    def __init__(self, chat: str, root: str, drawer: Drawer, parts: Parts, transcript: Transcript) -> None:
        self._chat = chat
        self._root = root
        self._drawer = drawer
        self._parts = parts
        self._transcript = transcript
        self._around: Around | None = None
        self._message_id: str | None = None
        self._words = ""
        self._shown: Sequence[Markup] = ()

    def patches(self, batch: Iterable[Followed], around: Around) -> list[Patch]:
        """What becomes of the page when this happened, and everything around is so."""
        made: list[Patch] = []
        for one in batch:
            made += self._of(one)
        return [*made, *self._running(), *self._around_it(around)]

    # ---- what stands in the chat -----------------------------------------------------------------------------------

    def _of(self, one: Followed) -> Iterable[Patch]:
        match one:
            case Snapshot():
                self._message_id, self._words = one.message_id, one.text
            case Delta():
                self._write(one)
            case Dropped() if one.message_id == self._message_id:
                self._message_id, self._words = None, ""
            case Event():
                yield from self._happened(one)
            case Dropped() | Written() | Folding():
                pass

    def _write(self, delta: Delta) -> None:
        """Words that are known already are left out; a gap cannot be, for the words come in order."""
        if delta.message_id != self._message_id:
            self._message_id, self._words = delta.message_id, ""
        self._words = self._words[: delta.offset] + delta.text

    def _happened(self, event: Event) -> Iterable[Patch]:
        if not self._transcript.items:
            yield Patch(NOTHING, "remove")
        for change in self._transcript.add(event):
            yield self._changed(change)
        if isinstance(event.data, AssistantMessage):
            self._message_id, self._words = None, ""
            yield Patch("said", "morph", self._parts.said(event.data.text))
        elif isinstance(event.data, TurnCompleted):
            self._message_id, self._words = None, ""

    def _changed(self, change: Change) -> Patch:
        if change.item is None:
            return Patch(change.item_id, "remove")
        html = self._drawer.draw(change.item, conversation_id=self._chat, root=self._root)
        return Patch(ITEMS if change.how == "append" else change.item_id, change.how, html)

    # ---- the words that are being written --------------------------------------------------------------------------

    def _running(self) -> Iterable[Patch]:
        """Block by block: what is finished above the last one does not change any more."""
        now = blocks(self._words) if self._words else ()
        before, self._shown = self._shown, now
        if now == before:
            return
        if not before or len(now) < len(before):
            yield Patch("running", "morph", self._parts.running(self._words))
            return
        for place, block in enumerate(now):
            if place >= len(before):
                yield Patch("running-words", "append", self._parts.running_block(place, block))
            elif block != before[place]:
                yield Patch(f"running-{place}", "morph", self._parts.running_block(place, block))

    # ---- what stands around ----------------------------------------------------------------------------------------

    def _around_it(self, now: Around) -> Iterable[Patch]:
        before, self._around = self._around, now
        if now == before:
            return
        yield Patch("status", "morph", self._parts.status(now))
        yield Patch("stop", "morph", self._parts.stop(now, self._chat, self._root))
        yield Patch("goal", "morph", self._parts.goal(now))
        yield Patch("how", "morph", self._parts.how(now))
        if before is None or now.title != before.title:
            yield Patch("chat-title", "morph", self._parts.title(now))
