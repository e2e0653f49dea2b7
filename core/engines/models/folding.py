"""Compaction: when a transcript is too long for its model, and what of it becomes a summary.

Whole turns fold, oldest first, so that calls and their results stay together; the turn being answered always stays.
What stays is never touched, so that prompt caches keep working. Everything here is decided from estimates; asking for
the summary is handed in. What the log and the chat hear of it is the core's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import structlog

from core.engines.base import Compacted
from core.engines.models.estimating import text_tokens, tokens
from core.engines.models.shortening import LEAST, in_the_middle, shortened
from core.engines.models.summarising import Summarise, Summary, request
from core.engines.models.transcript import PastTurn, Transcript
from core.errors import TryLater

_log = structlog.get_logger(__name__)

LARGEST: Final = 100_000
"""Tokens of a transcript, however large the window: more makes answers slow, dear and no better."""

SMALLEST: Final = 500
"""Estimated tokens of a transcript, however little is left: a last try goes out rather than nothing."""

MAX_SUMMARY: Final = 40_000
"""Characters."""

SUMMARY_FRAME: Final = 100
"""Tokens of the words around a summary."""

NO_SUMMARY: Final = "No model could sum this up just now, so nothing was changed."


@dataclass(frozen=True, slots=True)
class Room:
    """What a model has room for, in tokens: its window, and of it the system prompt and the tools (`overhead`)."""

    window: int
    overhead: int = 0

    @property
    def budget(self) -> int:
        """For the transcript: 90 % of the window, less the overhead and 15 % (1K–16K) for the answer."""
        answer = min(max(self.window * 15 // 100, 1_000), 16_000)
        return min(max(self.window * 90 // 100 - answer - self.overhead, 0), LARGEST)

    def estimated(self, scale: float) -> int:
        """The budget in tokens as we estimate them, of which each is `scale` real ones."""
        return max(int(self.budget / scale), SMALLEST)


@dataclass(frozen=True, slots=True)
class Folded:
    """A transcript that fits, the turn being answered as it goes out, and what to tell where something was folded."""

    transcript: Transcript
    current: PastTurn
    compacted: Compacted | None = None


async def fit(
    transcript: Transcript, current: PastTurn, room: Room, summarise: Summarise, *, harder: bool = False
) -> Folded:
    """Make transcript and the turn being answered fit the model; within the budget, both are as they were.

    `current` holds what there is of that turn so far: the new message, and the calls and results after it.
    `harder`: the service said that it was too long, whatever we counted. Where no summary is to be had, turns are
    dropped and the chat goes on with the earlier summary.
    """
    budget = room.estimated(transcript.scale)
    total = _size(transcript.turns) + _summary_size(transcript.summary) + tokens(current.messages)
    if total <= budget and not harder:
        return Folded(transcript, current)
    limit = min(budget, total) // 2 if harder else budget
    cut = _turns_over(transcript.turns, limit // 2 - tokens(current.messages))
    summary = Summary(transcript.summary or "")
    compacted = None
    if cut:
        fresh = await _summarised(transcript, cut, room, limit, summarise)
        summary = fresh or summary
        compacted = _told(transcript, cut, current.first_seq, fresh or Summary(""))
    kept = replace(transcript, turns=transcript.turns[cut:], summary=_within(summary.text, _for_summary(limit)))
    left = limit - _size(kept.turns) - _summary_size(kept.summary)
    return Folded(kept, replace(current, messages=shortened(current.messages, left)), compacted)


async def fold_earlier(transcript: Transcript, room: Room, summarise: Summarise, focus: str | None) -> Folded | None:
    """Fold all but the newest turn, because somebody asked; None when there is nothing to fold.

    Raises:
        TryLater: no summary is to be had, and nothing was folded.
    """
    cut = len(transcript.turns) - 1
    if cut < 1:
        return None
    limit = room.estimated(transcript.scale)
    summary = await _summarised(transcript, cut, room, limit, summarise, focus)
    if summary is None:
        raise TryLater(NO_SUMMARY)
    newest = transcript.turns[-1]
    kept = replace(transcript, turns=(newest,), summary=_within(summary.text, _for_summary(limit)))
    return Folded(kept, newest, _told(transcript, cut, newest.first_seq, summary))


def _turns_over(turns: Sequence[PastTurn], room: int) -> int:
    """How many of the first turns have to go for the others to fit."""
    kept = len(turns)
    while kept and (size := tokens(turns[kept - 1].messages)) <= room:
        kept -= 1
        room -= size
    return kept


async def _summarised(
    transcript: Transcript, cut: int, room: Room, limit: int, summarise: Summarise, focus: str | None = None
) -> Summary | None:
    """The summary of the first `cut` turns and of what was summed up before; None when none is to be had."""
    messages = [message for turn in transcript.turns[:cut] for message in turn.messages]
    readable = int(room.window * 6 // 10 / transcript.scale)
    asked = request(messages, transcript.summary, focus, room=readable, limit=_for_summary(limit))
    try:
        summary = await summarise(asked)
    except Exception as fault:  # noqa: BLE001 - whatever it is, the chat goes on
        _log.warning("a chat could not be summed up", reason=type(fault).__name__)
        return None
    text = _within(summary.text, _for_summary(limit))
    return replace(summary, text=text) if text else None


def _told(transcript: Transcript, cut: int, newest_seq: int, summary: Summary) -> Compacted:
    stays = transcript.turns[cut].first_seq if cut < len(transcript.turns) else newest_seq
    return Compacted(summary.text, stays, cut, summary.model, summary.usage)


def _within(summary: str, room: int) -> str | None:
    """A summary in at most so many tokens, and never over its limit in characters; None for none."""
    words = summary.strip()
    if len(words) > MAX_SUMMARY:
        words = words[: MAX_SUMMARY - 1].rstrip() + "…"
    return in_the_middle(words, room - SUMMARY_FRAME) or None


def _for_summary(limit: int) -> int:
    """Tokens of a summary with the words around it: the turns that stay have half of the limit."""
    return max(limit // 4, LEAST + SUMMARY_FRAME)


def _size(turns: Sequence[PastTurn]) -> int:
    return sum(tokens(turn.messages) for turn in turns)


def _summary_size(summary: str | None) -> int:
    return text_tokens(summary) + SUMMARY_FRAME if summary else 0
