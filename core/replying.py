"""What people reply to what waits for them, as data: each says what it adds to the log of a conversation that is so.

Pure. They are looked at in the transaction that writes them (`core.store.log.Decide`), so the first reply wins,
wherever it comes from; one that comes later adds nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.conversation_state import ConversationState, WaitingPermission
from core.engines.base import EXIT_PLAN_MODE
from core.events import EventData, Mode, PermissionResolved, QuestionAnswered, Tainted, UserMessage
from core.questions import checked, from_words, words_of

NOTHING_CHOSEN = "nothing"
"""The words of an answer in which everything was left out."""


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Answer or skip a question. `said` are the words that were typed for it, as a message; `taint` comes with them."""

    answered: QuestionAnswered
    said: UserMessage | None = None
    taint: Tainted | None = None

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """The message and the answer together; nothing where the question does not wait."""
        waiting = state.waiting_question
        if waiting is None or waiting.question.question_id != self.answered.question_id:
            return ()
        said = () if self.said is None else (self.said,)
        return (*said, *(() if self.taint is None else (self.taint,)), self.answered)


@dataclass(frozen=True, slots=True)
class ResolvePermission:
    """Decide about a tool call that waits. `default_mode` is the mode of a chat that names none."""

    resolved: PermissionResolved
    default_mode: Mode

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """The decision, and with the start of a plan the way out of plan mode; nothing where it does not wait.

        "Always" that was not offered counts for this one time.
        """
        waiting = waiting_permission(state, self.resolved.permission_id)
        if waiting is None:
            return ()
        if waiting.tool_name == EXIT_PLAN_MODE:
            return self._of_a_plan(state)
        once = self.resolved.decision == "allow-always" and (waiting.once or waiting.reason is not None)
        return (self.resolved.model_copy(update={"decision": "allow"}) if once else self.resolved,)

    def _of_a_plan(self, state: ConversationState) -> tuple[EventData, ...]:
        if self.resolved.decision not in ("allow", "allow-always"):
            return (self.resolved,)
        start = self.resolved.model_copy(update={"decision": "allow"})
        if (state.options.mode or self.default_mode) is not Mode.PLAN:
            return (start,)  # somebody left plan mode meanwhile: it starts in the mode that they chose
        mode = state.mode_before_plan(self.default_mode)
        return (start, state.options.model_copy(update={"mode": mode}))


def waiting_permission(state: ConversationState, permission_id: str) -> WaitingPermission | None:
    """The tool call with this id that waits for a yes."""
    return next((one for one in state.waiting_permissions if one.permission_id == permission_id), None)


def answer_to(
    state: ConversationState, question_id: str, answer: Mapping[str, Any] | str | None, by: str | None
) -> QuestionAnswered | str:
    """The answer as it is kept, or a sentence for the person about what does not fit.

    Typed words are the value of the only field where they can be, else an answer of their own. A question that does
    not wait takes anything: `AnswerQuestion` finds out.
    """
    if answer is None:
        return QuestionAnswered(question_id=question_id, by=by)
    waiting = state.waiting_question
    question = waiting.question if waiting and waiting.question.question_id == question_id else None
    if isinstance(answer, str) and question is not None and len(question.fields) == 1:
        value = from_words(question.fields[0], answer)
        answer = answer if value is None else {question.fields[0].id: value}
    if isinstance(answer, str):
        words = answer.strip()
        return QuestionAnswered(question_id=question_id, words=words, by=by) if words else "Type an answer, or skip it."
    if question is None:
        return QuestionAnswered(question_id=question_id, answer=dict(answer), by=by)
    values = checked(question, answer)
    if isinstance(values, str):
        return values
    words = words_of(question, values) or NOTHING_CHOSEN
    return QuestionAnswered(question_id=question_id, answer=values, words=words, by=by)
