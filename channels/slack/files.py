"""Files, both ways: fetched from Slack's own hosts with the bot's key, brought there in three steps.

Source: docs.slack.dev/messaging/working-with-files.
"""

import asyncio
from collections.abc import AsyncIterator

from channels.base import FileTooLarge, InboundAttachment, OutboundFile
from channels.slack import limits, render
from channels.slack.client import SlackClient
from channels.slack.fields import text, thing
from channels.slack.render import Place
from core.errors import Refused, RefusedReason, TryLater

_BY_ID = "file:"
"""How a handle begins that names a file by its id, where the message did not say where it lies."""


async def fetch(client: SlackClient, attachment: InboundAttachment) -> AsyncIterator[bytes]:
    """The file's bytes, counted while they come.

    Raises:
        FileTooLarge: there are more than `limits.MAX_DOWNLOAD`.
        TryLater, Refused: as for `SlackClient.call`.
    """
    if attachment.size is not None and attachment.size > limits.MAX_DOWNLOAD:
        raise _too_large_to_fetch(attachment.name, attachment.size)
    received = 0
    async for chunk in client.stream(await _address(client, attachment)):
        received += len(chunk)
        if received > limits.MAX_DOWNLOAD:
            raise _too_large_to_fetch(attachment.name, received)
        yield chunk


async def _address(client: SlackClient, attachment: InboundAttachment) -> str:
    if not attachment.handle.startswith(_BY_ID):
        return attachment.handle
    found = await client.call(render.file(attachment.handle.removeprefix(_BY_ID)))
    file = thing(found, "file") or {}
    address = text(file, "url_private_download") or text(file, "url_private")
    if address is None:
        raise Refused(f"Slack does not say where {attachment.name} lies.", RefusedReason.GONE)
    return address


async def bring(client: SlackClient, place: Place, file: OutboundFile, words: str) -> str:
    """Bring a file there and show it, with words in mrkdwn above it; Slack's id of the file is returned.

    Raises:
        TryLater, MaybeDone, Refused: as for `SlackClient.call`.
    """
    size = await _size(file)
    begun = await client.call(render.begin_upload(file.name, size))
    url, file_id = text(begun, "upload_url"), text(begun, "file_id")
    if url is None or file_id is None:
        raise TryLater("Slack does not say where the file may be brought.")
    await client.upload(url, file.path, file.name)
    await client.call(render.finish_upload(place, file_id, file.name, words))
    return file_id


async def _size(file: OutboundFile) -> int:
    """In bytes; Slack takes no empty file."""
    try:
        size = (await asyncio.to_thread(file.path.stat)).st_size
    except OSError as error:
        raise Refused(f"The file {file.name} cannot be read.", RefusedReason.BAD_PAYLOAD) from error
    if not size:
        raise Refused(f"The file {file.name} is empty, and Slack takes no empty files.", RefusedReason.BAD_PAYLOAD)
    if size > limits.MAX_UPLOAD:
        raise Refused(_too_large(file.name, size, limits.MAX_UPLOAD, "send"), RefusedReason.BAD_PAYLOAD)
    return size


def _too_large_to_fetch(name: str, size: int) -> FileTooLarge:
    return FileTooLarge(_too_large(name, size, limits.MAX_DOWNLOAD, "fetch"))


def _too_large(name: str, size: int, limit: int, doing: str) -> str:
    return f"{name} is {_megabytes(size)} MB; from Slack, I can {doing} {_megabytes(limit)} MB at most."


def _megabytes(size: int) -> str:
    return f"{size / (1024 * 1024):.1f}".removesuffix(".0")
