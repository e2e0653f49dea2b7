"""One conversation with a model: its transcript, and the turn that is being answered. The answer is `answering`'s."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic_ai.messages import ModelRequest, ModelResponse

from core.engines.answer import Answer, Answers
from core.engines.base import Compacted, Ended, EndReason, EngineEvent, Host, ModelInfo, ModelOptions, TurnInput
from core.engines.models import folding, refusals
from core.engines.models.answering import Answering, Setting
from core.engines.models.attachments import Attachments, Takes, without_files
from core.engines.models.contract import Connection, Provider
from core.engines.models.roster import Roster
from core.engines.models.summaries import Summaries
from core.engines.models.transcript import PastTurn, Transcript, settled
from core.engines.models.windows import window_unless_known
from core.errors import ConchError
from core.files import FileStore

READS_PDF: Final = frozenset({"anthropic", "google", "openai"})
"""Kinds of connection whose services read PDFs; servers that speak the same language seldom do."""


class ModelSession:
    """Goes on from `state`, or begins anew. Holds no connection of its own: that is the engine's."""

    def __init__(
        self,
        connection: Connection,
        provider: Provider,
        roster: Roster,
        files: FileStore,
        state: Mapping[str, Any] | None,
    ) -> None:
        self._connection = connection
        self._provider = provider
        self._roster = roster
        self._attachments = Attachments(files)
        self._answers = Answers()
        self._transcript = Transcript.from_state(state)
        kept = state or {}
        self._key = str(kept.get("key") or uuid.uuid4().hex)
        self._model = kept.get("model")
        self._may_warn = bool(kept.get("may_warn", True))

    def run(self, turn: TurnInput, host: Host) -> Answer:
        """Answer with the model that the turn names, else the default one."""
        return self._answers.begin(self._events(turn, host))

    async def cancel(self) -> None:
        """Stop at once; what was said by then is remembered."""
        self._answers.stop()

    def state(self) -> Mapping[str, Any]:
        """The transcript, without pictures, and what was learnt of the model."""
        mine = {"key": self._key, "model": self._model, "may_warn": self._may_warn}
        return {**self._transcript.state(), **mine}

    async def close(self) -> None:
        """Stop and answer no more."""
        await self._answers.close()

    async def compact(self, focus: str | None, options: ModelOptions) -> Compacted | None:
        """Fold all but the newest turn; None when there is nothing to fold. Only while no turn runs.

        Raises:
            TryLater: no summary is to be had now, and nothing was folded.
            Refused: there is no model.
        """
        model = await self._roster.chosen(options.model)
        self._know(model)
        window = self._transcript.window or model.window or window_unless_known(self._connection)
        folded = await folding.fold_earlier(self._transcript, folding.Room(window), self._summaries(model.id), focus)
        if folded is None:
            return None
        self._transcript = folded.transcript
        return folded.compacted

    # ---- a turn ----------------------------------------------------------------------------------------------------

    async def _events(self, turn: TurnInput, host: Host) -> AsyncGenerator[EngineEvent]:
        try:
            model = await self._roster.chosen(turn.options.model)
        except ConchError as error:
            await self._remember_unanswered(turn)
            yield refusals.ended_for(error, self._connection)
            return
        self._know(model)
        setting = self._setting(model)
        asked = await self._asked(turn, setting.takes)
        answering = Answering(turn, host, setting, self._transcript, asked, may_warn=self._may_warn)
        ended: Ended | None = None
        # A task of its own: a stop may come from another task than the one that reads, and what the library holds open
        # can only be let go of where it was opened.
        work = asyncio.create_task(answering.answer(), name="model turn")
        work.add_done_callback(lambda _: answering.said.put_nowait(None))
        try:
            while (event := await answering.said.get()) is not None:
                yield event
                answering.said.task_done()
            ended = work.result()
        finally:
            work.cancel()
            await asyncio.wait([work])
            self._remember(turn, answering, ended)
        yield ended

    def _know(self, model: ModelInfo) -> None:
        """What was learnt of one model says nothing about the next."""
        if self._model not in (None, model.id):
            self._transcript = replace(self._transcript, window=None, scale=1.0)
        self._model = model.id

    def _setting(self, model: ModelInfo) -> Setting:
        return Setting(
            connection=self._connection,
            provider=self._provider,
            model=model,
            attachments=self._attachments,
            takes=Takes(model.images, model.images and self._connection.kind in READS_PDF),
            summarise=self._summaries(model.id),
            key=self._key,
        )

    def _summaries(self, model: str) -> Summaries:
        return Summaries(self._connection, self._provider, self._roster, model, self._key)

    async def _asked(self, turn: TurnInput, takes: Takes) -> ModelRequest:
        words = f"{turn.handoff}\n\n{turn.text}" if turn.handoff else turn.text
        return await self._attachments.message(words, turn.attachments, takes)

    def _remember(self, turn: TurnInput, answering: Answering, ended: Ended | None) -> None:
        self._transcript, self._may_warn = answering.transcript, answering.may_warn
        messages = answering.current
        is_answered = any(isinstance(message, ModelResponse) for message in messages)
        if ended is not None and not is_answered:
            if ended.reason is EndReason.REFUSED:
                return  # it would be refused again with every message that follows
            if ended.reason is EndReason.REJECTED:
                messages = without_files(messages)
        self._transcript = self._transcript.with_turn(PastTurn(turn.first_seq, settled(messages)))

    async def _remember_unanswered(self, turn: TurnInput) -> None:
        asked = await self._asked(turn, Takes(pictures=True, documents=True))
        self._transcript = self._transcript.with_turn(PastTurn(turn.first_seq, settled([asked])))
