"""What the bot knows of its workspace: people's names, the rooms of private chats, the channels that it is in.

Slack's messages name people and rooms by ids only. What is known goes into what is stored of a message, and what is
looked up after that beside it, so that `parse` needs to ask nobody and no acknowledgement waits.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import structlog

from channels.slack import render
from channels.slack.client import SlackClient
from channels.slack.fields import Json, text, thing, things
from core.clock import Clock
from core.errors import ConchError, Refused, RefusedReason, TryLater

LOOK_SECONDS: Final = 2.0
"""How long a message that is stored waits for a name before it is taken without."""
MOST_NAMED: Final = 5
"""People whose names one message makes us look up."""
_REMEMBERED: Final = 20_000

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class About:
    """Whom and what a message names by ids: its room, people, and whose private chat the room may be."""

    room: str
    people: tuple[str, ...] = ()
    may_be_room_of: str | None = None

    @property
    def named(self) -> tuple[str, ...]:
        """The people whose names are looked up: whoever wrote, and some that are mentioned."""
        return tuple(dict.fromkeys(self.people))[: MOST_NAMED + 1]


class Workspace:
    """One bot's knowledge."""

    def __init__(self, client: SlackClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._names: dict[str, str] = {}
        self._rooms: dict[str, str] = {}
        self._channels: dict[str, str | None] = {}

    async def load(self) -> None:
        """Look up which channels the bot is in. That it cannot be told is no fault: events tell, too."""
        try:
            cursor = ""
            while True:
                page = await self._client.call(render.own_rooms(cursor))
                for channel in things(page, "channels"):
                    if room := text(channel, "id"):
                        self.came_into(room, text(channel, "name"))
                cursor = text(thing(page, "response_metadata") or {}, "next_cursor") or ""
                if not cursor:
                    return
        except (TryLater, ValueError) as reason:
            _log.warning("the bot's channels are not known yet", reason=str(reason))
        except Refused as refusal:
            if refusal.reason is RefusedReason.AUTH:
                raise
            _log.warning("the bot's channels cannot be listed", reason=str(refusal))

    # ---- channels --------------------------------------------------------------------------------------------------

    def is_in(self, room: str) -> bool:
        """Whether the bot is in this channel."""
        return room in self._channels

    def came_into(self, room: str, title: str | None = None) -> None:
        """The bot is in this channel."""
        _remember(self._channels, room, title or self._channels.get(room))

    def went_out(self, room: str) -> None:
        """The bot is in this channel no more."""
        self._channels.pop(room, None)

    # ---- private chats ---------------------------------------------------------------------------------------------

    async def room_of(self, person_id: str) -> str:
        """Slack's id of the private chat's room.

        Raises:
            TryLater, Refused: as for `SlackClient.call`.
        """
        if (known := self._rooms.get(person_id)) is not None:
            return known
        opened = await self._client.call(render.open_room(person_id))
        room = text(thing(opened, "channel") or {}, "id")
        if room is None:
            raise TryLater("Slack does not say where this private chat is.")
        self.has_room(person_id, room)
        return room

    def has_room(self, person_id: str, room: str) -> None:
        """The person's private chat is there."""
        _remember(self._rooms, person_id, room)

    # ---- what goes into a message ----------------------------------------------------------------------------------

    def known(self, about: About) -> dict[str, Any]:
        """What is known of it now, as `parse.Known` reads it."""
        whose = about.may_be_room_of
        return {
            "names": {person: self._names[person] for person in about.named if person in self._names},
            "title": self._channels.get(about.room),
            "member": about.room in self._channels,
            "own_room": whose is not None and self._rooms.get(whose) == about.room,
            "at": self._clock.now().timestamp(),
        }

    async def look_up(self, about: About) -> None:
        """Ask Slack for what is not known of it; what does not come soon is done without."""
        looks = [self._look_for_name(person) for person in about.named if person not in self._names]
        if about.room in self._channels and self._channels[about.room] is None:
            looks.append(self._look_for_title(about.room))
        if about.may_be_room_of is not None and about.may_be_room_of not in self._rooms:
            looks.append(self._look_for_room(about.may_be_room_of))
        if looks:
            tasks = [asyncio.ensure_future(look) for look in looks]
            try:
                await asyncio.wait(tasks, timeout=LOOK_SECONDS)
            finally:
                for task in tasks:
                    task.cancel()

    async def _look_for_name(self, person_id: str) -> None:
        try:
            found = await self._client.call(render.person(person_id))
            _remember(self._names, person_id, _name(thing(found, "user") or {}) or person_id)
        except (ConchError, ValueError) as reason:
            _log.info("a name is not known", person=person_id, reason=str(reason))

    async def _look_for_title(self, room: str) -> None:
        try:
            found = thing(await self._client.call(render.room(room)), "channel") or {}
            _remember(self._channels, room, text(found, "name") or room)
        except (ConchError, ValueError) as reason:
            _log.info("a channel's name is not known", channel=room, reason=str(reason))

    async def _look_for_room(self, person_id: str) -> None:
        try:
            await self.room_of(person_id)
        except (ConchError, ValueError) as reason:
            _log.info("a private chat's room is not known", person=person_id, reason=str(reason))


def _name(user: Json) -> str | None:
    profile: Mapping[str, Any] = thing(user, "profile") or {}
    return text(profile, "display_name") or text(profile, "real_name") or text(user, "real_name") or text(user, "name")


def _remember(known: dict[str, Any], name: str, value: object) -> None:
    """Keep it, and of all only the newest."""
    known.pop(name, None)
    known[name] = value
    if len(known) > _REMEMBERED:
        del known[next(iter(known))]
