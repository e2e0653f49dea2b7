"""The table of messages that are being written in chats, beside those in `core.store.tables`."""

from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, Table
from sqlmodel import Field

from core.store.moments import Moment
from core.store.tables import METADATA, Stored


class PreviewRow(Stored, table=True):
    """A chat app's message that a turn began and no stored message ends yet."""

    __tablename__ = "preview"

    conversation_id: str = Field(primary_key=True)
    turn_seq: int = Field(primary_key=True, sa_type=BigInteger)
    message_id: str = Field(primary_key=True)
    words_id: str
    opened_at: datetime = Field(sa_type=Moment)


preview: Final[Table] = METADATA.tables["preview"]
