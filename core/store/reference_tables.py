"""The table of what adapters note down, beside those in `core.store.tables`."""

from typing import Final

from sqlalchemy import Table
from sqlmodel import Field

from core.store.tables import METADATA, Stored


class ReferenceRow(Stored, table=True):
    """What the adapter of one bot must know again after a restart, by a name of its own choice."""

    __tablename__ = "reference"

    channel_id: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    words: str


reference: Final[Table] = METADATA.tables["reference"]
