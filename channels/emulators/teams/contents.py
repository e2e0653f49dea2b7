"""From an activity that a bot sends to what stands in the chat, with what Teams refuses of it.

Belongs here: reading and checking one activity. Where it goes is `connector`, its card `card_checks`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.teams import files, limits
from channels.emulators.teams.card_checks import card_faults
from channels.emulators.teams.cards import CARD
from channels.emulators.teams.chats import Content
from channels.emulators.teams.errors import ApiError, strict

Json = Mapping[str, Any]

LAYOUTS = ("list", "carousel")
ACTION_KINDS = ("imBack", "Action.Submit", "Action.Compose", "openUrl", "messageBack")


def check_size(activity: Json) -> None:
    """Refuse what is too large as a whole. A picture in its own address counts as a link, for which it has a limit.

    Raises:
        ApiError: it is.
    """
    attachments = [_linked(attachment) for attachment in activity.get("attachments") or ()]
    counted = json.dumps({**activity, "attachments": attachments}, ensure_ascii=False)
    if len(counted.encode("utf-16-le", "surrogatepass")) > limits.PAYLOAD_BYTES:
        raise ApiError("MessageSizeTooBig")


def _linked(attachment: Json) -> Json:
    is_inside = str(attachment.get("contentUrl") or "").startswith("data:")
    return {**attachment, "contentUrl": "data:"} if is_inside else attachment


def content_of(activity: Json, *, is_strict: bool, private: bool) -> Content:
    """What a message says.

    Raises:
        ApiError: Teams does not take it.
    """
    text = activity.get("text") or ""
    attachments = activity.get("attachments") or ()
    if not isinstance(text, str) or not isinstance(attachments, Sequence):
        raise ApiError("BadSyntax", "Invalid activity.")
    if not text.strip() and not attachments:
        raise ApiError("BadSyntax", "Activity must have text or attachments.")
    for attachment in attachments:
        _check_attachment(attachment, is_strict=is_strict, private=private)
    suggested = _suggested(activity, is_strict=is_strict, private=private)
    if suggested and attachments and is_strict:
        raise strict("suggested actions are not shown beside attachments")
    return Content(
        text,
        tuple(attachments),
        suggested if not attachments and private else (),
        tuple(activity.get("entities") or ()),
        str(activity.get("textFormat") or "markdown"),
        str(activity.get("attachmentLayout") or "list"),
    )


def _check_attachment(attachment: Json, *, is_strict: bool, private: bool) -> None:
    kind = str(attachment.get("contentType", ""))
    if kind == CARD:
        faults = card_faults(attachment.get("content") or {}, strict=is_strict)
        if faults:
            raise ApiError("BadArgument", f"Failed to parse the card: {'; '.join(faults)}")
    elif kind == files.CONSENT:
        _check_consent(attachment, private=private)
    elif kind == files.INFO:
        if not attachment.get("name") or not (attachment.get("content") or {}).get("uniqueId"):
            raise ApiError("BadArgument", "A file info card needs name and content.uniqueId.")
    elif kind.startswith("image/"):
        _check_picture(str(attachment.get("contentUrl") or ""))
    elif is_strict:
        raise strict(f"no attachment of type {kind!r}")


def _check_consent(attachment: Json, *, private: bool) -> None:
    content = attachment.get("content") or {}
    missing = [name for name in ("sizeInBytes", "acceptContext", "declineContext") if name not in content]
    if not attachment.get("name") or missing:
        raise ApiError("BadArgument", f"A file consent card needs name, {', '.join(missing)}.")
    if not private:
        raise ApiError("BadArgument", "File consent cards are for personal scope only.")


def _check_picture(url: str) -> None:
    if url.startswith("data:"):
        size = files.picture_size(url)
        if size < 0:
            raise ApiError("BadArgument", "Invalid image.")
        if size > limits.INLINE_PICTURE_BYTES:
            raise ApiError("BadArgument", "Image too large.")
    elif not url.startswith(("http://", "https://")):
        raise ApiError("BadArgument", "Invalid image URL.")


def _suggested(activity: Json, *, is_strict: bool, private: bool) -> tuple[Json, ...]:
    actions = tuple((activity.get("suggestedActions") or {}).get("actions") or ())
    if not is_strict:
        return actions[: limits.SUGGESTED_SHOWN]
    if len(actions) > limits.SUGGESTED_SHOWN:
        raise strict(f"only {limits.SUGGESTED_SHOWN} suggested actions are shown")
    if actions and not private:
        raise strict("suggested actions are shown in private chats only")
    for action in actions:
        if action.get("type") not in ACTION_KINDS or not action.get("title"):
            raise strict(f"a suggested action needs a title and one of the types {', '.join(ACTION_KINDS)}")
    return actions
