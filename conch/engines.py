"""The model engines of this Conch: those that the owner connected, and those that were found on this machine.

Which of them answers is `core.engines.registry`'s to say, how one talks to its server is in `core.engines.models`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import structlog
from pydantic import SecretStr

from conch.home import Home
from conch.machine import Found, Machine
from conch.wanted import as_connected, expect_model, wanted
from core.clock import Clock
from core.engines.base import ModelInfo
from core.engines.late import LateEngine
from core.engines.models.contract import Connection
from core.engines.models.kinds import KINDS, address_of
from core.engines.registry import Engines, Standing
from core.errors import ConchError, NotFound, Refused, RefusedReason, TryLater, UsageError
from core.safety.redaction import MIN_SECRET
from core.safety.secrets import SecretBox
from core.store.engines import EngineRecord, EngineRows
from web.engines import NewEngine

_log = structlog.get_logger(__name__)

ANSWER_SECONDS: Final = 20.0
"""How long a server may take to say which models it has, before it counts as out of reach."""

LOOK_SECONDS: Final = 60.0
"""Between looks at the machine: a model server that is started later is found."""

_KEY: Final = "key"
"""The name of the key among the sealed credentials."""

Connect = Callable[[Connection], LateEngine]


def standing_of_found(place: Home) -> Standing:
    """How what is found is preferred: in the playground the demo goes on answering, so that its tour works."""
    return Standing.ASIDE if place.is_playground else Standing.FOUND


@dataclass(frozen=True, slots=True)
class Broken:
    """A connected engine that cannot be used; `why` says what to do."""

    record: EngineRecord
    why: str


@dataclass(frozen=True, slots=True)
class Connected:
    """An engine was connected. `new`: none of that name was before."""

    id: str
    new: bool


class EngineConnections:
    """Connects engines and lets them go.

    Args:
        engines: where they are put, and taken away again.
        rows: what the owner connected.
        secrets: seals the keys.
        connect: makes an engine; its library is not imported before it is needed.
        remember: takes every key that is used, so that no log ever shows one.
        clock: for the looks at the machine.
    """

    def __init__(
        self,
        *,
        engines: Engines,
        rows: EngineRows,
        secrets: SecretBox,
        connect: Connect,
        remember: Callable[[str], object],
        clock: Clock,
    ) -> None:
        self._engines = engines
        self._rows = rows
        self._secrets = secrets
        self._connect = connect
        self._remember = remember
        self._clock = clock
        self._made: list[LateEngine] = []
        self.broken: tuple[Broken, ...] = ()
        self.found: Mapping[str, Found] = {}
        """By id, what was found on this machine and is used."""
        self.remarks: tuple[str, ...] = ()
        """About what was found and cannot be used."""

    # ---- the life of the program -----------------------------------------------------------------------------------

    async def open(self, machine: Machine, standing: Standing = Standing.FOUND) -> None:
        """Take up what the owner connected, then what was found on this machine.

        An engine that cannot be used is left out and said, and keeps nothing back.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        self.broken = ()
        for record in await self._rows.list():
            try:
                self._put(self._connection(record), Standing.CONNECTED)
            except ConchError as fault:
                self.broken = (*self.broken, Broken(record, str(fault)))
                _log.warning("a connected engine cannot be used", engine=record.id, reason=str(fault))
        self.take(machine, standing)

    def take(self, machine: Machine, standing: Standing = Standing.FOUND) -> None:
        """Let what was found answer too, unless the owner connected something of that name.

        What was found once stays: whether it can be reached is looked at each time it is to answer.
        """
        self.remarks = machine.remarks
        for found in machine.found:
            if self._engines.get(found.kind) is not None:
                continue
            self.found = {**self.found, found.kind: found}
            connection = Connection(found.kind, found.title, found.kind, found.base_url, found.key)
            self._put(connection, standing)
            _log.info("an engine was found on this machine", engine=found.kind, by=found.source)

    async def watch(self, look: Callable[[], Awaitable[Machine]], standing: Standing = Standing.FOUND) -> None:
        """Look at the machine now and then, for as long as the program runs."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            self.take(await look(), standing)

    async def warm_up(self) -> None:
        """Import what the default engine takes, so that the first who asks it does not wait for that."""
        default = self._engines.default
        if isinstance(default, LateEngine):
            try:
                await default.engine()
            except ConchError as fault:
                _log.warning("the default engine cannot be used", engine=default.id, reason=str(fault))

    async def close(self) -> None:
        """Let go of all connections, also of engines that were taken away: turns of theirs may have gone on."""
        for engine in self._made:
            await engine.close()
        self._made.clear()

    # ---- connecting ------------------------------------------------------------------------------------------------

    async def add(self, new: NewEngine) -> Connected:
        """Connect an engine once its server said which models it has. One of that name gets the new key.

        Raises:
            UsageError: what was given does not fit; nothing was sent anywhere.
            NotFound: the server has no such model, or none at all; nothing was stored.
            Refused: it does not take the key; nothing was stored.
            TryLater: it could not be reached; nothing was stored.
        """
        connection = wanted(as_connected(new, await self._rows.list()))
        other = await self._of_that_name(connection)
        await self._check(connection)
        await self._rows.put(
            connection.id,
            kind=connection.kind,
            title=connection.title,
            base_url=connection.base_url,
            credentials=self._secrets.seal({_KEY: connection.key.get_secret_value()}) if connection.key else None,
            model=connection.model,
        )
        self.found = {name: found for name, found in self.found.items() if name != connection.id}
        self.broken = tuple(each for each in self.broken if each.record.id != connection.id)
        self._put(connection, Standing.CONNECTED)
        return Connected(connection.id, other is None)

    async def remove(self, engine_id: str) -> str:
        """Forget a connected engine and its key; its title.

        Raises:
            NotFound: the owner connected none of that name.
        """
        record = next((record for record in await self._rows.list() if record.id == engine_id), None)
        if record is None:
            raise NotFound(self._why_not_removed(engine_id))
        await self._rows.remove(engine_id)
        self.broken = tuple(each for each in self.broken if each.record.id != engine_id)
        if self._engines.standing(engine_id) is Standing.CONNECTED:
            self._engines.remove(engine_id)
        return record.title

    async def records(self) -> Sequence[EngineRecord]:
        """What the owner connected, the oldest first."""
        return await self._rows.list()

    def _why_not_removed(self, engine_id: str) -> str:
        if found := self.found.get(engine_id):
            return f"{found.title} is here by {found.source}, and not connected: take that away instead."
        return f"No engine “{engine_id}” is connected. `conch engines list` shows which are."

    async def _of_that_name(self, connection: Connection) -> EngineRecord | None:
        """The connected engine that this one replaces.

        Raises:
            UsageError: the name belongs to something else.
        """
        name = connection.id
        if self._engines.standing(name) is Standing.BUILT_IN:
            raise UsageError(f"“{name}” is built in. Give yours another name with --name.")
        other = next((record for record in await self._rows.list() if record.id == name), None)
        if other is not None and (other.kind, other.base_url) != (connection.kind, connection.base_url):
            raise UsageError(
                f"“{name}” is connected already, to {other.title}. Give this one another name with --name, "
                f"or take that one away first with `conch engines remove {name}`."
            )
        return other

    async def _check(self, connection: Connection) -> None:
        """Ask the server for its models, and look for the one that is wanted among them."""
        self._keep_out_of_logs(connection)
        models = await self._models_of(replace(connection, model=None))  # it would be taken for one that is there
        if not models:
            raise NotFound(f"{connection.title} answers, and has no model to talk to yet. Give it one, then try again.")
        if connection.model is not None:
            expect_model(connection.model, models, connection.title)

    async def _models_of(self, connection: Connection) -> Sequence[ModelInfo]:
        engine = self._connect(connection)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await engine.models()
        except (TryLater, TimeoutError) as reason:
            where = address_of(connection.kind, connection.base_url)
            raise TryLater(
                f"{connection.title} cannot be reached at {where}, so nothing was stored. "
                "See that it runs and that the address is right, then try again."
            ) from reason
        except Refused as refusal:
            if refusal.reason is not RefusedReason.AUTH:
                raise
            raise Refused(
                f"{connection.title} does not take this key, so nothing was stored. "
                "See that you copied the whole key and that it was not revoked, then try again.",
                RefusedReason.AUTH,
            ) from refusal
        finally:
            await engine.close()

    # ---- one engine ------------------------------------------------------------------------------------------------

    def _connection(self, record: EngineRecord) -> Connection:
        if record.kind not in KINDS:
            raise UsageError(
                f"This release knows no engines of the kind “{record.kind}”: run `conch engines remove {record.id}`."
            )
        key = self._secrets.open(record.credentials)[_KEY] if record.credentials else None
        secret = SecretStr(key) if key else None
        return Connection(record.id, record.title, record.kind, record.base_url, secret, record.model)

    def _put(self, connection: Connection, standing: Standing) -> None:
        self._keep_out_of_logs(connection)
        engine = self._connect(connection)
        self._made.append(engine)
        self._engines.add(engine, standing)

    def _keep_out_of_logs(self, connection: Connection) -> None:
        if connection.key is not None and len(connection.key.get_secret_value()) >= MIN_SECRET:
            self._remember(connection.key.get_secret_value())
