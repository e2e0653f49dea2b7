"""What is known of servers, channels and threads, from what the gateway tells of them; an event names only ids.

No network. What stands in the `place` of a stored event is made here, so that reading it needs nothing else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

THREADS = frozenset({10, 11, 12})
_TEXT = 0
"""Kinds of channel [discord.com/developers/docs/resources/channel, channel types]."""

_NAME = 60
"""Characters of a name that are shown; a name may be longer."""

MOST_THREADS = 10_000
"""Threads that are known; of more, those in which nothing was said for longest are forgotten."""


@dataclass(frozen=True, slots=True)
class Room:
    """A channel or a thread; `parent` is the channel of a thread, `owner` who opened it."""

    guild: str
    name: str
    parent: str | None = None
    owner: str | None = None


class Places:
    """The servers that the bot is in. Whatever Discord leaves out, or sends in another shape, is not known."""

    def __init__(self) -> None:
        self._guilds: dict[str, str] = {}
        self._rooms: dict[str, Room] = {}
        self._threads: dict[str, Room] = {}
        self._expected: set[str] = set()

    def learn(self, name: str, event: Mapping[str, Any]) -> None:
        """Take in what an event tells about places."""
        if name == "READY":
            self._expected = {str(guild.get("id")) for guild in _things(event, "guilds")}
        elif name in ("GUILD_CREATE", "GUILD_UPDATE"):
            self._guild(event)
        elif name in ("CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE"):
            self._room(event, str(event.get("guild_id", "")))
        elif name in ("CHANNEL_DELETE", "THREAD_DELETE"):
            self._rooms.pop(str(event.get("id")), None)
            self._threads.pop(str(event.get("id")), None)
        elif name == "THREAD_LIST_SYNC":
            self._all(_things(event, "threads"), str(event.get("guild_id", "")))
        elif name == "INTERACTION_CREATE" and isinstance(channel := event.get("channel"), dict):
            self._room(channel, str(event.get("guild_id", "")))

    def forget(self, guild_id: str) -> list[str]:
        """The bot is out of a server; the channels that it had."""
        self._guilds.pop(guild_id, None)
        self._expected.discard(guild_id)
        channels = [room_id for room_id, room in self._rooms.items() if room.guild == guild_id]
        for known in (self._rooms, self._threads):
            for room_id in [room_id for room_id, room in known.items() if room.guild == guild_id]:
                del known[room_id]
        return channels

    def is_new(self, guild_id: str) -> bool:
        """Whether the bot was just brought into this server: it was not named at the start, nor known since."""
        return guild_id not in self._expected and guild_id not in self._guilds

    def of(self, event: Mapping[str, Any]) -> dict[str, str]:
        """Where an event happened, as far as it is not in the event."""
        room_id = str(event.get("channel_id", ""))
        if (thread := self._threads.pop(room_id, None)) is not None:
            self._threads[room_id] = thread  # the last that would be forgotten
        room = thread or self._rooms.get(room_id)
        return {} if room is None else self._place(room)

    def greeting(self, guild: Mapping[str, Any]) -> dict[str, str]:
        """The room in which Discord greets, else the first for words."""
        channels = [room for room in _things(guild, "channels") if room.get("type") == _TEXT]
        first = str(min(channels, key=_position).get("id")) if channels else None
        system = guild.get("system_channel_id")
        found = system if isinstance(system, str) and system in self._rooms else first
        if found is None or found not in self._rooms:
            return {}
        return {"room": found} | self._place(self._rooms[found])

    def is_thread(self, room_id: str) -> bool:
        """Whether this is a thread that is there."""
        return room_id in self._threads

    def _place(self, room: Room) -> dict[str, str]:
        channel = self._rooms.get(room.parent) if room.parent else room
        server = self._guilds.get(room.guild, "")
        title = f"#{channel.name} ({server})" if channel and server else f"#{channel.name}" if channel else server
        found = {"title": title} if title else {}
        if room.parent is None:
            return found
        return found | {"parent": room.parent} | ({"owner": room.owner} if room.owner else {})

    def _guild(self, guild: Mapping[str, Any]) -> None:
        guild_id = str(guild.get("id"))
        self._guilds[guild_id] = str(guild.get("name", ""))[:_NAME]
        self._expected.discard(guild_id)
        self._all((*_things(guild, "channels"), *_things(guild, "threads")), guild_id)

    def _all(self, rooms: Iterable[Mapping[str, Any]], guild_id: str) -> None:
        for room in rooms:
            self._room(room, guild_id)

    def _room(self, room: Mapping[str, Any], guild_id: str) -> None:
        room_id, parent = room.get("id"), room.get("parent_id")
        if isinstance(room_id, str) and guild_id:
            name, owner = str(room.get("name", ""))[:_NAME], room.get("owner_id")
            if room.get("type") in THREADS and isinstance(parent, str):
                known = self._threads.pop(room_id, None)
                owner = owner if isinstance(owner, str) else known.owner if known else None
                self._threads[room_id] = Room(guild_id, name, parent, owner)
                if len(self._threads) > MOST_THREADS:
                    del self._threads[next(iter(self._threads))]
            else:
                self._rooms[room_id] = Room(guild_id, name)


def _position(room: Mapping[str, Any]) -> int:
    position = room.get("position")
    return position if isinstance(position, int) else 0


def _things(source: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = source.get(name)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
