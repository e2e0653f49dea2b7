"""Files that a bot sends, in three steps: an address, the bytes, and where they go."""

from collections.abc import Mapping
from typing import Any

from channels.emulators.slack.chats import Content
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.files import SlackFile
from channels.emulators.slack.methods.call import JSON, NOT_PLAYED, NUMBER, TEXT, Call, Method
from channels.emulators.slack.methods.messages import thread_of


async def upload_url(call: Call) -> Mapping[str, Any]:
    """Where to post a file of this name and length."""
    length = call.number("length", 0)
    if length <= 0:
        raise ApiError("invalid_arguments", ["length must be more than 0"])
    upload = call.world.files.begin(call.text("filename"), length)
    return {"upload_url": f"{call.world.files.base}/upload/{upload.ticket}", "file_id": upload.id}


async def complete(call: Call) -> Mapping[str, Any]:
    """Share what was posted, in a room or nowhere."""
    chat = call.chat_to_write("channel_id") if call.text("channel_id") else None
    files = [_completed(call, given) for given in _named_files(call)]
    if chat is not None:
        thread = thread_of(call, chat)
        call.world.post(chat, call.bot, Content(call.text("initial_comment"), files=files), thread=thread)
    elif call.text("initial_comment") or call.text("thread_ts"):
        call.complain("words or a thread without a channel_id")
    return {"files": [file.json for file in files]}


async def info(call: Call) -> Mapping[str, Any]:
    """A file."""
    file = call.world.files.get(call.text("file"))
    if file is None:
        raise ApiError("file_not_found")
    return {"file": file.json, "comments": []}


def _named_files(call: Call) -> list[Mapping[str, Any]]:
    given = call.values.get("files")
    if not isinstance(given, list) or not given or any("id" not in file for file in given):
        raise ApiError("invalid_arguments", ["missing required field: files"])
    return given


def _completed(call: Call, given: Mapping[str, Any]) -> SlackFile:
    file = call.world.files.complete(str(given["id"]), call.bot.id, str(given.get("title", "")))
    if file is None:
        raise ApiError("file_not_found")
    return file


_WRITE = ("files:write",)

METHODS = (
    Method(
        "files.getUploadURLExternal",
        {"filename": TEXT, "length": NUMBER, "snippet_type": NOT_PLAYED, "alt_txt": TEXT},
        upload_url,
        ("filename", "length"),
        _WRITE,
    ),
    Method(
        "files.completeUploadExternal",
        {
            "files": JSON,
            "channel_id": TEXT,
            "thread_ts": TEXT,
            "initial_comment": TEXT,
            **dict.fromkeys(("channels", "blocks", "username", "icon_url", "icon_emoji"), NOT_PLAYED),
        },
        complete,
        ("files",),
        _WRITE,
    ),
    Method(
        "files.info",
        {"file": TEXT, **dict.fromkeys(("count", "cursor", "limit", "page"), NOT_PLAYED)},
        info,
        ("file",),
        ("files:read",),
    ),
)
