"""Which card is drawn how in which app: no kind is missing anywhere, and each fits into one message."""

import re
from dataclasses import dataclass

import pytest

from channels.abilities import FormMessages, Forms
from channels.base import Capabilities
from channels.cards.drawing import Drawn, drawn
from channels.cards.filling import Filling
from channels.cards.forms import Way, by_hand, wants_form
from channels.cards.offered import Connecting, offer_drawn
from channels.cards.prompts import checklist_text, permission_prompt, question_prompt
from channels.cards.views import view_text
from channels.choices import has_buttons, in_words
from channels.discord.channel import DiscordChannel
from channels.discord.limits import CAPABILITIES as DISCORD
from channels.formatting.parts import format_message
from channels.memory.channel import CAPABILITIES as TERMINAL
from channels.memory.channel import MemoryChannel
from channels.slack.channel import SlackChannel
from channels.slack.limits import CAPABILITIES as SLACK
from channels.teams.channel import TeamsChannel
from channels.teams.limits import CAPABILITIES as TEAMS
from channels.telegram.channel import TelegramChannel
from channels.telegram.limits import CAPABILITIES as TELEGRAM
from core import views
from core.cards import Choice, ChoiceField, MomentField, NumberField, Offer, OfferKind, PlanStep, Question, TextField
from core.engines.base import EXIT_PLAN_MODE
from core.events import PermissionRequested

OPTIONS = tuple(Choice(id=str(number), label=f"Option {number}") for number in range(6))
ONE = ChoiceField(id="one", label="Which?", options=OPTIONS, other=True)
MANY = ONE.model_copy(update={"id": "many", "multiple": True})
DAY = MomentField(id="day", label="Which day?", kind="date", suggested="2026-12-24")
NIGHTS = NumberField(id="nights", label="How many?", suggested=3)
NAME = TextField(id="name", label="For whom?")
SKILL = Offer(
    offer_id="o",
    kind=OfferKind.SKILL,
    target="trips",
    name="Trips",
    description="Plans a trip.",
    why="So that it is planned",
    by="assistant",
    skill_mode="when-asked",
    request="?",
)
APP = SKILL.model_copy(update={"kind": OfferKind.APP, "skill_mode": None})
ROWS = [{"title": "Tea", "name": "Tea", "from": "Bob", "author": "Bob", "start": "2026-12-24", "text": "Hello"}] * 40


@dataclass(frozen=True)
class Place:
    """An app as cards are drawn for it."""

    capabilities: Capabilities
    channel: type

    def question(self, *fields: ChoiceField | MomentField | NumberField | TextField) -> Drawn:
        question = Question(question_id="q", title="A question", fields=fields)
        return drawn(question_prompt(question, way=self._way(question), filling=Filling()), self.capabilities, str)

    def _way(self, question: Question) -> Way:
        if not wants_form(question) or not has_buttons(self.capabilities):
            return by_hand(self.capabilities)
        if issubclass(self.channel, FormMessages):
            return Way.FIELDS
        return Way.FORM if issubclass(self.channel, Forms) else Way.TAPS

    def permission(self, tool: str, plan: str = "") -> Drawn:
        asked = PermissionRequested(permission_id="p", tool_name=tool, summary="Run `ls`", input={"plan": plan})
        return drawn(permission_prompt(asked), self.capabilities, str)

    def offer(self, offer: Offer, link: str | None = None) -> Drawn:
        return offer_drawn(offer, self.capabilities, str, connecting=Connecting(link))

    def cards(self) -> dict[str, Drawn]:
        """Every kind there is."""
        steps = [PlanStep(title=f"Step {number}") for number in range(30)]
        return {
            "permission": self.permission("bash"),
            "plan approval": self.permission(EXIT_PLAN_MODE, "1. Look"),
            "one to pick": self.question(ONE),
            "several to pick": self.question(MANY),
            "a day": self.question(DAY),
            "a number": self.question(NIGHTS),
            "words": self.question(NAME),
            "several fields": self.question(ONE, DAY, NIGHTS, NAME),
            "skill": self.offer(SKILL),
            "app": self.offer(APP, "https://conch.example.com/connect/x"),
            "plan": Drawn(checklist_text(steps, None, self.capabilities.max_text)),
            "agenda": Drawn(view_text(views.agenda(ROWS))),
            "mail": Drawn(view_text(views.mail(ROWS))),
            "files": Drawn(view_text(views.files(ROWS))),
            "messages": Drawn(view_text(views.messages("#team", ROWS))),
        }


PLACES = {
    "telegram": Place(TELEGRAM, TelegramChannel),
    "discord": Place(DISCORD, DiscordChannel),
    "slack": Place(SLACK, SlackChannel),
    "teams": Place(TEAMS, TeamsChannel),
    "terminal": Place(TERMINAL, MemoryChannel),
}

TAPS = dict.fromkeys(("permission", "plan approval", "one to pick", "skill", "app"), "buttons")
FILLED = ("several to pick", "a day", "a number", "words", "several fields")
TYPED = dict.fromkeys(("a day", "a number", "words"), "text")
"""Where there are no buttons these have nothing to pick, so they say what to type."""
TEXTS = dict.fromkeys(("plan", "agenda", "mail", "files", "messages"), "text")


def how(card: Drawn) -> str:
    """How a card is answered."""
    if card.form is not None:
        return "fields"
    if any(button.form for button in card.buttons):
        return "form"
    if card.buttons:
        return "buttons"
    return "numbers" if re.search(r"^1\S* \S", card.markdown, re.MULTILINE) else "text"


@pytest.mark.parametrize(
    ("name", "drawn_as"),
    [
        ("telegram", {**TAPS, **dict.fromkeys(FILLED, "buttons"), **TEXTS}),
        ("discord", {**TAPS, **dict.fromkeys(FILLED, "form"), "several to pick": "buttons", **TEXTS}),
        ("slack", {**TAPS, **dict.fromkeys(FILLED, "form"), "several to pick": "buttons", **TEXTS}),
        ("teams", {**TAPS, **dict.fromkeys(FILLED, "fields"), "several to pick": "buttons", **TEXTS}),
        ("terminal", {**dict.fromkeys((*TAPS, *FILLED), "numbers"), **TYPED, **TEXTS}),
    ],
)
def test_every_kind_of_card_is_drawn_in_every_app(name: str, drawn_as: dict[str, str]) -> None:
    assert {kind: how(card) for kind, card in PLACES[name].cards().items()} == drawn_as


@pytest.mark.parametrize("name", PLACES)
def test_every_card_is_one_message_with_buttons_that_fit(name: str) -> None:
    place = PLACES[name]

    for kind, card in place.cards().items():
        text = in_words(card.markdown, card.buttons) if not has_buttons(place.capabilities) else card.markdown
        assert len(format_message(text, place.capabilities.dialect)) == 1, kind
        assert all(len(button.label) <= place.capabilities.max_label for button in card.buttons), kind
        assert all(button.url or button.token for button in card.buttons), kind
