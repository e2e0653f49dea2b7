"""What all methods that say something share: the text, what it replies to, the topic, the buttons.

Belongs here: reading those parameters with Telegram's refusals, and posting.
"""

from collections.abc import Mapping
from typing import Any

from channels.emulators.telegram import limits
from channels.emulators.telegram.chats import Chat, Message, Thread
from channels.emulators.telegram.content import Content
from channels.emulators.telegram.detection import found
from channels.emulators.telegram.errors import bad_request, strict
from channels.emulators.telegram.html import parse_html
from channels.emulators.telegram.keyboards import checked_keyboard
from channels.emulators.telegram.methods.call import Call
from channels.emulators.telegram.parameters import CHAT, FLAG, INTEGER, LIST, NOT_PLAYED, OBJECT, TEXT
from channels.emulators.telegram.text import Entity, Formatted, is_blank, ordered, settle, units

TARGET = {"chat_id": CHAT, "message_thread_id": INTEGER}
SAYING = {
    **TARGET,
    "disable_notification": FLAG,
    "protect_content": FLAG,
    "reply_parameters": OBJECT,
    "reply_markup": OBJECT,
    "business_connection_id": NOT_PLAYED,
    "direct_messages_topic_id": NOT_PLAYED,
    "allow_paid_broadcast": NOT_PLAYED,
    "message_effect_id": NOT_PLAYED,
    "suggested_post_parameters": NOT_PLAYED,
}
CAPTION = {"caption": TEXT, "parse_mode": TEXT, "caption_entities": LIST}

_LINK_PREVIEW = limits.words("is_disabled url prefer_small_media prefer_large_media show_above_text")
_REPLY = limits.words(
    "message_id chat_id allow_sending_without_reply quote quote_parse_mode quote_entities quote_position"
)
_FOUND_TYPES = limits.words("mention hashtag cashtag bot_command url email phone_number")
_ENTITY_TYPES = _FOUND_TYPES | limits.words(
    "bold italic underline strikethrough spoiler blockquote expandable_blockquote code pre text_link text_mention",
    "custom_emoji date_time",
)


def formatted(call: Call, raw: str, parse_mode: str, entities: list[Any]) -> Formatted:
    """A text with its markup read, as it is stored; may be empty.

    Raises:
        ApiError: 400 for too many bytes, an unknown parse_mode, or markup that Telegram cannot read.
    """
    if len(raw) * 4 > limits.RAW_TEXT_BYTES and len(raw.encode()) > limits.RAW_TEXT_BYTES:
        raise bad_request("text is too long")
    mode = parse_mode.lower()
    if mode and mode not in limits.PARSE_MODES:
        raise bad_request("unsupported parse_mode")
    if mode and mode != "html":
        raise strict("the pretend Telegram reads parse_mode HTML only")
    marked = parse_html(raw) if mode else Formatted(raw, tuple(_entities(entities, units(raw))))
    settled = settle(marked.text, [e for e in marked.entities if _is_known(call, e)])
    kept = settled.entities[: limits.ENTITIES]
    return Formatted(settled.text, tuple(ordered((*kept, *found(settled.text, kept)))))


def _is_known(call: Call, entity: Entity) -> bool:
    """Telegram drops a mention of someone whom the bot cannot know."""
    return entity.user_id is None or entity.user_id in call.world.accounts


def _entities(entities: list[Any], length: int) -> list[Entity]:
    read = [_entity(entity) for entity in entities]
    for entity in read:
        if entity.offset < 0 or entity.length < 1 or entity.end > length:
            raise strict(f"an entity from {entity.offset} to {entity.end} in a text of {length} UTF-16 units")
    return [entity for entity in read if entity.type not in _FOUND_TYPES]


def _entity(json: object) -> Entity:
    if not isinstance(json, dict):
        raise bad_request("can't parse MessageEntity: expected an Object")
    if json.get("type") not in _ENTITY_TYPES:
        raise bad_request("can't parse MessageEntity: Unsupported type specified")
    fields = dict(json)
    user = fields.pop("user", None)
    if isinstance(user, dict):
        fields["user_id"] = user.get("id")
    try:
        return Entity(**fields)
    except TypeError as error:
        raise strict(f"MessageEntity: {error}") from None


def message_text(call: Call) -> Formatted:
    """The text of a message.

    Raises:
        ApiError: 400 where it is empty or longer than 4096 units once read.
    """
    raw = call.text("text")
    if not raw:
        raise bad_request("message text is empty")
    text = formatted(call, raw, call.text("parse_mode"), call.values.get("entities", []))
    if is_blank(text.text):
        raise bad_request("text must be non-empty")
    if units(text.text) > limits.TEXT_UNITS:
        raise bad_request("message is too long")
    return text


def caption(call: Call, given: Mapping[str, Any]) -> Formatted:
    """The caption among the parameters of a call, or of one part of an album; 1024 units once read."""
    text = formatted(call, given.get("caption", ""), given.get("parse_mode", ""), given.get("caption_entities", []))
    if units(text.text) > limits.CAPTION_UNITS:
        raise bad_request("message caption is too long")
    return text


def link_preview(call: Call) -> dict[str, Any] | None:
    """How links in the text are previewed, as given."""
    options: dict[str, Any] | None = call.values.get("link_preview_options")
    if options is not None and options.keys() - _LINK_PREVIEW:
        call.complain(f"LinkPreviewOptions has no field {sorted(options.keys() - _LINK_PREVIEW)[0]}")
    return options or None


def keyboard(call: Call) -> dict[str, Any] | None:
    """The buttons, checked."""
    markup = call.values.get("reply_markup")
    return checked_keyboard(markup) if markup is not None else None


def say(call: Call, content: Content, *, album: str | None = None, counted: bool = True) -> Message:
    """Post a message as the call says: where, in reply to what, how loud. Flood control counts it if `counted`.

    Raises:
        ApiError: the chat, the topic or the message to reply to is not there, or the bot says too much.
    """
    chat = call.chat_to_write()
    reply_to, quote = _reply(call, chat)
    thread = _thread(call, chat, reply_to)
    if counted:
        call.services.flood.pass_(call.bot, chat)
    return call.world.post(
        chat,
        call.bot,
        content,
        reply_to=reply_to,
        quote=quote,
        thread=thread,
        album=album,
        silent=call.flag("disable_notification"),
        protected=call.flag("protect_content"),
    )


def _thread(call: Call, chat: Chat, reply_to: Message | None) -> Thread:
    thread = call.values.get("message_thread_id")
    if thread is None:
        return reply_to.thread if reply_to is not None else None
    return checked_thread(chat, thread)


def checked_thread(chat: Chat, thread: int) -> int:
    """A topic of the chat. The general topic of a forum is no such: its messages carry no number.

    Raises:
        ApiError: 400 "message thread not found".
    """
    if thread not in chat.topics:
        raise bad_request("message thread not found")
    return thread


def _reply(call: Call, chat: Chat) -> tuple[Message | None, dict[str, Any] | None]:
    given: dict[str, Any] | None = call.values.get("reply_parameters")
    if not given:
        return None, None
    if given.keys() - _REPLY:
        call.complain(f"ReplyParameters has no field {sorted(given.keys() - _REPLY)[0]}")
    if str(given.get("chat_id", chat.id)) != str(chat.id):
        raise strict("the pretend Telegram plays no replies into another chat")
    message = chat.messages.get(_message_id(given))
    if message is None or message.deleted:
        if given.get("allow_sending_without_reply"):
            return None, None
        raise bad_request("message to be replied not found")
    return message, _quote(call, given, message)


def _message_id(given: dict[str, Any]) -> int:
    message_id = given.get("message_id")
    if isinstance(message_id, bool) or not isinstance(message_id, int):
        raise bad_request('can\'t parse reply parameters: field "message_id" must be of type Number')
    return message_id


def _quote(call: Call, given: dict[str, Any], message: Message) -> dict[str, Any] | None:
    if not given.get("quote"):
        return None
    quoted = formatted(call, given["quote"], given.get("quote_parse_mode", ""), given.get("quote_entities", []))
    place = message.content.text.text.find(quoted.text)
    if place < 0:
        raise bad_request("QUOTE_TEXT_INVALID")
    return {"text": quoted.text, "position": units(message.content.text.text[:place]), "is_manual": True}
