"""The control address of a pretend Slack: what there is to look at, to make and to break.

Belongs here: Slack's own part of it. What a person can do is listed in `acts`; serving belongs to the shared control.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from channels.emulators.control import ControlRefusal, ControlServer, Routes
from channels.emulators.slack import acts
from channels.emulators.slack.people import Bot
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.seen import seen_message
from channels.emulators.slack.world import Change

Given = Mapping[str, Any]


class Control(ControlServer[Change]):
    """Serves the control address of one pretend Slack."""

    def __init__(self, slack: PretendSlack, secret: str) -> None:
        looking = Looking(slack)
        super().__init__(looking.routes, slack.world.journal, looking.event_json, looking.file, secret)


class Looking:
    """What the routes of the control address do."""

    def __init__(self, slack: PretendSlack) -> None:
        self._slack = slack

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
            ("POST", "disconnect"): self._disconnect,
            ("POST", "request_url"): self._request_url,
        }

    def file(self, file_id: str) -> bytes | None:
        """A file that stands in some chat."""
        stored = self._slack.world.files.get(file_id)
        return stored.data if stored is not None else None

    def event_json(self, number: int, event: Change) -> dict[str, Any]:
        """A change on a screen; a message looks as it did at that moment."""
        json: dict[str, Any] = {"number": number, "kind": event.kind}
        if event.chat is not None:
            json["chat"] = event.chat.id
            if event.chat.private and event.chat.bots:
                json["bot"] = event.chat.bots[0].id
        if event.message is not None:
            json["message"] = seen_message(event.message, self._slack.world.name_of, event.content).to_json()
            if event.message.only_for is not None:
                json["only_for"] = event.message.only_for
        if event.detail is not None:
            json["detail"] = dict(event.detail)
        return json

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def _state(self, _: Given) -> object:
        slack = self._slack
        world = slack.world
        return {
            "base_url": slack.base_url,
            "bots": [bot_json(bot) for bot in world.bots],
            "people": [person.user for person in world.people],
            "groups": [chat.to_json() for chat in world.chats.values() if not chat.private],
            "faults": [asdict(fault) for fault in slack.faults.waiting],
            "flood_control": slack.rates.on,
            "last_event": world.journal.last,
            "problems": slack.problems,
        }

    async def _screen(self, given: Given) -> object:
        screen = acts.screen(self._slack, given)
        home = screen.home if screen.chat.private else None
        return {
            "chat": screen.chat.id,
            "messages": [message.to_json() for message in screen.messages],
            "statuses": screen.statuses,
            "home": home.to_json() if home is not None else None,
            "last_act": screen.chat.acts.get(screen.person.id, "0"),
            "last_event": self._slack.world.journal.last,
        }

    async def _calls(self, given: Given) -> object:
        after, method = int(given.get("after", 0)), given.get("method")
        return [
            asdict(record) | {"number": number, "bot": record.bot_id}
            for number, record in self._slack.api.calls.after(after)
            if method is None or record.method == method
        ]

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def _add_bot(self, given: Given) -> object:
        return bot_json(self._slack.add_bot(**given))

    async def _add_person(self, given: Given) -> object:
        return self._slack.person(**given).user

    async def _add_group(self, given: Given) -> object:
        members = [acts.person(self._slack, member) for member in given["members"]]
        bots = [acts.bot(self._slack, bot) for bot in given["bots"]] if "bots" in given else None
        made = self._slack.channel(given["title"], members, bots=bots, private=bool(given.get("private")))
        return made.chat.to_json()

    async def _act(self, given: Given) -> object:
        """Do what `do` names, with the other fields as its arguments; see `acts`."""
        do = acts.ACTS.get(given["do"])
        if do is None:
            raise ControlRefusal(404, f"nobody can {given['do']!r}; they can {', '.join(sorted(acts.ACTS))}")
        return await do(self._slack, given)

    async def _add_fault(self, given: Given) -> object:
        return asdict(self._slack.faults.add(**given))

    async def _clear_faults(self, _: Given) -> object:
        self._slack.faults.clear()
        return {}

    async def _flood(self, given: Given) -> object:
        self._slack.rates.switch(bool(given["on"]))
        return {"on": self._slack.rates.on}

    async def _reachable(self, given: Given) -> object:
        await (self._slack.come_back() if given["on"] else self._slack.go_away())
        return {"on": bool(given["on"])}

    async def _disconnect(self, given: Given) -> object:
        bot = acts.bot(self._slack, given.get("bot"))
        await self._slack.disconnect(given.get("reason", "refresh_requested"), bot=bot)
        return {}

    async def _request_url(self, given: Given) -> object:
        await self._slack.set_request_url(given.get("url"), acts.bot(self._slack, given.get("bot")))
        return {"url": given.get("url")}


def bot_json(bot: Bot) -> dict[str, Any]:
    """An app with its tokens, which open nothing but this."""
    secrets = {"token": bot.token, "app_token": bot.app_token, "signing_secret": bot.signing_secret}
    return bot.user | secrets | {"bot_id": bot.bot_id, "app_id": bot.app_id, "commands": sorted(bot.commands)}
