"""The connected bots: which there are, how they are connected, kept running, turned off and taken away."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog

from channels.base import Channel, ChannelKind, ChatRef, Form, Health, Identity, Pace, Press, Sender, Update
from channels.catchup import CatchUp
from channels.gate import Gate
from channels.outbox import Outbox
from channels.rates import Rates
from channels.reach import Endpoints, Invites, Probe, Probes, Pushed, Pushes, Remembers
from channels.relay import Relay
from channels.service import ChannelService
from channels.supervisor import Supervisor
from commands.values import ValueItem
from core.clock import Clock
from core.errors import NotAllowed, NotFound, UsageError
from core.preferences import Preferences
from core.safety.secrets import SecretBox
from core.store.channels import ChannelRecord, Channels

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Connected:
    """A bot that was connected.

    `link` opens a private chat that lets its sender in, `invite` brings the bot to where people can write to it; each
    where the app has such links. `endpoint` is where the app must be told to bring messages, where it must.
    """

    channel_id: str
    identity: Identity
    new: bool
    link: str | None
    invite: str | None
    endpoint: str | None = None


@dataclass(slots=True)
class _Live:
    record: ChannelRecord
    channel: Channel
    supervisor: Supervisor
    rates: Rates


@dataclass(frozen=True, slots=True)
class _ChannelSink:
    """What a channel hears belongs to the service."""

    service: ChannelService
    catch_up: CatchUp
    channel: Channel

    async def store(self, updates: Sequence[Update]) -> None:
        await self.service.receive(self.channel, updates)

    def online(self) -> None:
        """Read what was written while nobody listened."""
        self.catch_up.online(self.channel)

    async def form(self, press: Press) -> Form | None:
        return await self.service.form(self.channel, press)

    async def faults(self, press: Press) -> Mapping[str, str]:
        return await self.service.faults(self.channel, press)

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        return await self.service.suggest(chat, sender, command)


class ChannelRegistry:
    """Connects bots and keeps them running."""

    def __init__(
        self,
        *,
        kinds: Mapping[str, ChannelKind],
        records: Channels,
        secrets: SecretBox,
        service: ChannelService,
        catch_up: CatchUp,
        outbox: Outbox,
        relay: Relay,
        gate: Gate,
        preferences: Preferences,
        clock: Clock,
    ) -> None:
        self._kinds = kinds
        self._records = records
        self._secrets = secrets
        self._service = service
        self._catch_up = catch_up
        self._outbox = outbox
        self._relay = relay
        self._gate = gate
        self._preferences = preferences
        preferences.on_change(lambda _: self._keep_pace())
        self._clock = clock
        self._live: dict[str, _Live] = {}
        self._started = False

    # ---- the life of the program -----------------------------------------------------------------------------------

    async def open(self) -> None:
        """Make every bot that is on known to the relay and the outbox. Nothing is sent or received yet."""
        for record in await self._records.list():
            if record.enabled:
                self._build(record)

    async def start(self) -> None:
        """Send what was left behind, take up what was received and not seen through, and begin to receive.

        Before this, a bot that is connected or turned on is only remembered.
        """
        self._started = True
        for live in self._live.values():
            await self._begin(live)

    async def stop_receiving(self) -> None:
        """Take nothing new; sending goes on."""
        for live in self._live.values():
            await live.supervisor.stop()
        await self._catch_up.close()

    async def close(self) -> None:
        """Let go of every connection."""
        await self._catch_up.close()
        for live in self._live.values():
            await live.supervisor.stop()
            await live.channel.stop()
        self._live.clear()

    # ---- connecting ------------------------------------------------------------------------------------------------

    async def add(self, kind_name: str, pasted: str) -> Connected:
        """Connect a bot with whatever was pasted; the same bot again gets the new key.

        Raises:
            UsageError: there is no key in what was pasted, or no such kind.
            TryLater: the app could not be reached.
            Refused: the app does not accept the key.
        """
        kind = self._kind(kind_name)
        credentials = kind.find_credentials(pasted)
        if credentials is None:
            raise UsageError(
                f"There is no {kind_name.capitalize()} key in what you pasted, so nothing was sent anywhere."
            )
        identity = await kind.check(credentials)
        sealed = self._secrets.seal(credentials)
        record, new = await self._records.add(
            uuid.uuid4().hex[:12], kind_name, identity.bot_id, identity.name, identity.username, sealed
        )
        await self._end(record.id)
        if self._started:
            await self._begin(self._build(record))
        invite = kind.invite_link(identity) if isinstance(kind, Invites) else None
        endpoint = kind.endpoint(record.id) if isinstance(kind, Endpoints) else None
        return Connected(record.id, identity, new, await self.hello_link(record.id), invite, endpoint)

    async def hello_link(self, channel_id: str) -> str | None:
        """A new link that lets its sender in, once, within ten minutes; None where the app has no such links."""
        record = await self._record(channel_id)
        identity = Identity(record.bot_id, record.name, record.username)
        return self._kind(record.kind).hello_link(identity, await self._gate.new_hello_code(channel_id))

    async def set_enabled(self, channel_id: str, enabled: bool) -> None:
        """Turn a bot on or off. What waits to be sent stays stored while it is off."""
        record = await self._record(channel_id)
        await self._records.set_enabled(channel_id, enabled)
        await self._end(channel_id)
        if enabled and self._started:
            await self._begin(self._build(replace(record, enabled=True)))

    async def remove(self, channel_id: str) -> None:
        """Take a bot away, with its people; conversations stay."""
        await self._record(channel_id)
        await self._end(channel_id)
        self._relay.disconnect(channel_id)
        await self._records.remove(channel_id)

    # ---- what apps bring by themselves -----------------------------------------------------------------------------

    async def pushed(self, kind: str, channel_id: str, request: Pushed) -> Mapping[str, Any] | None:
        """A request came for a bot; see `Pushes.pushed`. A bot that is not there or is off is like a wrong sender."""
        live = self._live.get(channel_id)
        if live is None or live.record.kind != kind or not isinstance(live.channel, Pushes):
            raise NotAllowed("Nothing is to be brought here.")
        return await live.channel.pushed(request)

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def list(self) -> Sequence[ChannelRecord]:
        """Every connected bot, on or off."""
        return await self._records.list()

    def health(self) -> Mapping[str, Health]:
        """How each bot that is on is doing."""
        return {channel_id: live.supervisor.health for channel_id, live in self._live.items()}

    def kinds(self) -> Mapping[str, str]:
        """The app of each bot that is on."""
        return {channel_id: live.record.kind for channel_id, live in self._live.items()}

    async def probe(self, channel_id: str) -> Probe:
        """What the app says about a bot at this moment, whether it is on or off.

        Raises:
            NotFound: there is no such bot.
            UsageError: its key cannot be read, or nobody knows its app any more.
            TryLater, Refused: as for `ChannelKind.check`.
        """
        record = await self._record(channel_id)
        kind, credentials = self._kind(record.kind), self._secrets.open(record.credentials)
        if isinstance(kind, Probes):
            return await kind.probe(channel_id, credentials)
        return Probe(await kind.check(credentials))

    # ---- one channel -----------------------------------------------------------------------------------------------

    def _kind(self, name: str) -> ChannelKind:
        kind = self._kinds.get(name)
        if kind is None:
            raise UsageError(f"There is no chat app {name!r} here. There is: {', '.join(sorted(self._kinds))}.")
        return kind

    async def _record(self, channel_id: str) -> ChannelRecord:
        record = await self._records.get(channel_id)
        if record is None:
            raise NotFound(f"There is no connected bot {channel_id!r}.")
        return record

    def _build(self, record: ChannelRecord) -> _Live:
        identity = Identity(record.bot_id, record.name, record.username)
        credentials = self._secrets.open(record.credentials)
        channel = self._kind(record.kind).connect(record.id, credentials, identity)
        if isinstance(channel, Remembers):
            channel.remember_in(self._records.notebook(record.id))
        sink = _ChannelSink(self._service, self._catch_up, channel)
        supervisor = Supervisor(channel, sink, self._clock, on_usable=lambda: self._outbox.open(record.id))
        rates = Rates(self._pace(channel.capabilities.pace), self._clock)
        live = self._live[record.id] = _Live(record, channel, supervisor, rates)
        self._relay.connect(channel)
        return live

    async def _begin(self, live: _Live) -> None:
        await self._outbox.connect(live.channel, live.rates)
        await self._service.recover(live.channel)
        live.supervisor.start()

    async def _end(self, channel_id: str) -> None:
        live = self._live.pop(channel_id, None)
        if live is not None:
            await live.supervisor.stop()
            self._catch_up.stop(channel_id)
            self._outbox.disconnect(channel_id)
            await live.channel.stop()

    def _keep_pace(self) -> None:
        """A setting was changed; whoever waits already waits by what was set before."""
        for live in self._live.values():
            live.rates.keep(self._pace(live.channel.capabilities.pace))

    def _pace(self, pace: Pace) -> Pace:
        """The app's own pace, unless the settings say another."""
        settings = self._preferences.current
        per_chat, overall = settings.rate_per_chat, settings.rate_global
        if per_chat is not None:
            pace = replace(pace, per_chat=per_chat, per_group=per_chat)
        return replace(pace, overall=overall) if overall is not None else pace
