"""The tables of connected apps and of signing in with them, beside those in `core.store.tables`."""

from datetime import datetime
from typing import Final

from sqlalchemy import Table, Text
from sqlmodel import Field

from core.store.moments import Moment
from core.store.tables import METADATA, Stored


class AppConnectionRow(Stored, table=True):
    """A connected app. `credentials` is ciphertext."""

    __tablename__ = "app_connection"

    app_id: str = Field(primary_key=True)
    account: str
    credentials: str = Field(sa_type=Text)
    connected_at: datetime = Field(sa_type=Moment)


class AppTicketRow(Stored, table=True):
    """Something that lets whoever has it go one step further in signing in, once. Only its SHA-256 is here.

    `chat` and `offer_id` say what the sign-in is for; `browser` is the hash of what the browser that began it keeps,
    `sealed` what only we need for the next step, as ciphertext.
    """

    __tablename__ = "app_ticket"

    ticket_hash: str = Field(primary_key=True)
    step: str
    app_id: str
    conversation_id: str | None
    offer_id: str | None
    browser: str | None
    sealed: str | None = Field(sa_type=Text)
    expires_at: datetime = Field(sa_type=Moment, index=True)
    used_at: datetime | None = Field(sa_type=Moment)


app_connection: Final[Table] = METADATA.tables["app_connection"]
app_ticket: Final[Table] = METADATA.tables["app_ticket"]
