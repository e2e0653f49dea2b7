"""An answer that is written into its message while people look on."""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.slack import limits
from channels.emulators.slack.chats import Block, Content, Message
from channels.emulators.slack.contents import named, refuse_wrong
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.methods.call import JSON, NOT_PLAYED, TEXT, Call, Method
from channels.emulators.slack.methods.messages import thread_of

_SILENT_CHUNKS = frozenset({"task_update", "plan_update"})
"""Chunks that are drawn beside the words; their own words are not shown here."""


async def start(call: Call) -> Mapping[str, Any]:
    """Begin a message in a thread, for one person where it is a channel."""
    chat = call.chat_to_write()
    if not call.text("thread_ts"):
        raise ApiError("invalid_arguments", ["missing required field: thread_ts"])
    thread = thread_of(call, chat)
    if not chat.private:
        _for_somebody(call)
    content = _content("", _words(call))
    message = call.world.post(chat, call.bot, content, thread=thread, streaming=True)
    return {"channel": chat.id, "ts": message.ts}


async def append(call: Call) -> Mapping[str, Any]:
    """More of it."""
    message = _streaming(call)
    words = _words(call)
    if not words and not call.values.get("chunks"):
        raise ApiError("no_text")
    call.world.write_on(message, _content(message.content.text, words))
    return {"channel": message.chat.id, "ts": message.ts}


async def stop(call: Call) -> Mapping[str, Any]:
    """The last of it, and blocks under it."""
    message = _streaming(call)
    under: Sequence[Block] = call.values.get("blocks") or []
    content = _content(message.content.text, _words(call))
    refuse_wrong([*content.blocks, *under], is_strict=call.world.strict)
    message.streaming = False
    blocks = [*content.blocks, *named(under)]
    call.world.edit(message, Content(content.text, blocks, metadata=call.values.get("metadata")), mark=False)
    return {"channel": message.chat.id, "ts": message.ts, "message": message.to_json()}


def _for_somebody(call: Call) -> None:
    for name in ("recipient_team_id", "recipient_user_id"):
        if not call.text(name):
            raise ApiError(f"missing_{name}")
    if call.text("recipient_user_id") not in call.world.accounts:
        raise ApiError("user_not_found")


def _streaming(call: Call) -> Message:
    message = call.message(call.chat_to_write(), call.text("ts"))
    if message.sender is not call.bot:
        raise ApiError("message_not_owned_by_app")
    if not message.streaming:
        raise ApiError("message_not_in_streaming_state")
    return message


def _words(call: Call) -> str:
    """What a call adds: `markdown_text`, or the chunks of words."""
    text, chunks = call.text("markdown_text"), call.values.get("chunks") or []
    if text and chunks:
        call.complain("markdown_text and chunks at once")
    if not isinstance(chunks, list):
        raise ApiError("invalid_chunks")
    for chunk in chunks:
        kind = chunk.get("type") if isinstance(chunk, Mapping) else None
        if kind == "markdown_text" and isinstance(chunk.get("text"), str):
            text += chunk["text"]
        elif kind not in _SILENT_CHUNKS:
            raise ApiError("invalid_chunks")
    if len(text) > limits.MARKDOWN:
        raise ApiError("msg_too_long")
    return text


def _content(before: str, more: str) -> Content:
    text = before + more
    if len(text) > limits.MARKDOWN:
        raise ApiError("msg_too_long")
    return Content(text, named([{"type": "markdown", "text": text}]) if text else ())


_SAID = {"channel": TEXT, "chunks": JSON, "markdown_text": TEXT}
_WRITE = ("chat:write",)

METHODS = (
    Method(
        "chat.startStream",
        {
            **_SAID,
            "thread_ts": TEXT,
            "recipient_user_id": TEXT,
            "recipient_team_id": TEXT,
            **dict.fromkeys(("task_display_mode", "icon_emoji", "icon_url", "username"), NOT_PLAYED),
        },
        start,
        ("channel",),
        _WRITE,
    ),
    Method("chat.appendStream", {**_SAID, "ts": TEXT}, append, ("channel", "ts"), _WRITE),
    Method("chat.stopStream", {**_SAID, "ts": TEXT, "blocks": JSON, "metadata": JSON}, stop, ("channel", "ts"), _WRITE),
)
