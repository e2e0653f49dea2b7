"""From a stored update of the in-memory app to our types. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from channels.base import (
    AttachmentKind,
    ChatRef,
    Edited,
    Inbound,
    InboundAttachment,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    Press,
    Quoted,
    Sender,
)
from core.events import ChatKind

Payload = Mapping[str, Any]


def parse(channel_id: str, payload: Payload) -> tuple[Inbound, ...]:
    """What an update means; nothing for a kind that is not known, and for what a bot wrote.

    Raises:
        ValueError: the update is malformed.
    """
    try:
        return _parse(channel_id, payload)
    except (KeyError, TypeError, AttributeError) as fault:
        raise ValueError(f"this is no update of the in-memory app: {fault!r}") from fault


def _parse(channel_id: str, payload: Payload) -> tuple[Inbound, ...]:
    update_id, at = _text(payload["update_id"]), datetime.fromisoformat(payload["at"])
    chat = _chat(channel_id, payload["chat"])
    by = _sender(payload["by"]) if payload.get("by") else None
    match payload["kind"]:
        case "message" | "edited" as kind if by is not None:
            message = _message(chat, by, update_id, at, payload["message"])
            found: Inbound = Edited(message) if kind == "edited" else message
            return () if by.is_bot else (found,)
        case "press" if by is not None:
            pressed = payload["press"]
            where = MessageRef(chat, _text(pressed["message_id"]))
            filled = _filled(pressed["filled"]) if "filled" in pressed else None
            return (Press(_text(pressed["id"]), _text(pressed["token"]), where, by, update_id, at, filled),)
        case "joined":
            return (Joined(chat, by, update_id, at),)
        case "left":
            return (Left(chat, update_id, at),)
        case "message" | "edited" | "press":
            raise ValueError("nobody is named who did this")
    return ()


def _message(chat: ChatRef, by: Sender, update_id: str, at: datetime, message: Payload) -> InboundMessage:
    return InboundMessage(
        chat=chat,
        sender=by,
        message_id=_text(message["id"]),
        text=_text(message["text"]),
        update_id=update_id,
        at=at,
        attachments=tuple(_attachment(file) for file in message.get("files", ())),
        reply_to=_quoted(message["reply_to"]) if message.get("reply_to") else None,
        forwarded_from=message.get("forwarded_from"),
        mentioned=bool(message.get("mentioned", False)),
        album=message.get("album"),
    )


def _chat(channel_id: str, chat: Payload) -> ChatRef:
    return ChatRef(channel_id, _text(chat["id"]), ChatKind(chat["kind"]), chat.get("thread"), chat.get("title"))


def _sender(person: Payload) -> Sender:
    is_bot = bool(person.get("is_bot", False))
    return Sender(_text(person["id"]), _text(person["name"]), person.get("username"), is_bot)


def _attachment(file: Payload) -> InboundAttachment:
    kind = AttachmentKind(file["kind"])
    return InboundAttachment(_text(file["handle"]), _text(file["name"]), kind, file.get("mime"), file.get("size"))


def _quoted(message: Payload) -> Quoted:
    from_bot = bool(message.get("from_bot", False))
    return Quoted(_text(message["id"]), _text(message["text"]), _text(message["author"]), from_bot)


def _filled(fields: Payload) -> Mapping[str, tuple[str, ...]]:
    return {_text(name): tuple(_text(word) for word in words) for name, words in fields.items()}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
