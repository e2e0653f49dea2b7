"""From Conch's own types to calls of the Bot Connector.

Pure: each function says which method is called with what; `client` makes the call. Source of every path and field:
learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from channels.base import OutboundFile, OutboundMessage
from channels.teams import cards, limits
from channels.teams.answers import TooBig

Json = Mapping[str, Any]

CONSENT = "application/vnd.microsoft.teams.card.file.consent"
INFO = "application/vnd.microsoft.teams.card.file.info"


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call; `repeatable`: making it twice is the same as making it once, so that a lost answer means "again"."""

    method: str
    path: str
    json: Json | None = None
    repeatable: bool = False


# ---- messages ------------------------------------------------------------------------------------------------------


def post(conversation: str, message: OutboundMessage) -> ApiCall:
    """Say it.

    Raises:
        TooBig: Teams would not take it.
    """
    return _sized(ApiCall("POST", _activities(conversation), activity(message)))


def update(conversation: str, message_id: str, new: OutboundMessage) -> ApiCall:
    """Make a message say something else; what is not named again goes away."""
    body = {**activity(new), "id": message_id}
    return _sized(ApiCall("PUT", _activities(conversation, message_id), body, repeatable=True))


def delete(conversation: str, message_id: str) -> ApiCall:
    """Take a message away."""
    return ApiCall("DELETE", _activities(conversation, message_id), repeatable=True)


def plain(conversation: str, words: str) -> ApiCall:
    """A line of ours without markup."""
    return ApiCall("POST", _activities(conversation), {"type": "message", "text": words, "textFormat": "plain"})


def typing(conversation: str) -> ApiCall:
    """Show that the bot is writing."""
    return ApiCall("POST", _activities(conversation), {"type": "typing"}, repeatable=True)


def activity(message: OutboundMessage) -> dict[str, Any]:
    """The message: its words, then what can be pressed or filled in, on a card; suggestions as suggested actions."""
    body: dict[str, Any] = {"type": "message"}
    if message.text.strip():
        body |= {"text": message.text, "textFormat": "markdown"}
    if message.reply_to is not None:
        body["replyToId"] = message.reply_to
    if suggested := _suggested(message):
        body["suggestedActions"] = {"actions": suggested}
    elif message.buttons or message.form is not None:
        body["attachments"] = [cards.attachment(cards.card(message.buttons, message.form))]
        body["summary"] = (message.fallback or message.text)[:200]
    return body


def _suggested(message: OutboundMessage) -> list[dict[str, Any]]:
    """What may be sent next: each is said as the person's own words. On a card where Teams would not show them all.

    Words that begin with a slash are not sent that way: as a message of the person's they would be a command.
    """
    said = [button.says for button in message.buttons if button.says and not button.says.startswith("/")]
    if len(said) != len(message.buttons) or len(said) > limits.SUGGESTED_SHOWN or message.form is not None:
        return []
    return [{"type": "imBack", "title": words, "value": words} for words in said]


# ---- a message that is being written -------------------------------------------------------------------------------


def write(conversation: str, text: str, sequence: int, stream_id: str | None = None) -> ApiCall:
    """Begin a message, or show more of it: always all that there is so far [M bots/streaming-ux]."""
    info: dict[str, Any] = {"type": "streaminfo", "streamType": "streaming", "streamSequence": sequence}
    if stream_id is not None:
        info["streamId"] = stream_id
    body = {"type": "typing", "text": text, "textFormat": "markdown", "entities": [info]}
    return ApiCall("POST", _activities(conversation), body)


def finish(conversation: str, stream_id: str, message: OutboundMessage) -> ApiCall:
    """End it as the message that it is."""
    body = activity(message)
    body["entities"] = [{"type": "streaminfo", "streamType": "final", "streamId": stream_id}]
    return _sized(ApiCall("POST", _activities(conversation), body, repeatable=True))


# ---- files ---------------------------------------------------------------------------------------------------------


def picture(conversation: str, message: OutboundMessage, file: OutboundFile, data: bytes) -> ApiCall:
    """A picture inside the message, with its words."""
    url = f"data:{file.mime};base64,{base64.b64encode(data).decode()}"
    body = activity(message)
    body.pop("suggestedActions", None)
    shown = {"contentType": file.mime, "contentUrl": url, "name": file.name}
    body["attachments"] = [shown, *body.get("attachments", ())]
    return _sized(ApiCall("POST", _activities(conversation), body))


def consent(conversation: str, message: OutboundMessage, file: OutboundFile, size: int, key: str) -> ApiCall:
    """Ask whether a file may be put among the person's own; `key` comes back with the answer."""
    context = {"file": key}
    content = {
        "description": "I have a file for you.",
        "sizeInBytes": size,
        "acceptContext": context,
        "declineContext": context,
    }
    body = activity(message)
    body.pop("suggestedActions", None)
    asked = {"contentType": CONSENT, "name": file.name, "content": content}
    body["attachments"] = [asked, *body.get("attachments", ())]
    return _sized(ApiCall("POST", _activities(conversation), body))


def file_info(conversation: str, info: Json) -> ApiCall:
    """Show a file that was brought; `info` is what Teams said with the consent."""
    content = {"uniqueId": info.get("uniqueId"), "fileType": info.get("fileType")}
    shown = {"contentType": INFO, "contentUrl": info.get("contentUrl"), "name": info.get("name"), "content": content}
    return ApiCall("POST", _activities(conversation), {"type": "message", "attachments": [shown]})


def _activities(conversation: str, message_id: str | None = None) -> str:
    """Ids go in as they are but for what would end the path: they hold `:`, `;` and `@`."""
    path = f"/v3/conversations/{quote(conversation, safe=':;@=')}/activities"
    return path if message_id is None else f"{path}/{quote(message_id, safe=':;@=')}"


def _sized(call: ApiCall) -> ApiCall:
    if len(json.dumps(call.json, ensure_ascii=False).encode("utf-16-le", "surrogatepass")) > limits.MAX_PAYLOAD:
        raise TooBig
    return call
