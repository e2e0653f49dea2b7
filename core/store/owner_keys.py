"""What the owner signs in with at the console: a password, as a hash, and the public parts of passkeys."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import delete, select, update

from core.store import console_tables
from core.store.database import Database
from core.store.statements import insert_into

_PASSWORD = console_tables.owner_password
_PASSKEY = console_tables.passkey

OWNER: Final = "owner"
"""There is one."""


@dataclass(frozen=True, slots=True)
class KnownPasskey:
    """A passkey. `credential_id` and `public_key` are base64url; `rp_id` is the host name that it was made for."""

    credential_id: str
    public_key: str
    sign_count: int
    rp_id: str
    transports: str
    name: str
    created_at: datetime
    last_used: datetime | None = None


class OwnerKeyRows:
    """Keeps them. Whatever is written raises StoreUnavailable where nothing was."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def password_hash(self) -> str | None:
        """The hash, with its own salt and cost."""
        query = select(_PASSWORD.c.password_hash).where(_PASSWORD.c.owner == OWNER)
        return await self._database.read(lambda connection: connection.execute(query).scalar())

    async def set_password(self, password_hash: str) -> None:
        """Keep this one, in place of an earlier one."""
        values = {"password_hash": password_hash, "set_at": self._database.now()}

        await self._database.write(
            lambda connection: connection.execute(
                insert_into(connection, _PASSWORD)
                .values(owner=OWNER, **values)
                .on_conflict_do_update(index_elements=["owner"], set_=values)
            )
        )

    async def remove_password(self) -> None:
        """Have none."""
        await self._database.write(lambda connection: connection.execute(delete(_PASSWORD)))

    async def passkeys(self) -> Sequence[KnownPasskey]:
        """Every one, the oldest first."""
        query = select(_PASSKEY).order_by(_PASSKEY.c.created_at, _PASSKEY.c.credential_id)
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [KnownPasskey(**row._mapping) for row in rows]

    async def add_passkey(self, passkey: KnownPasskey) -> None:
        """Keep a new one."""
        row = asdict(passkey)
        await self._database.write(lambda connection: connection.execute(insert_into(connection, _PASSKEY).values(row)))

    async def passkey_used(self, credential_id: str, sign_count: int, at: datetime) -> None:
        """Remember how often it signed, and when."""
        statement = update(_PASSKEY).where(_PASSKEY.c.credential_id == credential_id)
        values = {"sign_count": sign_count, "last_used": at}
        await self._database.write(lambda connection: connection.execute(statement.values(values)))

    async def remove_passkey(self, credential_id: str) -> None:
        """Forget one."""
        statement = delete(_PASSKEY).where(_PASSKEY.c.credential_id == credential_id)
        await self._database.write(lambda connection: connection.execute(statement))
