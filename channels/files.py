"""Files that people send: fetched from the app, kept, and what is said when one cannot be."""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from channels.abilities import Files
from channels.base import Channel, FileTooLarge, InboundAttachment
from channels.composing import megabytes
from channels.formatting.parts import literal
from core.clock import Clock
from core.errors import ConchError, TryLater
from core.events import Attachment
from core.files import FileStore, TooLarge, clean_name

_log = structlog.get_logger(__name__)

TRIES = (1.0, 5.0)
"""Seconds after which a file that did not come is asked for again."""

LONGEST_PAUSE = 15.0
"""Seconds; an app that wants more is not waited for, and the sender hears so."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The files that came, and a line for each one that did not."""

    files: tuple[Attachment, ...]
    failures: tuple[str, ...]


async def fetch(channel: Channel, attachments: Sequence[InboundAttachment], store: FileStore, clock: Clock) -> Fetched:
    """Download a message's files in order; one that fails does not stop the rest."""
    files: list[Attachment] = []
    failures: list[str] = []
    for attachment in attachments:
        try:
            files.append(await _fetch(channel, attachment, store, clock))
        except _NotFetchedError as reason:
            failures.append(str(reason))
    return Fetched(tuple(files), tuple(failures))


class _NotFetchedError(Exception):
    """A line for the person who sent the file, as Markdown."""


async def _fetch(channel: Channel, attachment: InboundAttachment, store: FileStore, clock: Clock) -> Attachment:
    shown = literal(clean_name(attachment.name))  # the name is outside data: it must not become markup
    limit, size = channel.capabilities.max_download, attachment.size
    if not isinstance(channel, Files):
        raise _NotFetchedError(f"I can't read files here, so I left {shown} out.")
    try:
        if size is not None and size > limit:
            raise TooLarge(limit)
        return await _download(channel, attachment, store, limit, clock)
    except (TooLarge, FileTooLarge) as reason:
        is_size = f" ({megabytes(size, over=True)})" if size is not None and size > limit else ""
        app = channel.capabilities.title
        line = f"The file {shown}{is_size} is too large: from {app} I can take {megabytes(limit)} at most."
        raise _NotFetchedError(line) from reason
    except (ConchError, OSError) as reason:
        _log.warning("a file was not fetched", channel=channel.id, reason=str(reason))
        raise _NotFetchedError(f"I couldn't get the file {shown}. Send it again to try once more.") from reason


async def _download(
    channel: Files, attachment: InboundAttachment, store: FileStore, limit: int, clock: Clock
) -> Attachment:
    """Try again what may work later, for as long as a person would wait."""
    for wait in TRIES:
        try:
            return await store.save(attachment.name, attachment.mime, channel.download(attachment), limit)
        except TryLater as reason:
            pause = max(wait, reason.retry_after or 0.0)
            if pause > LONGEST_PAUSE:
                raise
            await clock.sleep(pause)
    return await store.save(attachment.name, attachment.mime, channel.download(attachment), limit)
