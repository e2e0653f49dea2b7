"""The data of cards as they stand in the log: questions, offers, replies, plans and views.

Only shapes and their caps (see each field); what may be asked, offered or answered is decided elsewhere. The
assistant's words on a card are plain text. Every string of a view is outside data.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, StringConstraints


class Card(BaseModel):
    """Frozen; fields that a newer release wrote are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


WebUrl = Annotated[AnyHttpUrl, Field(max_length=2_000)]
Line = Annotated[str, StringConstraints(pattern=r"^[^\r\n]*$")]


class Choice(Card):
    """One option of a choice."""

    id: str
    label: str = Field(max_length=80)
    description: str | None = Field(None, max_length=200)


class FieldBase(Card):
    """What every field of a question has."""

    id: str
    label: str = Field(max_length=200)
    optional: bool = False


class ChoiceField(FieldBase):
    """Pick one, or several; `other` lets the person type something else."""

    kind: Literal["choice"] = "choice"
    options: tuple[Choice, ...] = Field(min_length=2, max_length=6)
    multiple: bool = False
    other: bool = False


class MomentField(FieldBase):
    """A date (`YYYY-MM-DD`), a time (`HH:MM`, 24 h) or both (`YYYY-MM-DDTHH:MM`)."""

    kind: Literal["date", "time", "datetime"]
    min: str | None = None
    max: str | None = None
    suggested: str | None = None


class TextField(FieldBase):
    """Words."""

    kind: Literal["text"] = "text"
    placeholder: str | None = Field(None, max_length=120)
    multiline: bool = False


class NumberField(FieldBase):
    """A finite number."""

    kind: Literal["number"] = "number"
    min: float | None = None
    max: float | None = None
    step: float | None = Field(None, gt=0)
    unit: str | None = Field(None, max_length=24)
    suggested: float | None = None


QuestionField = Annotated[ChoiceField | MomentField | TextField | NumberField, Field(discriminator="kind")]


class Question(Card):
    """One to four fields that the assistant needs answered before it goes on."""

    question_id: str
    title: str | None = Field(None, max_length=120)
    fields: tuple[QuestionField, ...] = Field(min_length=1, max_length=4)


class OfferKind(StrEnum):
    """What can be turned on. A new kind is a new member, a line in the map and a branch in each drawing."""

    APP = "app"
    SKILL = "skill"


class Offer(Card):
    """Something that a person could turn on so that the assistant can do what was asked."""

    offer_id: str
    kind: OfferKind
    target: str = Field(max_length=240)
    name: str = Field(max_length=80)
    description: str = Field(max_length=300)
    why: Line = Field(max_length=200)
    by: Literal["cue", "assistant"]
    skill_mode: Literal["off", "when-asked"] | None = None
    request: str = Field(max_length=4_000)
    """The person's last message as typed; in a carried-on turn the original request."""


class TakenOffer(Card):
    """An offer that somebody took; a skill for good, or for the one request."""

    offer: Offer
    skill: Literal["on", "once"] | None = None


class ReplySuggestion(Card):
    """A chip: its words are exactly the words sent."""

    text: Line = Field(min_length=1, max_length=120)


class PlanStep(Card):
    """One step of the assistant's plan."""

    title: Line = Field(max_length=200)
    state: Literal["pending", "active", "done"] = "pending"


class AgendaRow(Card):
    """One appointment."""

    title: str
    start: datetime | str
    end: datetime | str | None = None
    all_day: bool = False
    location: str | None = None
    calendar: str | None = None
    color: str | None = None
    call: WebUrl | None = None
    url: WebUrl | None = None


class AgendaView(Card):
    """Appointments between two moments."""

    kind: Literal["agenda"] = "agenda"
    rows: tuple[AgendaRow, ...] = Field(max_length=60)
    from_: str | None = Field(None, alias="from")
    to: str | None = None


class MailRow(Card):
    """One mail."""

    sender: str = Field(alias="from")
    subject: str
    snippet: str | None = None
    date: datetime | str | None = None
    unread: bool = False
    attachments: int = 0
    url: WebUrl | None = None


class MailView(Card):
    """Mails, newest first."""

    kind: Literal["mail"] = "mail"
    rows: tuple[MailRow, ...] = Field(max_length=30)


class FileRow(Card):
    """One file."""

    name: str
    mime: str | None = None
    modified: datetime | str | None = None
    owner: str | None = None
    url: WebUrl | None = None


class FilesView(Card):
    """Files."""

    kind: Literal["files"] = "files"
    rows: tuple[FileRow, ...] = Field(max_length=30)


class MessageRow(Card):
    """One message of a chat."""

    author: str
    text: str
    at: datetime | str | None = None
    url: WebUrl | None = None


class MessagesView(Card):
    """Messages of one place."""

    kind: Literal["messages"] = "messages"
    place: str
    rows: tuple[MessageRow, ...] = Field(max_length=30)


ToolView = Annotated[AgendaView | MailView | FilesView | MessagesView, Field(discriminator="kind")]
