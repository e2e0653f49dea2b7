"""The page of every card in every state, to look at and to check: in the playground alone, and in no navigation.

The samples are also what tests draw, so a card without a sample is noticed.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from fastapi import FastAPI
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from core import cards as c
from core import events as ev
from core import views
from core.cards import OfferKind
from web import transcript as ts
from web.cards import Drawer
from web.console.desk import Desk

AT: Final = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
OWNER: Final = ev.Origin(kind="console", role="owner")
ADA: Final = ev.Origin(kind="channel", person_id="7", person_name="Ada", app="Telegram", role="owner")

DRINK: Final = c.ChoiceField(
    id="drink",
    label="Which drink?",
    options=(c.Choice(id="tea", label="Tea"), c.Choice(id="coffee", label="Coffee", description="Freshly ground")),
)
TRIP: Final = c.Question(
    question_id="trip",
    title="Your trip",
    fields=(
        c.ChoiceField(
            id="with",
            label="Who comes along?",
            options=(c.Choice(id="bo", label="Bo"), c.Choice(id="cy", label="Cy", description="Only on Friday")),
            multiple=True,
            other=True,
        ),
        c.MomentField(id="day", label="Which day?", kind="date", min="2026-12-01", suggested="2026-12-24"),
        c.NumberField(id="nights", label="How many nights?", min=1, max=14, step=1, unit="nights", suggested=3),
        c.TextField(id="wish", label="Anything else?", placeholder="A room with a view", multiline=True, optional=True),
    ),
)
TIMES: Final = c.Question(
    question_id="times",
    title="When?",
    fields=(
        c.MomentField(id="at", label="At what time?", kind="time", suggested="09:30"),
        c.MomentField(id="from", label="From when?", kind="datetime", optional=True),
        c.TextField(id="name", label="Under which name?", optional=True),
        c.ChoiceField(
            id="seat", label="Which seat?", options=(c.Choice(id="w", label="Window"), c.Choice(id="a", label="Aisle"))
        ),
    ),
)
OTHER: Final = c.Question(question_id="other", fields=(DRINK.model_copy(update={"other": True}),))

WRITE: Final = ev.PermissionRequested(
    permission_id="write", tool_name="write_note", input={"text": "hello"}, summary="Write note: text “hello”"
)
READ_BEFORE: Final = WRITE.model_copy(
    update={"permission_id": "reason", "reason": "This chat has taken in something from outside: “a page”."}
)
START: Final = ev.PermissionRequested(
    permission_id="start",
    tool_name="exit_plan_mode",
    input={"plan": "Two steps, nothing else.\n\n1. Look at the folder\n2. Write down what is in it"},
    summary="Start",
)

APP: Final = c.Offer(
    offer_id="app",
    kind=OfferKind.APP,
    target="demo-calendar",
    name="Demo calendar",
    description="Your appointments, and new ones",
    why="You asked what is on today.",
    by="cue",
    request="What is on today?",
)
SKILL: Final = APP.model_copy(
    update={"offer_id": "skill", "kind": OfferKind.SKILL, "target": "brief", "name": "Briefing", "skill_mode": "off"}
)
ASKED_SKILL: Final = SKILL.model_copy(update={"offer_id": "asked", "skill_mode": "when-asked"})

AGENDA: Final = views.agenda(
    [
        {"title": "Breakfast", "start": datetime(2026, 12, 1, 8, 0, tzinfo=UTC), "location": "Kitchen"},
        {
            "title": "Review",
            "start": datetime(2026, 12, 1, 10, 0, tzinfo=UTC),
            "end": datetime(2026, 12, 1, 11, 0, tzinfo=UTC),
            "call": "https://call.example/1",
            "url": "https://calendar.example/1",
        },
        {"title": "Holiday", "start": "2026-12-24", "all_day": True},
    ]
)
MAIL: Final = views.mail(
    [
        {"from": "Bo", "subject": "Lunch?", "snippet": "At one, the usual place", "unread": True, "attachments": 2},
        {"from": "Cy", "subject": "Minutes", "date": "2026-11-30", "url": "https://mail.example/1"},
    ]
)
FILES: Final = views.files(
    [{"name": "Plan.pdf", "owner": "Ada", "modified": "2026-11-30T10:15", "url": "https://files.example/1"}]
)
MESSAGES: Final = views.messages("#general", [{"author": "Bo", "text": "Who has the key?", "at": "2026-11-30T10:15"}])

STEPS: Final = (
    c.PlanStep(title="Look at the folder", state="done"),
    c.PlanStep(title="Write down what is in it", state="active"),
    c.PlanStep(title="Send it"),
)

MARKDOWN: Final = """## What is in it

The folder has **three** parts, of which `core` is the oldest:

| part | files |
|---|--:|
| core | 60 |
| web | 40 |

1. Look at <https://conch.example>
2. Then run it:

```sh
make run
```

> It is simple to start.
"""


def _tool(name: str, view: c.ToolView | None = None, status: str | None = "ok", output: str = "") -> ts.ToolRow:
    started = ev.ToolStarted(tool_use_id=name, name=name, input={"folder": "notes", "deep": True})
    if status is None:
        return ts.ToolRow(started)
    finished = ev.ToolFinished.model_validate(
        {"tool_use_id": name, "name": name, "status": status, "output": output, "view": view}
    )
    return ts.ToolRow(started, finished, is_over=True)


def _answered(question: c.Question, words: str | None, by: str | None, **more: object) -> ts.QuestionCard:
    answer = {"drink": "tea"} if words else None
    answered = ev.QuestionAnswered.model_validate(
        {"question_id": question.question_id, "answer": answer, "words": words, "by": by, **more}
    )
    return ts.QuestionCard(question, answered)


def _resolved(asked: ev.PermissionRequested, decision: str, by: str | None = "Ada") -> ts.PermissionCard:
    resolved = ev.PermissionResolved.model_validate(
        {"permission_id": asked.permission_id, "decision": decision, "by": by}
    )
    return ts.PermissionCard(asked, resolved)


def _offered(offer: c.Offer, outcome: str) -> ts.OfferCard:
    resolved = ev.OfferResolved.model_validate({"offer_id": offer.offer_id, "outcome": outcome, "by": "Ada"})
    return ts.OfferCard(offer, resolved)


_DRINK: Final = c.Question(question_id="drink", fields=(DRINK,))
_FILE: Final = ev.Attachment(name="holiday.pdf", mime="application/pdf", size=240_000, path="ab/1")

SAMPLES: Final[Mapping[str, Sequence[ts.Body]]] = {
    "What is said": (
        ts.Said(ev.UserMessage(message_id="1", text="What is in the folder?\nAnd since when?", origin=OWNER)),
        ts.Said(
            ev.UserMessage(message_id="2", text="Look at this", origin=ADA, attachments=(_FILE,), others_words=True)
        ),
        ts.Answer(ev.AssistantMessage(message_id="3", text=MARKDOWN)),
        ts.Answer(ev.AssistantMessage(message_id="4", text="Here it is.", attachments=(_FILE,))),
    ),
    "What is done": (
        _tool("look_around", status=None),
        _tool("read_folder", output="core\nweb"),
        _tool("send_mail", status="error", output="The address is not known."),
        _tool("wait", status="stopped"),
    ),
    "Views": (
        _tool("read_calendar", AGENDA),
        _tool("read_mail", MAIL),
        _tool("list_files", FILES),
        _tool("read_chat", MESSAGES),
        _tool("read_calendar_of_tomorrow", views.agenda([])),
    ),
    "Questions": (
        ts.QuestionCard(_DRINK),
        ts.QuestionCard(OTHER),
        ts.QuestionCard(TRIP),
        ts.QuestionCard(TIMES),
        _answered(_DRINK, "Tea", "Ada"),
        _answered(TRIP, None, "Ada"),
        _answered(_DRINK, None, None, expired=True),
        ts.QuestionCard(_DRINK, ended="restart"),
    ),
    "Permissions": (
        ts.PermissionCard(WRITE),
        ts.PermissionCard(READ_BEFORE),
        _resolved(WRITE, "allow"),
        _resolved(WRITE, "allow-always"),
        _resolved(WRITE, "deny"),
        _resolved(WRITE, "expired", None),
        ts.PermissionCard(WRITE, ended="stop"),
    ),
    "Plans": (
        ts.PermissionCard(START),
        _resolved(START, "allow"),
        _resolved(START, "deny"),
        ts.Checklist(STEPS),
        ts.Checklist(STEPS, is_over=True),
    ),
    "Offers": (
        ts.OfferCard(APP),
        ts.OfferCard(SKILL),
        ts.OfferCard(ASKED_SKILL),
        _offered(APP, "accepted"),
        _offered(SKILL, "dismissed"),
        _offered(APP, "expired"),
    ),
    "What could be said": (
        ts.Chips((c.ReplySuggestion(text="Show me the oldest"), c.ReplySuggestion(text="Thank you"))),
    ),
    "Lines": (
        ts.Cleared(7),
        ts.Cleared(8, undoable=False),
        ts.Cleared(9, undoable=False, undone=True),
        ts.Line("The goal is now “sleep more”."),
        ts.Line(
            "This chat had grown long, so I summed up 3 earlier messages to make room.", more="- Ada likes **tea**"
        ),
        ts.Line("The engine does not answer now. Send \u2060/model to choose another.", tone="trouble"),
        ts.Line("The answer was cut off.", retry=True),
    ),
}
"""Every kind of thing in every state, by what it is about."""


def sampled() -> Iterator[tuple[str, ts.Item]]:
    """Every sample as an item, with what it is about."""
    number = 0
    for heading, bodies in SAMPLES.items():
        for body in bodies:
            number += 1
            yield heading, ts.Item(f"sample-{number}", number, AT, body)


class PatternPages:
    """The page."""

    def __init__(self, desk: Desk, drawer: Drawer) -> None:
        self._desk = desk
        self._drawer = drawer

    def add_to(self, app: FastAPI) -> None:
        """Register the route."""
        app.add_api_route("/_patterns", self.page, methods=["GET"], response_model=None)

    async def page(self, request: Request) -> Response:
        """Everything, by what it is about."""
        root, parts = request.scope.get("root_path", ""), dict[str, list[Markup]]()
        for heading, item in sampled():
            parts.setdefault(heading, []).append(self._drawer.draw(item, conversation_id="samples", root=root))
        return self._desk.page(request, "console/patterns.html", parts=parts)
