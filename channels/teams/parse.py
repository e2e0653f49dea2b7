"""From what Teams brought to what happened, in Conch's own types.

Pure: no clock, no network, no SDK. What is read is the activity as it came; that Teams sent it is known before
(`proof`). Only private chats mean anything: what is said elsewhere gets one line from `receiving`.
Shapes: learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference#activity-object,
learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from channels.base import (
    AttachmentKind,
    ChatRef,
    Edited,
    Inbound,
    InboundAttachment,
    InboundMessage,
    Left,
    MessageRef,
    Press,
    Quoted,
    Sender,
)
from channels.teams import cards, forms
from channels.teams.fields import Json, need_text, need_thing, text, thing, things, time

CARD_PRESSED = "adaptiveCard/action"
FILE_ANSWERED = "fileConsent/invoke"
DOWNLOAD = "application/vnd.microsoft.teams.file.download.info"
PERSONAL = "personal"

_BOTS = "28:"
"""How the id of a bot begins."""
_KINDS = {
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp", "bmp"), AttachmentKind.IMAGE),
    **dict.fromkeys(("mp3", "wav", "m4a", "ogg"), AttachmentKind.AUDIO),
    **dict.fromkeys(("mp4", "mov", "webm", "avi"), AttachmentKind.VIDEO),
}
_AT = re.compile(r"<at[^>]*>(.*?)</at>", re.DOTALL | re.IGNORECASE)


def is_private(activity: Json) -> bool:
    """Whether it happened in the private chat of a person with the bot."""
    return need_thing(activity, "conversation").get("conversationType") == PERSONAL


def mentions(activity: Json) -> bool:
    """Whether the bot is named in a message."""
    own = text(thing(activity, "recipient") or {}, "id")
    named = (thing(entity, "mentioned") or {} for entity in _entities(activity))
    return own is not None and any(text(who, "id") == own for who in named)


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads for one bot."""

    channel_id: str
    app_id: str

    def parse(self, activity: Mapping[str, Any]) -> Sequence[Inbound]:
        """What it means: one thing, or nothing that concerns us.

        Raises:
            ValueError: Teams could not have sent this.
        """
        if not isinstance(activity, Mapping):
            raise ValueError("an activity is an object")
        kind = need_text(activity, "type")
        if kind == "message" and thing_with_token(activity.get("value")) is not None:
            found: Inbound | None = self._press(activity, need_thing(activity, "value"), need_text(activity, "id"))
        elif kind == "message":
            found = self._message(activity)
        elif kind == "messageUpdate":
            found = self._edited(activity)
        elif kind == "invoke" and activity.get("name") == CARD_PRESSED:
            found = self._executed(activity)
        elif kind == "installationUpdate" and activity.get("action") == "remove":
            found = self._left(activity)
        else:
            found = None
        return (found,) if found is not None else ()

    # ---- messages --------------------------------------------------------------------------------------------------

    def _message(self, activity: Json) -> InboundMessage | None:
        """What a person wrote to the bot; None for bots, for other places and for what says nothing."""
        sender = self._sender(activity)
        if sender.is_bot or not is_private(activity):
            return None
        words, files = _words(activity), _files(activity)
        if not (words or files):
            return None
        message_id = need_text(activity, "id")
        return InboundMessage(
            chat=self._chat(activity),
            sender=sender,
            message_id=message_id,
            text=words,
            update_id=message_id,
            at=time(activity, "timestamp"),
            attachments=files,
            reply_to=_quoted(activity),
        )

    def _edited(self, activity: Json) -> Edited | None:
        if (thing(activity, "channelData") or {}).get("eventType") != "editMessage":
            return None
        message = self._message(activity)
        if message is None:
            return None
        return Edited(replace(message, update_id=f"edit:{message.message_id}:{need_text(activity, 'timestamp')}"))

    def _left(self, activity: Json) -> Left | None:
        if not is_private(activity):
            return None
        return Left(self._chat(activity), f"left:{need_text(activity, 'id')}", time(activity, "timestamp"))

    # ---- buttons ---------------------------------------------------------------------------------------------------

    def _executed(self, activity: Json) -> Press | None:
        data = thing_with_token(need_thing(need_thing(activity, "value"), "action").get("data"))
        return None if data is None else self._press(activity, data, f"press:{need_text(activity, 'id')}")

    def _press(self, activity: Json, data: Json, update_id: str) -> Press | None:
        sender, pressed = self._sender(activity), text(activity, "replyToId")
        if sender.is_bot or not is_private(activity) or pressed is None:
            return None
        return Press(
            id=need_text(activity, "id"),
            token=need_text(data, cards.TOKEN),
            message=MessageRef(self._chat(activity), pressed),
            sender=sender,
            update_id=update_id,
            at=time(activity, "timestamp"),
            filled=forms.read(data),
        )

    # ---- who and where ---------------------------------------------------------------------------------------------

    def _chat(self, activity: Json) -> ChatRef:
        return ChatRef(self.channel_id, need_text(need_thing(activity, "conversation"), "id"))

    def _sender(self, activity: Json) -> Sender:
        who = need_thing(activity, "from")
        person_id = need_text(who, "id")
        is_bot = person_id.startswith(_BOTS) or person_id == self.app_id or who.get("role") == "bot"
        return Sender(person_id, text(who, "name") or person_id, is_bot=is_bot)


def thing_with_token(value: object) -> Json | None:
    """What a button of ours brought back; None for anything else."""
    return value if isinstance(value, Mapping) and isinstance(value.get(cards.TOKEN), str) else None


def _entities(activity: Json) -> Sequence[Json]:
    return [entity for entity in things(activity, "entities") if entity.get("type") == "mention"]


def _words(activity: Json) -> str:
    """As they were typed, the bot's own name cut out, other people's without the tags around them."""
    words = text(activity, "text") or ""
    own = text(thing(activity, "recipient") or {}, "id")
    for entity in _entities(activity):
        written = text(entity, "text")
        if written and text(thing(entity, "mentioned") or {}, "id") == own:
            words = words.replace(written, "")
        elif written:
            words = words.replace(written, _AT.sub(r"@\1", written))
    return words.replace("\u00a0", " ").strip()


def _quoted(activity: Json) -> Quoted | None:
    """The message that was answered. In a private chat it is nearly always the bot's; Teams says only its id."""
    answered = text(activity, "replyToId")
    return None if answered is None else Quoted(message_id=answered, text="", author="the bot", from_bot=True)


def _files(activity: Json) -> tuple[InboundAttachment, ...]:
    found = []
    for number, attached in enumerate(things(activity, "attachments"), start=1):
        mime = text(attached, "contentType") or ""
        if mime == DOWNLOAD:
            about = need_thing(attached, "content")
            name = text(attached, "name") or "file"
            ending = (text(about, "fileType") or name.rpartition(".")[2]).lower()
            kind = _KINDS.get(ending, AttachmentKind.FILE)
            found.append(InboundAttachment(need_text(about, "downloadUrl"), name, kind))
        elif mime.startswith("image/") and (address := text(attached, "contentUrl")):
            said = mime if mime != "image/*" else None
            name = text(attached, "name") or f"picture {number}"
            found.append(InboundAttachment(address, name, AttachmentKind.IMAGE, said))
    return tuple(found)
