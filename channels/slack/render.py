"""From Conch's own types to calls of Slack's Web API.

Pure: each function says which method is called with what; `client` makes the call. Rooms are named by Slack's own id of
them, which `channel` finds out. Source of every argument: docs.slack.dev/reference/methods.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from channels.base import ChatRef, Form, OutboundMessage, Press
from channels.slack import blocks, forms, limits

Json = Mapping[str, Any]

MARK = "eyes"
"""The reaction that says that a message is being answered."""


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call of the Web API.

    `repeatable`: making it twice is the same as making it once, so that a lost answer means "again" and not "perhaps".
    `as_app`: with the app's key and not with the bot's.
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    repeatable: bool = False
    as_app: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands or goes: Slack's id of the room, and of the message that opened its thread."""

    room: str
    thread: str | None = None

    def arguments(self) -> dict[str, Any]:
        """As most methods take it."""
        return {"channel": self.room} | ({"thread_ts": self.thread} if self.thread else {})


def ts_of(message_id: str) -> str:
    """Slack's part of a message's id."""
    return message_id.partition("/")[0]


def thread_of(chat: ChatRef, answered: str | None) -> str | None:
    """The thread that an answer goes into: the chat's own, or in a private chat that of the message it answers."""
    if chat.thread is not None:
        return chat.thread
    return (answered or "").partition("/")[2] or None


# ---- messages ------------------------------------------------------------------------------------------------------


def post(place: Place, message: OutboundMessage, *, plainer: bool = False, above: str | None = None) -> ApiCall:
    """Say it, with a small line `above` where there is one to be said.

    Answers are full of links, whose previews would push the words off the screen.
    """
    words = _words(message, plainer)
    if above is not None:
        words["blocks"] = [blocks.small(above), *words["blocks"]]
    return ApiCall("chat.postMessage", place.arguments() | words | {"unfurl_links": False, "unfurl_media": False})


def update(room: str, message_id: str, new: OutboundMessage, *, plainer: bool = False) -> ApiCall:
    """Make a message say something else; buttons that are not named again go away."""
    parameters = {"channel": room, "ts": ts_of(message_id)} | _words(new, plainer)
    return ApiCall("chat.update", parameters, repeatable=True)


def delete(room: str, message_id: str) -> ApiCall:
    """Take a message away."""
    return ApiCall("chat.delete", {"channel": room, "ts": ts_of(message_id)}, repeatable=True)


def ephemeral(place: Place, person_id: str, words: str) -> ApiCall:
    """Say something that only one person sees, and only now."""
    parameters = place.arguments() | {"user": person_id, "text": words}
    return ApiCall("chat.postEphemeral", parameters, repeatable=True)


def response(message: OutboundMessage, message_id: str, *, plainer: bool = False, instead: bool = False) -> Json:
    """What is sent to a `response_url`: an answer for one person, `instead` of the one whose button they pressed.

    Slack has no id for such a message that we would hear of. Its buttons carry ours.
    """
    words = _words(message, plainer)
    rows = [block for block in words["blocks"] if block["type"] == "actions"]
    for number, row in enumerate(rows):
        row["block_id"] = f"{message_id}#{number}"
    return {"response_type": "ephemeral", "replace_original": instead} | words


def _words(message: OutboundMessage, plainer: bool) -> dict[str, Any]:
    return {"text": blocks.notice(message), "blocks": blocks.of_message(message, plainer=plainer)}


# ---- a message that is being written -------------------------------------------------------------------------------


def start_stream(place: Place, text: str, person_id: str | None, team_id: str | None) -> ApiCall:
    """Begin a message; in a channel Slack wants to know for whom."""
    parameters = place.arguments() | ({"markdown_text": text} if text else {})
    if person_id and team_id:
        parameters |= {"recipient_user_id": person_id, "recipient_team_id": team_id}
    return ApiCall("chat.startStream", parameters)


def append_stream(room: str, ts: str, text: str) -> ApiCall:
    """Write on."""
    return ApiCall("chat.appendStream", {"channel": room, "ts": ts, "markdown_text": text})


def stop_stream(room: str, ts: str, text: str = "", shown: Sequence[Mapping[str, Any]] = ()) -> ApiCall:
    """End it with its last words, and with blocks below them."""
    parameters: dict[str, Any] = {"channel": room, "ts": ts}
    if text:
        parameters["markdown_text"] = text
    if shown:
        parameters["blocks"] = list(shown)
    return ApiCall("chat.stopStream", parameters)


# ---- signs ---------------------------------------------------------------------------------------------------------


def mark(room: str, message_id: str) -> ApiCall:
    """Put the sign on a person's message."""
    return ApiCall("reactions.add", _reaction(room, message_id), repeatable=True)


def unmark(room: str, message_id: str) -> ApiCall:
    """Take it away."""
    return ApiCall("reactions.remove", _reaction(room, message_id), repeatable=True)


def status(room: str, thread: str, words: str) -> ApiCall:
    """Show what the bot is doing, below a thread; it goes away when the bot writes there."""
    parameters = {"channel_id": room, "thread_ts": thread, "status": words}
    return ApiCall("assistant.threads.setStatus", parameters, repeatable=True)


def _reaction(room: str, message_id: str) -> dict[str, Any]:
    return {"channel": room, "timestamp": ts_of(message_id), "name": MARK}


# ---- forms, home ---------------------------------------------------------------------------------------------------


def open_form(press: Press, form: Form) -> ApiCall:
    """Answer a press with a form; `Press.id` is what Slack takes for that, once and within 3 seconds."""
    return ApiCall("views.open", {"trigger_id": press.id, "view": forms.view(press, form)})


def publish_home(person_id: str, console: str | None) -> ApiCall:
    """What somebody sees who opens the app."""
    return ApiCall("views.publish", {"user_id": person_id, "view": blocks.home(console)}, repeatable=True)


# ---- asking --------------------------------------------------------------------------------------------------------


def who_am_i() -> ApiCall:
    """Ask whose key this is."""
    return ApiCall("auth.test", repeatable=True)


def open_socket() -> ApiCall:
    """Ask for an address to listen at; it is good for one connection."""
    return ApiCall("apps.connections.open", repeatable=True, as_app=True)


def open_room(person_id: str) -> ApiCall:
    """Ask for the room of the private chat with a person; it is the same each time."""
    return ApiCall("conversations.open", {"users": person_id}, repeatable=True)


def person(person_id: str) -> ApiCall:
    """Ask who somebody is."""
    return ApiCall("users.info", {"user": person_id}, repeatable=True)


def room(room_id: str) -> ApiCall:
    """Ask what a channel is called."""
    return ApiCall("conversations.info", {"channel": room_id}, repeatable=True)


def own_rooms(cursor: str = "") -> ApiCall:
    """Ask which channels the bot is in, a page of them."""
    parameters: dict[str, Any] = {
        "types": "public_channel,private_channel,mpim",
        "exclude_archived": True,
        "limit": limits.PAGE,
    }
    return ApiCall("users.conversations", parameters | ({"cursor": cursor} if cursor else {}), repeatable=True)


def history(room_id: str, oldest: str, cursor: str = "") -> ApiCall:
    """Ask what was written in a room after a moment, newest first, a page of it."""
    parameters: dict[str, Any] = {"channel": room_id, "oldest": oldest, "limit": limits.PAGE}
    return ApiCall("conversations.history", parameters | ({"cursor": cursor} if cursor else {}), repeatable=True)


def replies(room_id: str, thread: str, oldest: str) -> ApiCall:
    """Ask what was written in a thread after a moment; what opened the thread comes first in any case."""
    parameters = {"channel": room_id, "ts": thread, "oldest": oldest, "limit": limits.PAGE}
    return ApiCall("conversations.replies", parameters, repeatable=True)


# ---- files ---------------------------------------------------------------------------------------------------------


def begin_upload(name: str, size: int) -> ApiCall:
    """Ask where a file of so many bytes may be brought."""
    return ApiCall("files.getUploadURLExternal", {"filename": name, "length": size}, repeatable=True)


def finish_upload(place: Place, file_id: str, title: str, words: str) -> ApiCall:
    """Show a file that was brought, with words in mrkdwn above it."""
    parameters: dict[str, Any] = {"files": [{"id": file_id, "title": title}], "channel_id": place.room}
    if place.thread:
        parameters["thread_ts"] = place.thread
    return ApiCall("files.completeUploadExternal", parameters | ({"initial_comment": words} if words else {}))


def delete_file(file_id: str) -> ApiCall:
    """Take a file away, and the message that shows it."""
    return ApiCall("files.delete", {"file": file_id}, repeatable=True)


def file(file_id: str) -> ApiCall:
    """Ask about a file."""
    return ApiCall("files.info", {"file": file_id}, repeatable=True)
