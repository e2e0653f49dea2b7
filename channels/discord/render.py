"""From Conch's own types to calls of Discord's API.

Pure: each function says which address is called with which JSON; `client` makes the call. Source of every field:
discord.com/developers/docs, version 10. What interactions are answered with is `replies`', menus `menu`'s.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from channels.base import Button, ButtonStyle, OutboundFile, OutboundMessage
from channels.discord import limits, tokens
from core.errors import Refused, RefusedReason

NO_MENTIONS: Mapping[str, Any] = {"parse": [], "replied_user": False}
"""Nobody is called by what the bot says, whatever stands in it."""

SUPPRESS_EMBEDS, EPHEMERAL, SILENT = 1 << 2, 1 << 6, 1 << 12
"""Flags of a message. Answers are full of links; previews of them would push the words off the screen."""

ROW, BUTTON = 1, 2
_SECONDARY, _PRIMARY, _DANGER, _LINK = 2, 1, 4, 5
_STYLES = {ButtonStyle.PLAIN: _SECONDARY, ButtonStyle.PRIMARY: _PRIMARY, ButtonStyle.DANGER: _DANGER}


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call of the API. `path` has its `parameters` in braces, as Discord's documentation writes them.

    `repeatable`: making it twice is the same as making it once, so that a lost answer means "again" and not "perhaps".
    """

    method: str
    path: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    json: Mapping[str, Any] | Sequence[Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    file: OutboundFile | None = None
    repeatable: bool = False


def send(room: str, message: OutboundMessage) -> ApiCall:
    """Say the message in a channel, once for its key however often it is sent."""
    flags = SUPPRESS_EMBEDS | (SILENT if message.silent else 0)
    json: dict[str, Any] = {
        "content": message.text,
        "nonce": nonce(message.key),
        "enforce_nonce": True,
        "allowed_mentions": NO_MENTIONS,
        "flags": flags,
    }
    if message.buttons:
        json["components"] = components(message.buttons)
    if message.reply_to is not None:
        # The answered message may have been deleted meanwhile; the answer must come all the same.
        json["message_reference"] = {"message_id": snowflake(message.reply_to), "fail_if_not_exists": False}
    if message.file is not None:
        json["attachments"] = [{"id": 0, "filename": file_name(message.file.name)}]
    return ApiCall("POST", "/channels/{channel_id}/messages", {"channel_id": snowflake(room)}, json, file=message.file)


def edit(room: str, message_id: str, text: str, buttons: Sequence[Button] = ()) -> ApiCall:
    """Make a message say something else; buttons that are not named again go away."""
    json = {
        "content": text,
        "components": components(buttons),
        "allowed_mentions": NO_MENTIONS,
        "flags": SUPPRESS_EMBEDS,
    }
    return _on_message("PATCH", room, message_id, json)


def delete(room: str, message_id: str) -> ApiCall:
    """Take a message away."""
    return _on_message("DELETE", room, message_id)


def get_message(room: str, message_id: str) -> ApiCall:
    """Read one message again."""
    return _on_message("GET", room, message_id)


def messages_after(room: str, message_id: int) -> ApiCall:
    """A page of what was written after a message, the newest of the page first."""
    query = {"after": str(message_id), "limit": str(limits.HISTORY_PAGE)}
    where = {"channel_id": snowflake(room)}
    return ApiCall("GET", "/channels/{channel_id}/messages", where, query=query, repeatable=True)


def typing(room: str) -> ApiCall:
    """Show that the bot writes."""
    return ApiCall("POST", "/channels/{channel_id}/typing", {"channel_id": snowflake(room)}, repeatable=True)


def get_room(room: str) -> ApiCall:
    """Ask whether a channel or thread is there."""
    return ApiCall("GET", "/channels/{channel_id}", {"channel_id": snowflake(room)}, repeatable=True)


def private_room(person_id: str) -> ApiCall:
    """Ask for the channel of the private chat with a person; it is always the same one."""
    return ApiCall("POST", "/users/@me/channels", json={"recipient_id": snowflake(person_id)}, repeatable=True)


def open_thread(room: str, message_id: str, name: str) -> ApiCall:
    """Make a thread of a message; it gets the message's id, so a second one is refused as there already."""
    path = "/channels/{channel_id}/messages/{message_id}/threads"
    where = {"channel_id": snowflake(room), "message_id": snowflake(message_id)}
    return ApiCall("POST", path, where, {"name": _cut(name, limits.MAX_THREAD_NAME)}, repeatable=True)


def get_me() -> ApiCall:
    """Ask whose key this is."""
    return ApiCall("GET", "/users/@me", repeatable=True)


def get_application() -> ApiCall:
    """Ask which application the bot belongs to, and what it may read."""
    return ApiCall("GET", "/applications/@me", repeatable=True)


def get_gateway() -> ApiCall:
    """Ask where to listen, and how many more logins there may be today."""
    return ApiCall("GET", "/gateway/bot", repeatable=True)


def get_commands(application_id: str) -> ApiCall:
    """Read the application's commands."""
    where = {"application_id": snowflake(application_id)}
    return ApiCall("GET", "/applications/{application_id}/commands", where, repeatable=True)


def put_commands(application_id: str, commands: Sequence[Mapping[str, Any]]) -> ApiCall:
    """Make the application's commands these."""
    where = {"application_id": snowflake(application_id)}
    return ApiCall("PUT", "/applications/{application_id}/commands", where, list(commands), repeatable=True)


def components(buttons: Sequence[Button]) -> list[dict[str, Any]]:
    """Rows of buttons; options to choose from as a list to pick from where they are many. As many as there is room."""
    options = [button for button in buttons if button.option]
    if len(options) <= limits.OPTIONS_AS_BUTTONS:
        return _rows(buttons)[: limits.ROWS]
    first = buttons.index(options[0])
    before = [button for button in buttons[:first] if not button.option]
    after = [button for button in buttons[first:] if not button.option]
    lists = [_list(at, options[at : at + limits.MAX_OPTIONS]) for at in range(0, len(options), limits.MAX_OPTIONS)]
    return [*_rows(before), *lists, *_rows(after)][: limits.ROWS]


def file_name(name: str) -> str:
    """A file's name that cannot end the header in which it stands."""
    shown = "".join(letter if letter.isprintable() else "_" for letter in name)
    return shown.replace('"', "'").replace("\\", "_")


def nonce(key: str) -> str:
    """The key by which Discord takes a message only once."""
    return hashlib.sha256(key.encode()).hexdigest()[: limits.MAX_NONCE]


def snowflake(given: str) -> str:
    """An id as Discord writes it.

    Raises:
        Refused: Discord has no such id.
    """
    if not (given.isascii() and given.isdigit()):
        raise Refused(f"Discord has no chat or message {given!r}.", RefusedReason.BAD_PAYLOAD)
    return given


def _on_message(method: str, room: str, message_id: str, json: Mapping[str, Any] | None = None) -> ApiCall:
    where = {"channel_id": snowflake(room), "message_id": snowflake(message_id)}
    return ApiCall(method, "/channels/{channel_id}/messages/{message_id}", where, json, repeatable=True)


def _rows(buttons: Sequence[Button]) -> list[dict[str, Any]]:
    wide = limits.BUTTONS_IN_A_ROW
    return [
        {"type": ROW, "components": [_button(button) for button in buttons[at : at + wide]]}
        for at in range(0, len(buttons), wide)
    ]


def _button(button: Button) -> dict[str, Any]:
    drawn: dict[str, Any] = {"type": BUTTON, "label": _cut(button.label, limits.MAX_LABEL)}
    if button.url is not None:
        return drawn | {"style": _LINK, "url": button.url}
    custom_id = tokens.of_button(button.token or "", form=button.form)
    return drawn | {"style": _STYLES[button.style], "custom_id": custom_id}


def _list(at: int, options: Sequence[Button]) -> dict[str, Any]:
    values = [
        {"label": _cut(button.label, limits.MAX_OPTION_TEXT), "value": tokens.of_button(button.token or "")}
        for button in options
    ]
    picker = {"type": tokens.SELECT, "custom_id": tokens.of_list(at), "options": values, "placeholder": "Choose one"}
    return {"type": ROW, "components": [picker]}


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"
