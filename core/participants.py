"""Who said something, from where, and what came along: data that events and many other things are made of."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict


class ChatKind(StrEnum):
    """A room with one person and the bot, or with more people."""

    PRIVATE = "private"
    GROUP = "group"


class Address(BaseModel):
    """Where a turn's words go: fixed when the turn starts, never looked up again.

    `reply_to` is the app's id of the message that is answered, where the app shows such a thing.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    channel_id: str
    chat_id: str
    chat_kind: ChatKind = ChatKind.PRIVATE
    thread: str | None = None
    reply_to: str | None = None


class Origin(BaseModel):
    """Who wrote a message, and from where.

    From a chat app `address` is set and `person_id` is the app's own id of the person, never a name; from the API it is
    the id of the program's token. `app` is the app's name for people, `role` what the person was to the bot when they
    wrote.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Literal["channel", "console", "api", "routine"]
    person_id: str | None = None
    person_name: str | None = None
    app: str | None = None
    role: Literal["owner", "let-in", "guest"] | None = None
    address: Address | None = None


class Attachment(BaseModel):
    """A file that belongs to a message. `path` is relative to the data folder's `files`; `size` is in bytes."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    mime: str
    size: int
    path: str
    caption: str | None = None
