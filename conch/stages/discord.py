"""The pretend Discord as a stage: a private chat, a server's channel with threads, commands, lists and forms."""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.remote import RemoteApp
from conch.stages.base import (
    BOT_NAME,
    BOT_USERNAME,
    GROUP,
    OWNER,
    PRIVATE,
    STRANGER,
    Cast,
    Fault,
    Json,
    Outcome,
    Player,
    Screen,
    brought_by,
    carried,
    drawn,
    drawn_file,
    drawn_rows,
    fault,
    to_the_bot,
)
from web.phones import Abilities, Breakage, Content

SEND = "POST /channels/{channel_id}/messages"
PRIMARY, GREEN, DANGER = 1, 3, 4
"""Discord's numbers for a button's colour."""


class DiscordStage:
    """See `conch.stages.base.Stage`."""

    name = "discord"
    title = "Discord"
    group_title = "#general"
    abilities = Abilities(replies="quote", threads=True, writes_to="@Conch")

    faults: Sequence[Fault] = (
        fault("flood", "Too many requests", "Discord has the bot wait for 5 seconds.", SEND, seconds=5.0),
        fault("slow", "Slow", "Discord takes 5 seconds to answer.", SEND, seconds=5.0),
        fault("server_error", "Server error", "Discord says that it is busy.", SEND, status=503),
        fault("cut", "Cut", "The line breaks before the answer is taken.", SEND),
        fault("lost", "Lost receipt", "It arrives, unknown to Conch.", SEND),
        Fault(
            Breakage("reconnect", "Reconnect", "Discord asks the bot to connect anew."),
            [("gateway", {"what": "reconnect"})],
        ),
        Fault(
            Breakage("invalid", "Session lost", "Discord forgets what it had told the bot."),
            [("gateway", {"what": "invalidate", "resumable": False})],
        ),
    )

    async def cast(self, remote: RemoteApp) -> Cast:
        """A server with one channel."""
        bot = await remote.ask("POST", "bots", {"name": BOT_NAME, "username": BOT_USERNAME})
        players = {key: await _player(remote, key, name) for key, name in ((OWNER, "Ada"), (STRANGER, "Sam"))}
        members = [player.id for player in players.values()]
        made = await remote.ask("POST", "groups", {"title": "Beach", "members": members, "bots": [bot["id"]]})
        chats: dict[str, tuple[str | None, str]] = {}
        for key, player in players.items():
            chats[await _channel(remote, {"person": player.id, "bot": bot["id"]})] = (key, PRIVATE)
        room = await _channel(remote, {"person": players[OWNER].id, "group": made["id"]})
        return Cast(bot["id"], bot["token"], players, made["id"], room, chats | {room: (None, GROUP)})

    async def connected(self, remote: RemoteApp, cast: Cast, endpoint: str | None) -> None:
        """Nothing: the bot asks for what is for it."""

    def screen(self, remote: RemoteApp, cast: Cast, person: str, place: str, thread: str | None) -> Screen:
        """A channel of the server, perhaps one of its threads, or the chat with the bot."""
        where = {"group": cast.group} if place == GROUP else {"bot": cast.bot}
        under = {"thread": thread} if thread is not None else {}
        return Screen(remote, {"person": cast.players[person].id, **where, **under}, place, thread)

    async def messages(self, remote: RemoteApp, cast: Cast, person: str, place: str) -> tuple[Sequence[Json], Json]:
        """Those of the channel, and those of the threads that hang under them."""
        look = await self.screen(remote, cast, person, place, None).look()
        found = [_drawn(message) for message in look["messages"]]
        for thread in [message["thread"] for message in look["messages"] if message["thread"]]:
            inside = await self.screen(remote, cast, person, place, thread).look()
            found += [_drawn(message, thread) for message in inside["messages"]]
        return found, look

    def doing(self, look: Json) -> str:
        """Discord only knows that somebody types."""
        return "typing…" if look["typing"] else ""

    def news(self, event: Json) -> tuple[str, Json] | None:
        """Messages and typing; a thread is shown as part of its channel."""
        chat = event.get("parent") or event.get("channel")
        if chat is None:
            return None
        thread = event["channel"] if event.get("parent") else None
        match event["kind"]:
            case "message" | "edited" | "reaction":
                return chat, {"kind": "message", "message": _drawn(event["message"], thread)}
            case "deleted":
                return chat, {"kind": "deleted", "id": event["message"]["id"]}
            case "typing":
                return chat, {"kind": "doing", "doing": "typing…"}
        return None

    def message_id(self, message: str) -> str:
        """A snowflake."""
        return message

    async def say(self, screen: Screen, text: str) -> None:
        """A command that Discord offers is picked; anything else is written."""
        if text.startswith("/"):
            offered = {command["name"] for command in (await screen.look())["menu"]}
            if text[1:].partition(" ")[0] in offered:
                await screen.act("command", words=text[1:])
                return
        said = to_the_bot(text) if screen.place == GROUP else None
        await (screen.act("mention", text=said) if said is not None else screen.act("say", text=text))

    async def attach(self, screen: Screen, file: Content, caption: str) -> None:
        """Discord shows what is a picture."""
        await screen.act("file", name=file.name, **carried(file, caption))

    async def press(self, screen: Screen, message: str, labels: Sequence[str]) -> Outcome:
        """What comes is said in the chat, or is a form."""
        if len(labels) == 1:
            made = await screen.act("press", message=message, label=labels[0])
        else:
            made = await screen.act("choose", message=message, labels=list(labels))
        outcome = await brought_by(screen, made["press"])
        return Outcome(form=_drawn_form(outcome.form) if outcome.form else None)

    async def fill_in(self, screen: Screen, form: str, values: Mapping[str, str | Sequence[str]]) -> Outcome:
        """`form` is the press that opened it."""
        sent = await screen.act("fill_in", press=form, values=dict(values))
        return await brought_by(screen, sent["press"])


async def _player(remote: RemoteApp, key: str, name: str) -> Player:
    user = await remote.ask("POST", "people", {"name": name, "username": key})
    return Player(key, user["id"], name)


async def _channel(remote: RemoteApp, where: dict[str, Any]) -> str:
    channel: str = (await remote.ask("GET", "screen", where))["channel"]
    return channel


def _drawn(raw: Json, thread: str | None = None) -> Mapping[str, Any]:
    return drawn(
        raw,
        thread=thread,
        parts=[{"kind": kind, "text": text} for kind, text in raw["parts"]],
        rows=drawn_rows(raw["buttons"], "pick", "custom_id", {PRIMARY: "primary", GREEN: "success", DANGER: "danger"}),
        files=[drawn_file(file) for file in raw["files"]],
        reply_to=raw["reply_to"],
        edited=raw["edited_at"] is not None,
        only_you=raw["ephemeral"],
        writing=raw["thinking"],
        reactions=list(raw["reactions"]),
    )


def _drawn_form(raw: Json) -> Json:
    descriptions, options, values = raw["descriptions"] or {}, raw["options"] or {}, raw["values"] or {}
    fields = [
        {
            "label": label,
            "about": descriptions.get(name, ""),
            "required": name in raw["required"],
            "options": options.get(name),
            "several": name in raw["several"],
            "value": values.get(name, ""),
        }
        for name, label in raw["fields"].items()
    ]
    return {"id": raw["id"], "title": raw["title"], "text": "\n".join(raw["texts"]), "submit": "", "fields": fields}
