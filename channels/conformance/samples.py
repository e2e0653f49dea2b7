"""One of every kind that Conch puts into a chat: questions, permissions, plans, offers, lists that a tool found.

Plain words only, so that a promise can look for them again; hostile ones are looked at where markup is made.
"""

from typing import Final

from core.cards import (
    AgendaView,
    Choice,
    ChoiceField,
    FilesView,
    MailView,
    MessagesView,
    MomentField,
    NumberField,
    Offer,
    OfferKind,
    PlanStep,
    Question,
    QuestionField,
    TextField,
    ToolView,
)
from core.engines.base import EXIT_PLAN_MODE
from core.events import PermissionRequested

OPTIONS: Final = (
    Choice(id="tea", label="Tea"),
    Choice(id="coffee", label="Coffee"),
    Choice(id="cocoa", label="Cocoa"),
    Choice(id="water", label="Water"),
    Choice(id="juice", label="Juice"),
    Choice(id="milk", label="Milk"),
)
DRINK: Final = ChoiceField(id="drink", label="Which drink", options=OPTIONS)
DAY: Final = MomentField(id="day", label="Which day", kind="date", suggested="2026-12-24")
NAME: Final = TextField(id="name", label="For whom")
NIGHTS: Final = NumberField(id="nights", label="How many nights", min=1, max=14, suggested=3)

_FIELDS: Final[tuple[QuestionField, ...]] = (
    DRINK,
    DRINK.model_copy(update={"multiple": True}),
    DRINK.model_copy(update={"options": OPTIONS[:2], "other": True}),
    DAY,
    MomentField(id="hour", label="At what time", kind="time"),
    MomentField(id="moment", label="When exactly", kind="datetime"),
    NAME,
    NIGHTS,
)


def question(*fields: QuestionField, title: str | None = "A question") -> Question:
    """These fields as one question."""
    return Question(question_id="q", title=title, fields=fields)


QUESTIONS: Final[tuple[Question, ...]] = (
    *(question(field) for field in _FIELDS),
    question(DRINK, title=None),
    question(NAME, NIGHTS, DRINK, DAY),
)
"""Each kind of field by itself, one without a title, and as many at once as there may be."""

PERMISSIONS: Final[tuple[PermissionRequested, ...]] = (
    PermissionRequested(permission_id="p", tool_name="bash", summary="Look into the folder"),
    PermissionRequested(permission_id="p", tool_name="bash", summary="Look again", reason="It was changed since"),
    PermissionRequested(permission_id="p", tool_name="mail", summary="Send one letter", once=True),
)

PLAN: Final = PermissionRequested(
    permission_id="p",
    tool_name=EXIT_PLAN_MODE,
    summary="Start",
    input={"plan": "- Look around\n- Write it down\n\nNothing is changed before that."},
)

STEPS: Final = (
    PlanStep(title="Look around", state="done"),
    PlanStep(title="Write it down", state="active"),
    PlanStep(title="Read it again"),
)

SKILL: Final = Offer(
    offer_id="o",
    kind=OfferKind.SKILL,
    target="trips",
    name="Trips",
    description="Plans a trip",
    why="So that it is planned",
    by="assistant",
    skill_mode="when-asked",
    request="?",
)
OFFERS: Final[tuple[Offer, ...]] = (
    SKILL,
    SKILL.model_copy(update={"skill_mode": "off"}),
    SKILL.model_copy(update={"kind": OfferKind.APP, "skill_mode": None, "name": "Calendar"}),
)

LINK: Final = "https://conch.example/connect/abc"
"""Where an app of an offer is connected."""

CHIPS: Final = ("Tell me more", "Now shorter", "Thank you")

VIEWS: Final[tuple[ToolView, ...]] = (
    AgendaView.model_validate({"rows": [{"title": "Breakfast", "start": "2026-12-24", "all_day": True}]}),
    MailView.model_validate({"rows": [{"from": "Bob", "subject": "Breakfast", "snippet": "Come early"}]}),
    FilesView.model_validate({"rows": [{"name": "Breakfast", "owner": "Bob"}]}),
    MessagesView.model_validate({"place": "kitchen", "rows": [{"author": "Bob", "text": "Breakfast is ready"}]}),
    AgendaView(rows=()),
)

CODE: Final = "```python\n" + "\n".join(f"line_{number} = {number}" for number in range(400)) + "\n```"
TABLE: Final = "| a | b |\n|---|---|\n" + "\n".join(f"| {number} | cell |" for number in range(200))
LONG_TEXTS: Final[tuple[str, ...]] = (
    CODE,
    TABLE,
    "\N{SPIRAL SHELL}\N{VARIATION SELECTOR-16}" * 3_000,
    "a" * 9_000,
    "**bold** _and_ [a link](https://conch.example/a) & <b>no tag</b> " * 300,
    "- a list\n" * 1_500,
    "> quoted\n>\n" * 800,
)
"""What is longer than most apps take at once, of everything that is hard to cut."""
