"""What a Telegram message holds: its words, its files, and words for what is neither.

A message of a kind that is not read becomes a marker such as `[sticker 😀]`, so that nothing a person sent vanishes
without a word. Who said it and to whom is `parse`'s business.
"""

from collections.abc import Callable, Mapping
from typing import Any

from channels.base import AttachmentKind, InboundAttachment
from channels.telegram.fields import Json, degrees, need_number, need_text, need_thing, number, text, thing, things

SERVICE_FIELDS = frozenset(
    """boost_added channel_chat_created chat_background_set chat_owner_changed chat_owner_left chat_shared
    checklist_tasks_added checklist_tasks_done connected_website delete_chat_photo direct_message_price_changed
    forum_topic_closed forum_topic_created forum_topic_edited forum_topic_reopened general_forum_topic_hidden
    general_forum_topic_unhidden gift gift_upgrade_sent giveaway_completed giveaway_created group_chat_created
    left_chat_member managed_bot_created message_auto_delete_timer_changed migrate_from_chat_id migrate_to_chat_id
    new_chat_members new_chat_photo new_chat_title paid_message_price_changed passport_data pinned_message
    poll_option_added poll_option_deleted proximity_alert_triggered refunded_payment successful_payment
    suggested_post_approval_failed suggested_post_approved suggested_post_declined suggested_post_paid
    suggested_post_refunded supergroup_chat_created unique_gift users_shared video_chat_ended
    video_chat_participants_invited video_chat_scheduled video_chat_started web_app_data write_access_allowed""".split()  # noqa: SIM905 - one name a line would be longer than the rest of the module
)
"""Fields of a message that nobody wrote: Telegram tells what happened in the chat (Bot API 10.1, type Message)."""


def read_words(message: Json) -> tuple[str, str]:
    """The words of a message, and the name of the field with the entities that belong to them."""
    words = text(message, "text")
    if words is not None:
        return words, "entities"
    caption = text(message, "caption")
    if caption is not None:
        return caption, "caption_entities"
    if any(name in message for name in _FILES) or "photo" in message:
        return "", ""
    return _marker(message), ""


def describe(message: Json) -> str:
    """The words of a message for somebody who quotes it: files are named."""
    words, _ = read_words(message)
    return words or " ".join(f"[{file.kind}: {file.name}]" for file in read_files(message))


def read_files(message: Json) -> tuple[InboundAttachment, ...]:
    """The file of a message; a photo in the largest size that Telegram made of it."""
    if sizes := things(message, "photo"):
        largest = max(sizes, key=lambda size: need_number(size, "width") * need_number(size, "height"))
        return (_file(largest, f"photo-{need_number(message, 'message_id')}.jpg", AttachmentKind.IMAGE, "image/jpeg"),)
    for name, read in _FILES.items():
        if found := thing(message, name):
            return (read(found),)
    return ()


def _file(found: Json, name: str, kind: AttachmentKind | None = None, mime: str | None = None) -> InboundAttachment:
    mime = text(found, "mime_type") or mime
    return InboundAttachment(
        handle=need_text(found, "file_id"),
        name=text(found, "file_name") or name,
        kind=kind or _kind_of(mime),
        mime=mime,
        size=number(found, "file_size"),
    )


def _kind_of(mime: str | None) -> AttachmentKind:
    family = (mime or "").partition("/")[0]
    return AttachmentKind(family) if family in ("image", "audio", "video") else AttachmentKind.FILE


_FILES: Mapping[str, Callable[[Json], InboundAttachment]] = {
    "document": lambda found: _file(found, "document"),
    "voice": lambda found: _file(found, "voice.ogg", AttachmentKind.AUDIO, "audio/ogg"),
    "audio": lambda found: _file(found, text(found, "title") or "audio.mp3", AttachmentKind.AUDIO),
    "video": lambda found: _file(found, "video.mp4", AttachmentKind.VIDEO, "video/mp4"),
    "video_note": lambda found: _file(found, "video-message.mp4", AttachmentKind.VIDEO, "video/mp4"),
    "animation": lambda found: _file(found, "animation.mp4", AttachmentKind.VIDEO, "video/mp4"),
}
"""Looked through in this order: an animation comes as a document too, for the sake of old bots."""


def _marker(message: Json) -> str:
    for name, say in _MARKERS.items():
        if found := thing(message, name):
            return f"[{say(found)}]"
    if rich := thing(message, "rich_message"):
        return _rich_words(rich)
    return "[a kind of message that cannot be read here]"


def _sticker(found: Json) -> str:
    return f"sticker {text(found, 'emoji') or ''}".rstrip()


def _place(found: Json) -> str:
    return f"{degrees(found, 'latitude'):.6f}, {degrees(found, 'longitude'):.6f}"


def _venue(found: Json) -> str:
    where = _place(need_thing(found, "location"))
    return f"place: {need_text(found, 'title')}, {need_text(found, 'address')} ({where})"


def _contact(found: Json) -> str:
    name = f"{need_text(found, 'first_name')} {text(found, 'last_name') or ''}".rstrip()
    return f"contact: {name}, {need_text(found, 'phone_number')}"


def _poll(found: Json) -> str:
    options = " / ".join(need_text(option, "text") for option in things(found, "options"))
    return f"poll: {need_text(found, 'question')} {options}".rstrip()


def _checklist(found: Json) -> str:
    tasks = " / ".join(need_text(task, "text") for task in things(found, "tasks"))
    return f"checklist: {need_text(found, 'title')} {tasks}".rstrip()


_MARKERS: Mapping[str, Callable[[Json], str]] = {
    "sticker": _sticker,
    "venue": _venue,
    "location": lambda found: f"location: {_place(found)}",
    "contact": _contact,
    "dice": lambda found: f"{need_text(found, 'emoji')} {need_number(found, 'value')}",
    "poll": _poll,
    "checklist": _checklist,
    "game": lambda found: f"game: {need_text(found, 'title')}",
    "story": lambda _: "story",
    "invoice": lambda found: f"invoice: {need_text(found, 'title')}",
    "giveaway": lambda _: "giveaway",
    "giveaway_winners": lambda _: "winners of a giveaway",
    "paid_media": lambda _: "media that cost stars",
}
"""A venue comes as a location too, so it stands first."""


def _rich_words(rich: Json) -> str:
    """The bare words of a message made of blocks; walked without recursion, for blocks may lie deep in each other."""
    words: list[str] = []
    waiting: list[tuple[Any, str]] = [(rich.get("blocks"), "\n")]
    while waiting:
        part, between = waiting.pop()
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, list):
            inner = " " if between == "\n" else ""
            for place, piece in reversed(list(enumerate(part))):
                waiting.append((piece, inner))
                if place and between:
                    waiting.append((between, ""))
        elif isinstance(part, dict):
            waiting.extend((part[name], between) for name, between in _RICH_PARTS if name in part)
    return "".join(words).strip()


_RICH_PARTS = (
    ("caption", ""),
    ("credit", ""),
    ("cells", "\n"),
    ("items", "\n"),
    ("blocks", "\n"),
    ("expression", ""),
    ("alternative_text", ""),
    ("text", ""),
    ("summary", ""),
)
"""Where a block or a piece of one keeps its words, the last first, and what stands between the members of a list."""
