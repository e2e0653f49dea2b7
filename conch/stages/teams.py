"""The pretend Teams as a stage: a private chat with cards to fill in, suggested actions, files that are agreed to."""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.remote import ControlError, RemoteApp
from conch.stages.base import (
    BOT_NAME,
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
    fault,
)
from web.phones import PICTURES, Abilities, Breakage, Content

SEND = "send"
ANSWER_SECONDS = 10.0
"""How long Teams waits for a bot's answer to a press."""

EMOJI = {"like": "👍", "heart": "❤️", "laugh": "😆", "surprised": "😮", "sad": "🙁", "angry": "😠"}
INPUTS = {"Number": "number", "Date": "date", "Time": "time"}
STYLES = {"positive": "primary", "destructive": "danger"}


class TeamsStage:
    """See `conch.stages.base.Stage`."""

    name = "teams"
    title = "Teams"
    group_title = ""
    abilities = Abilities(replies="quote", writes_to="@Conch", likes=True)

    faults: Sequence[Fault] = (
        fault("throttled", "Too many requests", "Teams has the bot wait for 5 seconds.", SEND, seconds=5.0),
        fault("slow", "Slow", "Teams takes 5 seconds to answer.", SEND, seconds=5.0),
        fault("server_error", "Server error", "Teams says that it is busy.", SEND, status=503),
        fault("cut", "Cut", "The line breaks before the answer is taken.", SEND),
        fault("lost", "Lost receipt", "It arrives, unknown to Conch: it may come twice.", SEND),
        fault("lost_ack", "Told twice", "Teams does not hear that it was heard.", "message"),
        Fault(
            Breakage("keys", "New keys", "Teams signs with other keys from now on."),
            [("keys", {"keep_old": False})],
        ),
    )

    async def cast(self, remote: RemoteApp) -> Cast:
        """A bot that the organization knows, and two people who have it."""
        bot = await remote.ask("POST", "bots", {"name": BOT_NAME})
        players = {key: await _player(remote, key, name) for key, name in ((OWNER, "Ada"), (STRANGER, "Sam"))}
        chats: dict[str, tuple[str | None, str]] = {}
        for key, player in players.items():
            look = await remote.ask("GET", "screen", {"person": player.id, "bot": bot["id"]})
            chats[look["chat"]] = (key, PRIVATE)
        keys = f"Application ID {bot['app_id']}\nDirectory ID {bot['tenant']}\nSecret value {bot['password']}"
        return Cast(bot["id"], keys, players, "", "", chats)

    async def connected(self, remote: RemoteApp, cast: Cast, endpoint: str | None) -> None:
        """Teams brings messages, so it must know where to."""
        await remote.ask("POST", "endpoint", {"bot": cast.bot, "url": endpoint or ""})

    def screen(self, remote: RemoteApp, cast: Cast, person: str, place: str, thread: str | None) -> Screen:
        """The chat with the bot."""
        return Screen(remote, {"person": cast.players[person].id, "bot": cast.bot}, place)

    async def messages(self, remote: RemoteApp, cast: Cast, person: str, place: str) -> tuple[Sequence[Json], Json]:
        """Those of the chat."""
        look = await self.screen(remote, cast, person, place, None).look()
        return [_drawn(message) for message in look["messages"]], look

    def doing(self, look: Json) -> str:
        """Teams only knows that somebody types."""
        return "typing…" if look["typing"] else ""

    def news(self, event: Json) -> tuple[str, Json] | None:
        """Messages and typing."""
        match event["kind"]:
            case "message" | "edited" | "reaction":
                return event["chat"], {"kind": "message", "message": _drawn(event["message"])}
            case "deleted":
                return event["chat"], {"kind": "deleted", "id": event["message"]["id"]}
            case "typing":
                return event["chat"], {"kind": "doing", "doing": "typing…"}
        return None

    def message_id(self, message: str) -> str:
        """A time in milliseconds, as text."""
        return message

    async def say(self, screen: Screen, text: str) -> None:
        """A command is words like any others."""
        await screen.act("say", text=text)

    async def attach(self, screen: Screen, file: Content, caption: str) -> None:
        """A picture is pasted, anything else sent as a file."""
        if file.mime in PICTURES:
            await screen.act("photo", **carried(file, caption))
        else:
            await screen.act("file", name=file.name, **carried(file, caption))

    async def press(self, screen: Screen, message: str, labels: Sequence[str]) -> Outcome:
        """What comes is said in the chat; Teams itself shows what went wrong."""
        made = await screen.act("press", message=message, label=labels[0])
        return await _brought_by(screen, made["press"])

    async def fill_in(self, screen: Screen, form: str, values: Mapping[str, str | Sequence[str]]) -> Outcome:
        """`form` is the message with the card, and the button after a slash. What is wrong is said on the card."""
        message, _, label = form.partition("/")
        try:
            made = await screen.act("fill_in", form=message, label=label, values=dict(values))
        except ControlError as refusal:
            if "ValueError" in str(refusal):
                return Outcome(str(refusal).rpartition("ValueError: ")[2])
            raise
        return await _brought_by(screen, made["press"])


async def _player(remote: RemoteApp, key: str, name: str) -> Player:
    user = await remote.ask("POST", "people", {"name": name})
    return Player(key, user["id"], name)


async def _brought_by(screen: Screen, press: str) -> Outcome:
    """The line that came, or the words that Teams has for a bot that did not answer."""
    try:
        await screen.act("answer_to", press=press, wait=ANSWER_SECONDS)
    except ControlError as refusal:
        if refusal.status == WAITED_IN_VAIN or "LookupError" not in str(refusal):
            raise
        return Outcome(str(refusal).rpartition("LookupError: ")[2].strip("'\""))
    return Outcome()


def _drawn(raw: Json) -> Mapping[str, Any]:
    on_card = [row for row in raw["buttons"] if not row[0]["suggested"]]
    chips = [row for row in raw["buttons"] if row[0]["suggested"]]
    fields = any(element["field"] for element in raw["card"])
    rows = [{"buttons": [_button(button, raw["id"], fields=fields) for button in row]} for row in on_card]
    elements = [_element(element) for element in raw["card"]]
    return drawn(
        {**raw, "at": int(raw["id"]) / 1000},  # ids are times in milliseconds
        parts=[{"kind": kind, "text": text} for kind, text in raw["parts"]],
        card={"elements": elements, "rows": rows} if elements or rows else None,
        rows=[
            {"buttons": [_button(button, raw["id"], fields=False) for button in row], "chips": True} for row in chips
        ],
        files=[drawn_file(file) for file in raw["files"]],
        reply_to=raw["quotes"],
        edited=raw["edited"] and not raw["streaming"],
        writing=raw["streaming"],
        service=raw["text"] if raw["service"] else "",
        reactions=[EMOJI.get(kind, kind) for kind in raw["reactions"]],
    )


def _button(raw: Json, message: str, *, fields: bool) -> Json:
    """One that opens a page, one that sends the card's fields, or one that is just pressed."""
    label, style, off = raw["label"], STYLES.get(raw["style"], ""), not raw["enabled"]
    does, value = "press", ""
    if raw["url"]:
        does, value = "url", raw["url"]
    elif fields and raw["sends"]:
        does, value = "send", f"{message}/{label}"
    return {"label": label, "does": does, "value": value, "style": style, "off": off}


def _element(raw: Json) -> Json:
    """Words on a card, or a field as the page fills one in."""
    if not raw["field"]:
        return {"words": raw["words"], "look": raw["look"]}
    return {
        "key": raw["id"],
        "label": raw["words"],
        "about": "",
        "required": raw["required"],
        "options": list(raw["choices"]) or None,
        "several": raw["several"],
        "expanded": True,
        "value": raw["value"].removesuffix(".0") if raw["field"] == "Number" else raw["value"],
        "input": INPUTS.get(raw["field"], ""),
    }
