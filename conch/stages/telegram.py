"""The pretend Telegram as a stage: a private chat and a group, drafts, answers that quote, words passed on."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.remote import ControlError, RemoteApp
from conch.stages.base import (
    BOT_NAME,
    BOT_USERNAME,
    GROUP,
    OWNER,
    PRIVATE,
    STRANGER,
    WAITED_IN_VAIN,
    Cast,
    Fault,
    Json,
    Outcome,
    Player,
    Screen,
    carried,
    drawn,
    drawn_file,
    drawn_rows,
    fault,
    new_key,
    to_the_bot,
)
from web.phones import Abilities, Content

SEND = "sendMessage"
PHOTOS = frozenset({"image/png", "image/jpeg"})


class TelegramStage:
    """See `conch.stages.base.Stage`."""

    name = "telegram"
    title = "Telegram"
    group_title = "Beach team"
    abilities = Abilities(replies="quote", forwards=True, writes_to="@Conch")

    faults: Sequence[Fault] = (
        fault("flood", "Too many requests", "Telegram has the bot wait for 5 seconds.", SEND, seconds=5.0),
        fault("slow", "Slow", "Telegram takes 5 seconds to answer.", SEND, seconds=5.0),
        fault("server_error", "Server error", "Telegram says that it is busy.", SEND, status=503),
        fault("cut", "Cut", "The line breaks before the answer is taken.", SEND),
        fault("lost", "Lost receipt", "It arrives, unknown to Conch: it may come twice.", SEND),
        fault("refuse_html", "Formatting refused", "Telegram does not take the markup.", SEND),
        fault("conflict", "Conflict", "Another program gets the messages for a minute.", "getUpdates", times=3),
    )

    async def cast(self, remote: RemoteApp) -> Cast:
        """A bot with a key of its own in each life, so that no message is mistaken for one of an earlier life."""
        bot = 10**9 + secrets.randbelow(9 * 10**9)
        token = f"{bot}:{new_key()}"
        about = {"token": token, "first_name": BOT_NAME, "username": BOT_USERNAME}
        await remote.ask("POST", "bots", about)
        players = {key: await _player(remote, key, name) for key, name in ((OWNER, "Ada"), (STRANGER, "Sam"))}
        members = [int(player.id) for player in players.values()]
        made = await remote.ask("POST", "groups", {"title": self.group_title, "members": members, "bots": [bot]})
        chats: dict[str, tuple[str | None, str]] = {player.id: (key, PRIVATE) for key, player in players.items()}
        group = str(made["id"])
        return Cast(str(bot), token, players, group, group, chats | {group: (None, GROUP)})

    async def connected(self, remote: RemoteApp, cast: Cast, endpoint: str | None) -> None:
        """Nothing: the bot asks for what is for it."""

    def screen(self, remote: RemoteApp, cast: Cast, person: str, place: str, thread: str | None) -> Screen:
        """A group by its chat, everything else by the bot."""
        where = {"chat": int(cast.group)} if place == GROUP else {"bot": int(cast.bot)}
        return Screen(remote, {"person": int(cast.players[person].id), **where}, place)

    async def messages(self, remote: RemoteApp, cast: Cast, person: str, place: str) -> tuple[Sequence[Json], Json]:
        """All of the chat."""
        look = await self.screen(remote, cast, person, place, None).look()
        return [_drawn(message) for message in look["messages"]], look

    def doing(self, look: Json) -> str:
        """Telegram's words for it."""
        return _doing(look["action"])

    def news(self, event: Json) -> tuple[str, Json] | None:
        """Messages, drafts, and what the bot is doing."""
        chat = str(event.get("chat"))
        match event["kind"]:
            case "message" | "edited" | "reaction":
                return chat, {"kind": "message", "message": _drawn(event["message"])}
            case "deleted":
                return chat, {"kind": "deleted", "id": str(event["message"]["id"])}
            case "draft":
                return chat, {"kind": "draft", "draft": event.get("draft")}
            case "action":
                return chat, {"kind": "doing", "doing": _doing(event.get("detail"))}
        return None

    def message_id(self, message: str) -> int:
        """A number."""
        return int(message)

    async def say(self, screen: Screen, text: str) -> None:
        """A long text goes in pieces, as the app sends it."""
        said = to_the_bot(text) if screen.place == GROUP else None
        await (screen.act("mention", text=said) if said is not None else screen.act("paste", text=text))

    async def attach(self, screen: Screen, file: Content, caption: str) -> None:
        """A photo is shown; a picture sent as a file would not be."""
        if file.mime in PHOTOS:
            await screen.act("photo", **carried(file, caption))
        else:
            await screen.act("file", name=file.name, **carried(file, caption))

    async def press(self, screen: Screen, message: str, labels: Sequence[str]) -> Outcome:
        """What comes is a line above the chat."""
        try:
            pressed = await screen.act("press", message=int(message), label=labels[0], wait=5.0)
        except ControlError as refusal:
            if refusal.status != WAITED_IN_VAIN:
                raise
            return Outcome()
        return Outcome(pressed["answer"]["text"])

    async def fill_in(self, screen: Screen, form: str, values: Mapping[str, str | Sequence[str]]) -> Outcome:
        """There are none."""
        raise LookupError("Telegram has no forms")


async def _player(remote: RemoteApp, key: str, name: str) -> Player:
    user = await remote.ask("POST", "people", {"first_name": name, "username": key, "language_code": "en"})
    return Player(key, str(user["id"]), name)


def _doing(action: str | None) -> str:
    if not action:
        return ""
    return "typing…" if action == "typing" else "sending a file…"


def _drawn(raw: Json) -> Mapping[str, Any]:
    return drawn(
        raw,
        parts=[{"kind": "entities", "text": raw["text"], "entities": raw["entities"]}] if raw["text"] else [],
        rows=drawn_rows(raw["buttons"], "", "", {"primary": "primary", "success": "primary", "danger": "danger"}),
        files=[drawn_file(raw["file"])] if raw["file"] else [],
        reply_to=str(raw["reply_to"]) if raw["reply_to"] is not None else None,
        quote=raw["quote"],
        edited=raw["edited_at"] is not None,
        service=(raw["service"] or "").replace("_", " "),
        forwarded_from=raw["forwarded_from"],
        reactions=list(raw["reactions"]),
    )
