"""The tables of signing in to the console and of what was done, beside those in `core.store.tables`."""

from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, Table, Text
from sqlmodel import Field

from core.store.moments import Moment
from core.store.tables import METADATA, RowId, Stored


class WebSessionRow(Stored, table=True):
    """A browser that is signed in. Only the SHA-256 of what it keeps is here; `id` names it on pages.

    `signed_in_at` is when the owner last proved who they are there, `last_seen` is exact to some minutes, `address` and
    `user_agent` are what the browser said at the last sign-in, cut to what a person reads.
    """

    __tablename__ = "web_session"

    id: str = Field(primary_key=True)
    session_hash: str = Field(unique=True)
    created_at: datetime = Field(sa_type=Moment)
    signed_in_at: datetime = Field(sa_type=Moment)
    last_seen: datetime = Field(sa_type=Moment)
    ends_at: datetime = Field(sa_type=Moment, index=True)
    address: str
    user_agent: str


class OwnerPasswordRow(Stored, table=True):
    """The owner's password, as an Argon2id hash with its own salt and cost. There is one row at most."""

    __tablename__ = "owner_password"

    owner: str = Field(primary_key=True)
    password_hash: str
    set_at: datetime = Field(sa_type=Moment)


class PasskeyRow(Stored, table=True):
    """A passkey. `credential_id` and `public_key` are base64url without padding, `transports` a list with commas.

    `rp_id` is the host name that it was made for: it works nowhere else (Web Authentication Level 2, 5.1.3).
    """

    __tablename__ = "passkey"

    credential_id: str = Field(primary_key=True)
    public_key: str = Field(sa_type=Text)
    sign_count: int = Field(sa_type=BigInteger)
    rp_id: str
    transports: str
    name: str
    created_at: datetime = Field(sa_type=Moment)
    last_used: datetime | None = Field(sa_type=Moment)


class AuditRow(Stored, table=True):
    """Something that was done: `what` is a stable code, `by` and `about` are words for people."""

    __tablename__ = "audit"

    id: int | None = Field(default=None, primary_key=True, sa_type=RowId)
    at: datetime = Field(sa_type=Moment, index=True)
    what: str
    by: str
    about: str
    address: str | None


web_session: Final[Table] = METADATA.tables["web_session"]
owner_password: Final[Table] = METADATA.tables["owner_password"]
passkey: Final[Table] = METADATA.tables["passkey"]
audit: Final[Table] = METADATA.tables["audit"]
