"""The control address of a pretend Discord: what there is to look at, to make and to break.

Belongs here: Discord's own part of it. What a person can do is listed in `acts`; serving belongs to the shared control.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from channels.emulators.control import ControlRefusal, ControlServer, Routes
from channels.emulators.discord import acts
from channels.emulators.discord.interactions import Interaction
from channels.emulators.discord.people import Bot
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.seen import seen_message
from channels.emulators.discord.world import Event

Given = Mapping[str, Any]


class Control(ControlServer[Event]):
    """Serves the control address of one pretend Discord."""

    def __init__(self, discord: PretendDiscord, secret: str) -> None:
        looking = Looking(discord)
        super().__init__(looking.routes, discord.world.journal, looking.event_json, looking.file, secret)


class Looking:
    """What the routes of the control address do."""

    def __init__(self, discord: PretendDiscord) -> None:
        self._discord = discord

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
            ("POST", "gateway"): self._gateway,
        }

    def file(self, file_id: str) -> bytes | None:
        """A file that stands in some channel."""
        stored = self._discord.api.attachment(file_id)
        return stored.data if stored is not None else None

    def event_json(self, number: int, event: Event) -> dict[str, Any]:
        """A change on a screen; a message looks as it did at that moment."""
        json: dict[str, Any] = {"number": number, "kind": event.kind}
        if event.channel is not None:
            json["channel"] = event.channel.id
            if event.channel.parent is not None:
                json["parent"] = event.channel.parent.id
            if event.channel.bot is not None:
                json["bot"] = event.channel.bot.id
        if event.message is not None:
            names = {account.id: account.name for account in self._discord.world.accounts.values()}
            json["message"] = seen_message(event.message, names, event.content).to_json()
            if event.message.only_for is not None:
                json["only_for"] = event.message.only_for.id
        if isinstance(event.detail, Interaction):
            json["press"] = {"id": event.detail.id, "answer": event.detail.answer or None}
        elif isinstance(event.detail, str):
            json["detail"] = event.detail
        return json

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def _state(self, _: Given) -> object:
        discord = self._discord
        world = discord.world
        return {
            "base_url": discord.base_url,
            "gateway_url": discord.gateway_url,
            "bots": [bot_json(bot) for bot in world.bots.values()],
            "people": [account.user for account in world.accounts.values() if not account.is_bot],
            "groups": [
                {"id": g.id, "name": g.name, "channels": [c.name for c in g.channels.values()]}
                for g in world.guilds.values()
            ],
            "faults": [asdict(fault) for fault in discord.faults.waiting],
            "flood_control": discord.rates.on,
            "last_event": world.journal.last,
            "problems": discord.problems,
        }

    async def _screen(self, given: Given) -> object:
        screen = acts.screen(self._discord, given)
        return {
            "channel": screen.channel.id,
            "messages": [message.to_json() for message in screen.messages],
            "typing": screen.typing,
            "menu": [asdict(command) for command in screen.menu],
            "last_command": screen.channel.asked.get(screen.person.id),
            "last_act": screen.channel.acts.get(screen.person.id, "0"),
            "last_event": self._discord.world.journal.last,
        }

    async def _calls(self, given: Given) -> object:
        after, route = int(given.get("after", 0)), given.get("method")
        return [
            asdict(record) | {"number": number, "method": record.route}
            for number, record in self._discord.api.calls.after(after)
            if route is None or record.route.lower() == route.lower()
        ]

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def _add_bot(self, given: Given) -> object:
        return bot_json(self._discord.add_bot(given["name"], given["username"], token=given.get("token")))

    async def _add_person(self, given: Given) -> object:
        return self._discord.person(**given).user

    async def _add_group(self, given: Given) -> object:
        members = [acts.person(self._discord, member) for member in given["members"]]
        bots = [acts.bot(self._discord, bot) for bot in given["bots"]] if "bots" in given else None
        made = self._discord.guild(given["title"], members, bots=bots)
        return {"id": made.id, "name": made.guild.name}

    async def _act(self, given: Given) -> object:
        """Do what `do` names, with the other fields as its arguments; see `acts`."""
        do = acts.ACTS.get(given["do"])
        if do is None:
            raise ControlRefusal(404, f"nobody can {given['do']!r}; they can {', '.join(sorted(acts.ACTS))}")
        return await do(self._discord, given)

    async def _add_fault(self, given: Given) -> object:
        return asdict(self._discord.faults.add(**given))

    async def _clear_faults(self, _: Given) -> object:
        self._discord.faults.clear()
        return {}

    async def _flood(self, given: Given) -> object:
        self._discord.rates.switch(bool(given["on"]))
        return {"on": self._discord.rates.on}

    async def _reachable(self, given: Given) -> object:
        await (self._discord.come_back() if given["on"] else self._discord.go_away())
        return {"on": bool(given["on"])}

    async def _gateway(self, given: Given) -> object:
        """Break the gateway: `reconnect`, `drop` with a `code`, `invalidate`, or `acknowledges` off and on."""
        gateway, what = self._discord.gateway, given["what"]
        if what == "reconnect":
            gateway.reconnect()
        elif what == "drop":
            gateway.drop(int(given.get("code", 4000)))
        elif what == "invalidate":
            gateway.invalidate(resumable=bool(given.get("resumable")))
        elif what == "acknowledges":
            gateway.acknowledges = bool(given["on"])
        else:
            raise ControlRefusal(404, f"the gateway cannot {what!r}")
        return {}


def bot_json(bot: Bot) -> dict[str, Any]:
    """A bot with its token, which opens nothing but this."""
    return bot.user | {
        "token": bot.token,
        "application_id": bot.application_id,
        "reads_all": bot.reads_content,
        "online": bot.online,
    }
