"""The control address of a pretend Teams: what there is to look at, to make and to break.

Belongs here: Teams's own part of it. What a person can do is listed in `acts`; serving belongs to the shared control.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from channels.emulators.control import ControlRefusal, ControlServer, Routes
from channels.emulators.teams import acts
from channels.emulators.teams.chats import Chat
from channels.emulators.teams.people import Bot
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.seen import seen_message
from channels.emulators.teams.world import Change

Given = Mapping[str, Any]


class Control(ControlServer[Change]):
    """Serves the control address of one pretend Teams."""

    def __init__(self, teams: PretendTeams, secret: str) -> None:
        looking = Looking(teams)
        super().__init__(looking.routes, teams.world.journal, looking.event_json, looking.file, secret)


class Looking:
    """What the routes of the control address do."""

    def __init__(self, teams: PretendTeams) -> None:
        self._teams = teams

    @property
    def routes(self) -> Routes:
        """By method and path."""
        return {
            ("GET", "state"): self._state,
            ("GET", "screen"): self._screen,
            ("GET", "calls"): self._calls,
            ("POST", "bots"): self._add_bot,
            ("POST", "people"): self._add_person,
            ("POST", "groups"): self._add_group,
            ("POST", "act"): self._act,
            ("POST", "faults"): self._add_fault,
            ("POST", "faults/clear"): self._clear_faults,
            ("POST", "flood"): self._flood,
            ("POST", "reachable"): self._reachable,
            ("POST", "endpoint"): self._endpoint,
            ("POST", "keys"): self._keys,
        }

    def file(self, file_id: str) -> bytes | None:
        """A file that stands in some chat."""
        stored = self._teams.world.files.get(file_id)
        return stored.data if stored is not None else None

    def event_json(self, number: int, event: Change) -> dict[str, Any]:
        """A change on a screen; a message looks as it did at that moment, to the first person there."""
        json: dict[str, Any] = {"number": number, "kind": event.kind}
        if event.chat is not None:
            json["chat"] = event.chat.id
            if event.chat.private and event.chat.bots:
                json["bot"] = event.chat.bots[0].id
        if event.message is not None:
            person = event.message.chat.people[0]
            seen = seen_message(event.message, person, event.content, chips=event.kind != "deleted")
            json["message"] = seen.to_json()
        if event.detail is not None:
            json["detail"] = dict(event.detail)
        return json

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def _state(self, _: Given) -> object:
        teams = self._teams
        world = teams.world
        return {
            "base_url": teams.service_url,
            "service_url": teams.service_url,
            "login_url": teams.login_url,
            "openid_url": teams.openid_url,
            "issuer": teams.issuer,
            "bots": [bot_json(bot) for bot in world.bots],
            "people": [person.member for person in world.people],
            "groups": [chat_json(chat) for chat in world.chats.values() if not chat.private],
            "faults": [asdict(fault) for fault in teams.faults.waiting],
            "flood_control": teams.rates.on,
            "last_event": world.journal.last,
            "problems": teams.problems,
        }

    async def _screen(self, given: Given) -> object:
        screen = acts.screen(self._teams, given)
        return {
            "chat": screen.chat.id,
            "messages": [message.to_json() for message in screen.messages],
            "typing": screen.typing,
            "last_act": screen.chat.acts.get(screen.person.id, 0),
            "last_event": self._teams.world.journal.last,
        }

    async def _calls(self, given: Given) -> object:
        after, method = int(given.get("after", 0)), given.get("method")
        return [
            asdict(record) | {"number": number, "bot": record.bot_id}
            for number, record in self._teams.connector.calls.after(after)
            if method is None or record.method == method
        ]

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def _add_bot(self, given: Given) -> object:
        return bot_json(self._teams.add_bot(**given))

    async def _add_person(self, given: Given) -> object:
        return self._teams.person(**given).member

    async def _add_group(self, given: Given) -> object:
        """A channel of a team, or with `private` a group chat."""
        members = [acts.person(self._teams, member) for member in given["members"]]
        bots = [acts.bot(self._teams, bot) for bot in given["bots"]] if "bots" in given else None
        make = self._teams.group if given.get("private") else self._teams.team
        return chat_json(make(given["title"], members, bots=bots).chat)

    async def _act(self, given: Given) -> object:
        """Do what `do` names, with the other fields as its arguments; see `acts`."""
        do = acts.ACTS.get(given["do"])
        if do is None:
            raise ControlRefusal(404, f"nobody can {given['do']!r}; they can {', '.join(sorted(acts.ACTS))}")
        return await do(self._teams, given)

    async def _add_fault(self, given: Given) -> object:
        return asdict(self._teams.faults.add(**given))

    async def _clear_faults(self, _: Given) -> object:
        self._teams.faults.clear()
        return {}

    async def _flood(self, given: Given) -> object:
        self._teams.rates.switch(bool(given["on"]))
        return {"on": self._teams.rates.on}

    async def _reachable(self, given: Given) -> object:
        await (self._teams.come_back() if given["on"] else self._teams.go_away())
        return {"on": bool(given["on"])}

    async def _endpoint(self, given: Given) -> object:
        """Where a bot listens."""
        bot = acts.bot(self._teams, given.get("bot"))
        bot.endpoint = str(given.get("url") or "")
        return {"url": bot.endpoint}

    async def _keys(self, given: Given) -> object:
        """Sign with a new key from now on; `keep_old` leaves the old one published."""
        return {"kid": self._teams.world.tokens.roll_over(keep_old=bool(given.get("keep_old", True))).id}


def bot_json(bot: Bot) -> dict[str, Any]:
    """A bot with its secret, which opens nothing but this."""
    return bot.brief | {
        "app_id": bot.app_id,
        "password": bot.password,
        "tenant": bot.tenant,
        "endpoint": bot.endpoint,
    }


def chat_json(chat: Chat) -> dict[str, Any]:
    """A group chat or a channel."""
    return {"id": chat.id, "title": chat.title, "kind": str(chat.kind), "members": list(chat.members)}
