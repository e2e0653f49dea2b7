"""Scripts that ask, and what there is to say about what waits."""

from typing import Any

from core import events as ev
from core.cards import Choice, ChoiceField, Question, TextField
from core.engines.base import (
    EXIT_PLAN_MODE,
    PLAN_OPTIONS,
    START,
    EngineCapabilities,
    Text,
    TurnInput,
)
from core.engines.script import AskPermission, AskPerson, CallTool, Steps
from tests.core.lives import CHAT, Life, until

HOST_PLAN = EngineCapabilities(host_tools="inline", plan_approval="host", native_ask=True)
"""An engine that has nothing of its own and gets every host tool."""

TEA = ChoiceField(
    id="drink", label="What may I bring?", options=(Choice(id="t", label="Tea"), Choice(id="c", label="Coffee"))
)
NAME = TextField(id="name", label="For whom?")
QUESTION = Question(question_id="engine-s-own", fields=(TEA,))
FIELDS = [TEA.model_dump(mode="json", exclude_none=True)]
PLAN = "By train.\n\n1. Book\n2. Go"


def asker(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Ask in the way that the words name, and say what came of it."""
    match turn.text.split():
        case ["question"]:
            values = yield AskPerson(QUESTION)
            yield Text(f"values: {values}")
        case ["ask"]:
            answer = yield CallTool(f"ask-{len(earlier)}", "ask", {"fields": FIELDS})
            yield Text(answer.text)
        case ["two"]:
            answer = yield CallTool(f"a-{len(earlier)}", "ask", {"fields": [*FIELDS, NAME.model_dump(mode="json")]})
            yield Text(answer.text)
        case ["permit", *words]:
            args = {"command": " ".join(words)}
            allowed = yield AskPermission(f"p-{len(earlier)}", "run", args, ("Yes", "No"), "Yes")
            yield Text("it ran" if allowed else "it did not run")
        case ["plan"]:
            started = yield AskPermission("plan", EXIT_PLAN_MODE, {"plan": PLAN}, PLAN_OPTIONS, START)
            yield Text("started" if started else "planning")
            allowed = yield AskPermission("after", "write", {}, ("Yes", "No"), "Yes")
            yield Text(f"; {'wrote' if allowed else 'did not write'}")
        case ["host-plan"]:
            answer = yield CallTool("plan", EXIT_PLAN_MODE, {"plan": PLAN})
            yield Text(answer.text)
        case _:
            yield Text(f"echo: {turn.text}")


def waits(life: Life, chat: str = CHAT) -> list[Question | ev.PermissionRequested]:
    """What a chat waits for, by what this life heard; the oldest first."""
    open_now: dict[str, Question | ev.PermissionRequested] = {}
    for item in life.heard:
        if not isinstance(item, ev.Event) or item.conversation_id != chat:
            continue
        match item.data:
            case ev.QuestionAsked(question=question):
                open_now[question.question_id] = question
            case ev.PermissionRequested() as requested:
                open_now[requested.permission_id] = requested
            case ev.QuestionAnswered(question_id=closed) | ev.PermissionResolved(permission_id=closed):
                open_now.pop(closed, None)
            case ev.TurnCompleted():
                open_now.clear()
    return list(open_now.values())


async def question_of(life: Life, chat: str = CHAT) -> Question:
    """The question that waits, as soon as one does."""
    await until(lambda: any(isinstance(each, Question) for each in waits(life, chat)))
    return next(each for each in waits(life, chat) if isinstance(each, Question))


async def permission_of(life: Life, chat: str = CHAT) -> ev.PermissionRequested:
    """The tool call that waits, as soon as one does."""
    await until(lambda: any(isinstance(each, ev.PermissionRequested) for each in waits(life, chat)))
    return next(each for each in waits(life, chat) if isinstance(each, ev.PermissionRequested))


async def newest(life: Life, kind: type[ev.EventData], chat: str = CHAT) -> Any:
    """The newest event of a kind."""
    return [data for data in await life.events(chat) if isinstance(data, kind)][-1]
