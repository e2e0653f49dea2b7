"""Looking at everything that is connected: each bot's app is asked, each engine, the database. Facts only.

In the running server or, with the parts at hand and nothing started, without one.
"""

import asyncio
from collections.abc import Sequence

from channels.reach import Probe
from conch.app import App
from core.apps.app import App as ConnectableApp
from core.errors import ConchError, NotAllowed, NotFound, Refused, RefusedReason, TryLater, UsageError
from core.store.channels import ChannelRecord
from core.store.inbox import Inbox
from core.store.outbox import OutboxRows
from core.store.probe import can_write
from web.diagnosis import Answer, AppSays, BotFacts, ConnectedApp, Diagnosis
from web.engines import EngineCommands

APP_SECONDS = 20.0
"""How long an app may take to answer."""

FETCH_SECONDS = 3.0
"""How long what waits at an app may stay there before it is looked at again: a message may be on its way."""


class Examination:
    """Examines a program. `running`: it is started, so what waits at an app is being fetched."""

    def __init__(self, app: App, engines: EngineCommands, *, running: bool) -> None:
        self._app = app
        self._engines = engines
        self._running = running
        self._inbox = Inbox(app.database)

    async def everything(self, bots: Sequence[ChannelRecord]) -> Diagnosis:
        """All facts. Bots and engines are asked side by side: it takes less than a minute however many there are."""
        asked = asyncio.gather(*(self.bot(bot) for bot in bots))
        engines, facts = await asyncio.gather(self._engines.list(), asked)
        unsent = await OutboxRows(self._app.database).counts()
        return Diagnosis(
            running=self._running,
            can_store=await can_write(self._app.database),
            bots=tuple(facts),
            engines=engines.engines,
            apps=await self._apps(),
            remarks=engines.remarks,
            unsent={state.value: count for state, count in unsent.items()},
        )

    async def _apps(self) -> tuple[ConnectedApp, ...]:
        apps = self._app.apps.apps
        return tuple([await self._usable(apps.find(each.app_id)) for each in await apps.connections()])

    async def _usable(self, app: ConnectableApp) -> ConnectedApp:
        try:
            await self._app.apps.apps.check(app.id)
        except NotAllowed:
            return ConnectedApp(id=app.id, name=app.name, answer=Answer.REFUSED)
        except TryLater:
            return ConnectedApp(id=app.id, name=app.name, answer=Answer.AWAY)
        return ConnectedApp(id=app.id, name=app.name, answer=Answer.WORKS)

    async def bot(self, record: ChannelRecord) -> BotFacts:
        """One bot alone."""
        says = await self._ask(record)
        counts = await self._inbox.counts(record.id)
        first = await self._inbox.pending(record.id, limit=1)
        health = self._app.registry.health().get(record.id)
        return BotFacts(
            name=f"@{record.username}" if record.username else record.name,
            kind=record.kind,
            enabled=record.enabled,
            app=says,
            state=health.state.value if health else None,
            detail=health.detail if health else None,
            since=health.since if health else None,
            last_event=health.last_event if health else None,
            pending=counts.pending,
            oldest=(self._app.clock.now() - first[0].at).total_seconds() if first else 0.0,
            poisoned=counts.poisoned,
        )

    async def _ask(self, record: ChannelRecord) -> AppSays:
        """What the app says. A receiver that works leaves nothing there, so what waits is looked at twice."""
        try:
            says = await self._probe(record)
            if self._running and says.waiting:
                await self._app.clock.sleep(FETCH_SECONDS)
                says = await self._probe(record)
        except (UsageError, NotFound) as fault:
            return AppSays(answer=Answer.UNREADABLE, words=str(fault))
        except Refused as refusal:
            return AppSays(answer=Answer.REFUSED, words=str(refusal))
        except (ConchError, TimeoutError) as trouble:
            return AppSays(answer=Answer.AWAY, words=str(trouble) or "No answer came in time.")
        return says

    async def _probe(self, record: ChannelRecord) -> AppSays:
        async with asyncio.timeout(APP_SECONDS):
            probe = await self._app.registry.probe(record.id)
        if probe.identity.bot_id != record.bot_id:
            raise Refused(f"The stored key belongs to another bot, {probe.identity.name}.", RefusedReason.FORBIDDEN)
        return AppSays(
            answer=Answer.WORKS, clock_ahead=self._ahead(probe), waiting=probe.waiting, troubles=probe.troubles
        )

    def _ahead(self, probe: Probe) -> float | None:
        """By how many seconds the app's clock is ahead; apps tell whole seconds, which are half over on average."""
        return None if probe.clock is None else (probe.clock - self._app.clock.now()).total_seconds() + 0.5
