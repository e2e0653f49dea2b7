"""How the assistant's words become messages of one app: formatted, split, with their files. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from channels.base import Button, Capabilities, ChatRef, Form, OutboundFile, OutboundMessage
from channels.choices import has_buttons, in_words
from channels.formatting.parts import Part, escape, format_message
from channels.outbox import post_of
from commands.parsing import written_in
from core.events import ChatKind
from core.store.outbox import Kind, Post

_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file of an assistant's message, where it lies. `size` in bytes; `caption` is Markdown."""

    path: Path
    name: str
    mime: str
    size: int
    caption: str | None = None


def compose(
    capabilities: Capabilities,
    chat: ChatRef,
    key: str,
    markdown: str,
    *,
    files: Sequence[MadeFile] = (),
    reply_to: str | None = None,
    kind: Kind = Kind.ANSWER,
    buttons: Sequence[Button] = (),
    into: str | None = None,
    form: Form | None = None,
) -> tuple[Post, ...]:
    """One reply as an ordered batch of parts with one key; empty when there is nothing to say.

    All parts say which message they answer (`reply_to`); only the first one is shown as a reply to it, and only in a
    group, where it helps to see which. The first part goes `into` a message that was begun, unless it is a file.
    Buttons and a form stand under the last part; an app without buttons says them in words.
    Marked commands (`commands.parsing.MARK`) are written as the app has them.
    A file over the app's limit becomes a line that says so (never a silent loss).
    """
    markdown = written_in(capabilities.kind, markdown)
    if not has_buttons(capabilities):
        markdown, buttons = in_words(markdown, buttons), ()
    quoted = reply_to if chat.kind is ChatKind.GROUP else None
    drafts = [_Draft(part) for part in format_message(markdown, capabilities.dialect, capabilities.max_text)]
    for file in files:
        drafts += _file_parts(capabilities, file)
    posts = []
    for number, draft in enumerate(drafts):
        message = OutboundMessage(
            text=draft.part.text,
            fallback=draft.part.plain,
            key=f"{key}:{number}",
            file=draft.file,
            buttons=tuple(buttons) if number == len(drafts) - 1 else (),
            reply_to=quoted if number == 0 else None,
            answers=reply_to,
            into=into if number == 0 and draft.file is None else None,
            form=form if number == len(drafts) - 1 else None,
        )
        posts.append(post_of(key, number, len(drafts), chat, message, kind))
    return tuple(posts)


@dataclass(frozen=True, slots=True)
class _Draft:
    part: Part
    file: OutboundFile | None = None


def _file_parts(capabilities: Capabilities, file: MadeFile) -> list[_Draft]:
    if file.size > capabilities.max_upload:
        line = (
            f"The file {{}} ({megabytes(file.size, over=True)}) is too large for {capabilities.title}, "
            f"which takes {megabytes(capabilities.max_upload)} at most."
        )
        return [_Draft(Part(line.format(escape(file.name, capabilities.dialect)), line.format(file.name)))]
    captions = format_message(file.caption or "", capabilities.dialect, capabilities.max_caption) or (Part("", ""),)
    first = _Draft(captions[0], OutboundFile(file.path, file.name, file.mime))
    return [first, *(_Draft(part) for part in captions[1:])]


def megabytes(size: int, *, over: bool = False) -> str:
    """A size as people read it: `20 MB`, `3.5 MB`, `12 kB`, in the units in which chat apps state their limits.

    With `over` it is rounded up, so that what is over a limit never reads like the limit.
    """
    if size < _MEGABYTE:
        return f"{max(1, round(size / 1024))} kB"
    tenths = math.ceil(size * 10 / _MEGABYTE) if over else round(size * 10 / _MEGABYTE)
    return f"{tenths / 10:.1f}".removesuffix(".0") + " MB"
