"""Files that people send: fetched from the app, kept, and what is said when one cannot be."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from channels.base import Channel, Files, InboundAttachment
from channels.composing import megabytes
from core.errors import ConchError
from core.events import Attachment
from core.files import FileStore, TooLarge, clean_name

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Fetched:
    """The files that came, and a line for each one that did not."""

    files: tuple[Attachment, ...]
    failures: tuple[str, ...]


async def fetch(channel: Channel, attachments: Sequence[InboundAttachment], store: FileStore) -> Fetched:
    """Download a message's files in order; one that fails does not stop the rest."""
    files: list[Attachment] = []
    failures: list[str] = []
    for attachment in attachments:
        try:
            files.append(await _fetch(channel, attachment, store))
        except _NotFetchedError as reason:
            failures.append(str(reason))
    return Fetched(tuple(files), tuple(failures))


class _NotFetchedError(Exception):
    """A line for the person who sent the file."""


async def _fetch(channel: Channel, attachment: InboundAttachment, store: FileStore) -> Attachment:
    name = clean_name(attachment.name)
    limit = channel.capabilities.max_download
    if not isinstance(channel, Files):
        raise _NotFetchedError(f"I can't read files here, so I left {name} out.")
    if attachment.size is not None and attachment.size > limit:
        raise _NotFetchedError(_too_large(name, limit, channel.capabilities.title, attachment.size))
    try:
        return await store.save(name, attachment.mime, channel.download(attachment), limit)
    except TooLarge:
        raise _NotFetchedError(_too_large(name, limit, channel.capabilities.title, None)) from None
    except (ConchError, OSError) as reason:
        _log.warning("a file was not fetched", channel=channel.id, reason=str(reason))
        raise _NotFetchedError(f"I couldn't get the file {name}. Send it again to try once more.") from reason


def _too_large(name: str, limit: int, app: str, size: int | None) -> str:
    is_size = f" ({megabytes(size)})" if size is not None else ""
    return f"The file {name}{is_size} is too large: from {app} I can take {megabytes(limit)} at most."
