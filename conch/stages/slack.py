"""The pretend Slack as a stage: direct messages and a channel, both with threads, `/conch`, lists and forms."""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.remote import ControlError, RemoteApp
from conch.stages.base import (
    BOT_NAME,
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
)
from web.phones import Abilities, Breakage, Content

POST, STREAM = "chat.postMessage", "chat.startStream"
EMOJI = {
    "eyes": "👀",
    "white_check_mark": "✅",
    "hourglass_flowing_sand": "⏳",
    "x": "❌",
    "thumbsup": "👍",
    "+1": "👍",
}


class SlackStage:
    """See `conch.stages.base.Stage`."""

    name = "slack"
    title = "Slack"
    group_title = "#beach"
    abilities = Abilities(replies="thread", threads=True, writes_to="@Conch", command="/conch")

    faults: Sequence[Fault] = (
        fault("ratelimited", "Too many requests", "Slack has the bot wait for 5 seconds.", POST, STREAM, seconds=5.0),
        fault("slow", "Slow", "Slack takes 5 seconds to answer.", POST, STREAM, seconds=5.0),
        fault("server_error", "Server error", "Slack says that it is busy.", POST, STREAM, status=503),
        fault("cut", "Cut", "The line breaks before the answer is taken.", POST, STREAM),
        fault("lost", "Lost receipt", "It arrives, unknown to Conch: it may come twice.", POST, STREAM),
        fault("lost_ack", "Told twice", "Slack does not hear that it was heard.", "events_api"),
        Fault(
            Breakage("disconnect", "Reconnect", "Slack asks the bot to connect anew."),
            [("disconnect", {"reason": "refresh_requested"})],
        ),
    )

    async def cast(self, remote: RemoteApp) -> Cast:
        """A workspace with one channel."""
        bot = await remote.ask("POST", "bots", {"name": BOT_NAME})
        players = {key: await _player(remote, key, name) for key, name in ((OWNER, "Ada"), (STRANGER, "Sam"))}
        members = [player.id for player in players.values()]
        title = self.group_title.removeprefix("#")
        made = await remote.ask("POST", "groups", {"title": title, "members": members, "bots": [bot["id"]]})
        chats: dict[str, tuple[str | None, str]] = {made["id"]: (None, GROUP)}
        for key, player in players.items():
            look = await remote.ask("GET", "screen", {"person": player.id, "bot": bot["id"]})
            chats[look["chat"]] = (key, PRIVATE)
        return Cast(bot["id"], f"{bot['app_token']}\n{bot['token']}", players, made["id"], made["id"], chats)

    async def connected(self, remote: RemoteApp, cast: Cast, endpoint: str | None) -> None:
        """Nothing: the bot asks for what is for it."""

    def screen(self, remote: RemoteApp, cast: Cast, person: str, place: str, thread: str | None) -> Screen:
        """A channel, or the direct messages with the bot; a thread is part of it."""
        where = {"chat": cast.group} if place == GROUP else {"bot": cast.bot}
        return Screen(remote, {"person": cast.players[person].id, **where}, place, thread)

    async def messages(self, remote: RemoteApp, cast: Cast, person: str, place: str) -> tuple[Sequence[Json], Json]:
        """All of the chat, threads among it."""
        look = await self.screen(remote, cast, person, place, None).look()
        return [_drawn(message) for message in look["messages"]], look

    def doing(self, look: Json) -> str:
        """What the bot says that it is doing, in whichever thread."""
        return next(iter(look["statuses"].values()), "")

    def news(self, event: Json) -> tuple[str, Json] | None:
        """Messages, and what the bot says that it is doing."""
        chat = event.get("chat")
        if chat is None:
            return None
        match event["kind"]:
            case "message" | "edited" | "reaction":
                return chat, {"kind": "message", "message": _drawn(event["message"])}
            case "deleted":
                return chat, {"kind": "deleted", "id": event["message"]["id"]}
            case "status":
                return chat, {"kind": "doing", "doing": event["detail"]["status"]}
        return None

    def message_id(self, message: str) -> str:
        """A time stamp."""
        return message

    async def say(self, screen: Screen, text: str) -> None:
        """What begins with a slash is a command of some app's; what Slack does not know, Slack refuses."""
        if text.startswith("/"):
            name, _, words = text.partition(" ")
            await screen.act("slash", name=name, words=words)
        else:
            await screen.act("say", text=text, thread=screen.thread)

    async def attach(self, screen: Screen, file: Content, caption: str) -> None:
        """Slack shows what is a picture; in an open thread it goes there."""
        await screen.act("file", name=file.name, thread=screen.thread, **carried(file, caption))

    async def press(self, screen: Screen, message: str, labels: Sequence[str]) -> Outcome:
        """What comes is said in the chat, or is a form."""
        if len(labels) == 1:
            made = await screen.act("press", message=message, label=labels[0])
        else:
            made = await screen.act("pick", message=message, labels=list(labels))
        outcome = await brought_by(screen, made["press"])
        return Outcome(form=_drawn_form(outcome.form) if outcome.form else None)

    async def fill_in(self, screen: Screen, form: str, values: Mapping[str, str | Sequence[str]]) -> Outcome:
        """What is wrong comes back under its field; the form stays open then."""
        try:
            sent = await screen.act("fill_in", form=form, values=dict(values))
        except ControlError as refusal:
            if "ValueError" in str(refusal):
                return Outcome(str(refusal).rpartition("ValueError: ")[2])
            raise
        return await brought_by(screen, sent["press"])


async def _player(remote: RemoteApp, key: str, name: str) -> Player:
    user = await remote.ask("POST", "people", {"name": name, "handle": key})
    return Player(key, user["id"], name)


def _drawn(raw: Json) -> Mapping[str, Any]:
    return drawn(
        raw,
        thread=raw["thread"],
        parts=[{"kind": kind, "text": text} for kind, text in raw["parts"]],
        rows=drawn_rows(raw["buttons"], "option", "action_id", {"primary": "success", "danger": "danger"}),
        files=[drawn_file(file) for file in raw["files"]],
        edited=raw["edited"],
        only_you=raw["ephemeral"],
        writing=raw["streaming"],
        service=raw["text"] if raw["service"] else "",
        reactions=[EMOJI.get(name, f":{name}:") for name in raw["reactions"]],
    )


def _drawn_form(raw: Json) -> Json:
    fields = [
        {
            "label": label,
            "about": "",
            "required": False,
            "options": raw["choices"].get(label),
            "several": label in raw["several"],
            "value": value,
        }
        for label, value in raw["fields"].items()
    ]
    return {"id": raw["id"], "title": raw["title"], "text": raw["text"], "submit": raw["submit"], "fields": fields}
