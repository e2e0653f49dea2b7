"""What the owner's commands do, with the parts at hand: in the running server, or over the data folder without one."""

from collections.abc import Callable, Sequence
from datetime import datetime

from channels.base import Health
from channels.gate import HELLO_LASTS
from conch.app import App
from conch.app_admin import AppAdmin
from conch.engine_admin import EngineAdmin
from conch.examination import Examination
from conch.kinds import CONNECT_ONE
from conch.printing import called, named
from conch.setting_admin import SettingAdmin, usage
from conch.token_admin import TokenAdmin
from core.errors import NotFound, UsageError
from core.store.audit import Audit, Deed, Doer
from core.store.channels import ChannelRecord
from core.store.groups import Group
from core.store.people import AccessRequest, Person, Role
from core.store.tokens import ApiTokens
from core.store.usage import UsageRows
from web.administration import (
    ChannelView,
    ConnectedView,
    GroupView,
    HelloView,
    PeopleView,
    PersonView,
    RequestView,
)
from web.diagnosis import BotFacts, Diagnosis
from web.preferences import UsageView

HIDDEN_KINDS = frozenset({"memory"})
"""The terminal's own bot: part of `conch chat`, nothing to administer."""

TERMINAL = "The terminal"
"""Who does something, where no other door is named."""

CONSOLE = "The console"
"""The same, for the owner's pages."""

BY = "console"
"""Who let someone in, as the record says it: the owner of the machine."""


class Admin:
    """Does the commands. `console_link` makes a link to the web side; None where no server runs.

    `by` says through which door they come, for what is written down of them.
    """

    def __init__(self, app: App, console_link: Callable[[], str] | None = None, by: str = TERMINAL) -> None:
        self._app = app
        self._console_link = console_link
        self.doer = Doer(Audit(app.database), by)
        self.engines = EngineAdmin(app.engines, app.connections, app.preferences, app.database, app.clock, self.doer)
        self.settings = SettingAdmin(app.preferences, app.engines, by=by)
        self.tokens = TokenAdmin(ApiTokens(app.database), self.doer)
        self.apps = AppAdmin(app.apps, self.doer)

    # ---- bots ------------------------------------------------------------------------------------------------------

    async def channels(self) -> Sequence[ChannelView]:
        """Every connected bot."""
        health = self._app.registry.health()
        return tuple(_channel(record, health.get(record.id)) for record in await self._records())

    async def add_channel(self, kind: str, pasted: str) -> ConnectedView:
        """Connect the bot whose key is in what was pasted."""
        if kind in HIDDEN_KINDS:
            raise UsageError("The terminal needs no key: run `conch chat`.")
        connected = await self._app.registry.add(kind, pasted)
        view = await self._view(connected.channel_id)
        await self.doer.did(Deed.BOT_CONNECTED if connected.new else Deed.BOT_KEY_CHANGED, _bot(view))
        hello = HelloView(channel=view, link=connected.link, expires_at=self._expiry())
        return ConnectedView(
            channel=view,
            updated=not connected.new,
            hello=hello,
            invite=connected.invite,
            endpoint=connected.endpoint,
        )

    async def link_channel(self, channel: str | None) -> HelloView:
        """A new hello link."""
        record = await self._find(channel)
        link = await self._app.registry.hello_link(record.id)
        view = await self._view(record.id)
        if link is not None:
            await self.doer.did(Deed.LINK_MADE, _bot(view))
        return HelloView(channel=view, link=link, expires_at=self._expiry())

    async def switch_channel(self, channel: str | None, on: bool) -> ChannelView:
        """Turn a bot on or off."""
        record = await self._find(channel)
        if record.enabled != on:
            await self._app.registry.set_enabled(record.id, on)
        view = await self._view(record.id)
        if record.enabled != on:
            await self.doer.did(Deed.BOT_ON if on else Deed.BOT_OFF, _bot(view))
        return view

    async def remove_channel(self, channel: str) -> ChannelView:
        """Forget a bot, its key and its people; conversations stay."""
        record = await self._find(channel or None)
        view = await self._view(record.id)
        await self._app.registry.remove(record.id)
        await self.doer.did(Deed.BOT_REMOVED, _bot(view))
        return view

    # ---- people ----------------------------------------------------------------------------------------------------

    async def people(self, channel: str | None) -> PeopleView:
        """Who is let in, blocked or asking."""
        records = await self._records() if channel is None else (await self._find(channel),)
        people: list[PersonView] = []
        requests: list[RequestView] = []
        for record in records:
            view = await self._view(record.id)
            people += [_person(view, person) for person in await self._app.people.list(record.id)]
            requests += [_request(view, request) for request in await self._app.people.requests(record.id)]
        return PeopleView(people=tuple(people), requests=tuple(requests))

    async def let_in(self, person_id: str, channel: str | None) -> PersonView:
        """Let someone in who wrote to the bot, or who is blocked."""
        record = await self._find_for(person_id, channel)
        known = await self._app.people.get(record.id, person_id)
        name, username = (known.name, known.username) if known else (None, None)
        requests = await self._app.people.requests(record.id)
        asked_in = next((each.chat_id for each in requests if each.person_id == person_id), None)
        await self._app.people.let_in(record.id, person_id, by=BY, name=name, username=username)
        person = await self._app.people.get(record.id, person_id)
        if person is not None and (known is None or known.role is Role.BLOCKED):
            await self._app.service.greet(person, asked_in)
        view = await self._person_view(record.id, person_id)
        if known is None or known.role is Role.BLOCKED:
            await self.doer.did(Deed.LET_IN, _person_of(view))
        return view

    async def block(self, person_id: str, channel: str | None) -> PersonView:
        """Block someone, and end whatever goes on for them."""
        record = await self._find_for(person_id, channel)
        await self._app.people.block(record.id, person_id)
        view = await self._person_view(record.id, person_id)
        await self.doer.did(Deed.BLOCKED, _person_of(view))
        await self._app.service.forget_person(record.id, person_id)
        return view

    async def remove_person(self, person_id: str, channel: str | None) -> PersonView:
        """Make someone a stranger again, and end whatever goes on for them."""
        record = await self._find_for(person_id, channel)
        view = await self._person_view(record.id, person_id)
        await self._app.people.remove(record.id, person_id)
        await self.doer.did(Deed.PERSON_REMOVED, _person_of(view))
        await self._app.service.forget_person(record.id, person_id)
        return view

    # ---- groups ----------------------------------------------------------------------------------------------------

    async def groups(self, channel: str | None) -> Sequence[GroupView]:
        """The groups that bots are in."""
        records = await self._records() if channel is None else (await self._find(channel),)
        groups: list[GroupView] = []
        for record in records:
            view = await self._view(record.id)
            groups += [_group(view, group) for group in await self._app.groups.list(record.id)]
        return tuple(groups)

    async def switch_group(self, group_id: str, channel: str | None, on: bool) -> GroupView:
        """Turn a group on, or off and end whatever goes on there."""
        found = [group.channel for group in await self.groups(channel) if group.id == group_id]
        if not found:
            raise NotFound(
                "No group of that id is known here. `conch groups list` shows which are: those that the bot was "
                "brought into or is mentioned in, the newest 20."
            )
        if len(found) > 1:
            names = ", ".join(called(each) for each in found)
            raise UsageError(f"Say which bot with --bot; in this group there are {names}.")
        group = await self._app.groups.switch(found[0].id, group_id, on)
        title = group.title.strip() or group.chat_id
        await self.doer.did(Deed.GROUP_ON if on else Deed.GROUP_OFF, f"“{title}”, for {_bot(found[0])}")
        if not on:
            await self._app.service.quieten_group(group.channel_id, group.chat_id)
        return _group(found[0], group)

    # ---- everything at once ----------------------------------------------------------------------------------------

    async def diagnose(self) -> Diagnosis:
        """Ask every bot's app, every engine and the database."""
        examination = Examination(self._app, self.engines, running=self._console_link is not None)
        return await examination.everything(await self._records())

    async def diagnose_bot(self, channel: str) -> BotFacts:
        """Ask one bot's app."""
        examination = Examination(self._app, self.engines, running=self._console_link is not None)
        return await examination.bot(await self._find(channel))

    async def usage(self, days: int) -> UsageView:
        """What was used of models."""
        return await usage(UsageRows(self._app.database), self._app.preferences, self._app.clock, days)

    # ---- the web side ----------------------------------------------------------------------------------------------

    async def console_link(self) -> str:
        """A new one-time link."""
        if self._console_link is None:
            raise UsageError("Conch is not running. Start it with `conch serve`: it prints a link.")
        return self._console_link()

    # ---- finding ---------------------------------------------------------------------------------------------------

    async def _records(self) -> Sequence[ChannelRecord]:
        return [record for record in await self._app.registry.list() if record.kind not in HIDDEN_KINDS]

    async def _find(self, channel: str | None) -> ChannelRecord:
        """A bot by id or username; without either the only one there is."""
        records = await self._records()
        if not records:
            raise NotFound(f"No bot is connected. Connect one with {CONNECT_ONE}.")
        wanted = (channel or "").removeprefix("@").lower()
        found = [each for each in records if not wanted or wanted in (each.id, (each.username or "").lower())]
        if len(found) == 1:
            return found[0]
        names = ", ".join(_called(each) for each in records)
        if not found:
            raise NotFound(f"There is no bot “{channel}”. There is: {names}.")
        raise UsageError(f"Say which bot, by its username or id. There is: {names}.")

    async def _find_for(self, person_id: str, channel: str | None) -> ChannelRecord:
        """The bot that this person wrote to or is known to, where none is named; each app has its own ids."""
        records = await self._records()
        if channel or len(records) < 2:
            return await self._find(channel)
        of = [each for each in records if await self._app.people.is_known_to(each.id, person_id)]
        if len(of) == 1:
            return of[0]
        if not of:
            raise NotFound("Nobody of that id is known here. `conch people list` shows who is, and who asks.")
        ways = " or ".join(f"`--bot {each.id}` ({_called(each)})" for each in of)
        raise UsageError(f"Several bots know this id. Add {ways}.")

    async def _view(self, channel_id: str) -> ChannelView:
        record = next(each for each in await self._app.registry.list() if each.id == channel_id)
        return _channel(record, self._app.registry.health().get(channel_id))

    async def _person_view(self, channel_id: str, person_id: str) -> PersonView:
        person = await self._app.people.get(channel_id, person_id)
        if person is None:
            raise NotFound("Nobody of that id is known here. `conch people list` shows who is.")
        return _person(await self._view(channel_id), person)

    def _expiry(self) -> datetime:
        return self._app.clock.now() + HELLO_LASTS


def _called(record: ChannelRecord) -> str:
    return f"@{record.username}" if record.username else f"{record.name} ({record.id})"


def _bot(view: ChannelView) -> str:
    """A bot and its app, in words."""
    return f"{called(view)} ({view.kind.capitalize()})"


def _person_of(view: PersonView) -> str:
    """Somebody and their bot, in words."""
    return f"{named(view)}, for {_bot(view.channel)}"


def _channel(record: ChannelRecord, health: Health | None) -> ChannelView:
    return ChannelView(
        id=record.id,
        kind=record.kind,
        name=record.name,
        username=record.username,
        enabled=record.enabled,
        state=health.state.value if health else None,
        detail=health.detail if health else None,
        last_event=health.last_event if health else None,
    )


def _person(channel: ChannelView, person: Person) -> PersonView:
    return PersonView(
        channel=channel,
        id=person.person_id,
        name=person.name,
        username=person.username,
        role=person.role.value,
        since=person.since,
        last_seen=person.last_seen,
    )


def _group(channel: ChannelView, group: Group) -> GroupView:
    return GroupView(channel=channel, id=group.chat_id, title=group.title, on=group.on, last_heard=group.heard_at)


def _request(channel: ChannelView, request: AccessRequest) -> RequestView:
    return RequestView(
        channel=channel,
        person_id=request.person_id,
        name=request.name,
        username=request.username,
        preview=request.preview,
        at=request.at,
    )
