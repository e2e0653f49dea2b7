"""Saved commands of the owner's own: a Markdown file each, `<name>.md` in a folder, read anew whenever one is wanted.

How the words of a file are filled in is `commands.parsing.expand_custom`; what a name means is `commands.resolution`.
"""

import asyncio
import unicodedata
import uuid
from pathlib import Path
from typing import Final

from commands.naming import is_name
from core.errors import UsageError

MAX_BYTES: Final = 64_000
"""Of one file: the words are sent as a message."""

MAX_COMMANDS: Final = 200
"""Files beyond these, in the order of their names, are not looked at."""


class OwnCommands:
    """The saved commands in one folder, which need not be there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def names(self) -> tuple[str, ...]:
        """Their names as the files spell them, in order; what nobody could type after a slash is no command."""
        return await asyncio.to_thread(self._names)

    async def body(self, name: str) -> str:
        """The words of one of `names`.

        Raises:
            UsageError: the file cannot be read (any more), is no UTF-8 text or over 64 kB.
        """
        return await asyncio.to_thread(self._body, name)

    async def save(self, name: str, words: str) -> str:
        """Write one, in place of an earlier one of this name; its name as it is kept.

        Raises:
            UsageError: the name could not be typed, there are no words or too many, or it cannot be written.
        """
        kept = unicodedata.normalize("NFC", name.strip().removeprefix("/"))
        if not is_name(kept):
            raise UsageError("A command's name has 1 to 64 letters, digits, `_`, `?` or `-`, and no spaces.")
        if not words.strip():
            raise UsageError("Write what is to be sent when you type it.")
        content = words.replace("\r\n", "\n").encode("utf-8", "replace")
        if len(content) > MAX_BYTES:
            raise UsageError(f"A saved command has {MAX_BYTES // 1000} kB at most.")
        await asyncio.to_thread(self._save, kept, content)
        return kept

    async def remove(self, name: str) -> bool:
        """Forget one of `names`; False where it is not there (any more).

        Raises:
            UsageError: it cannot be taken away.
        """
        if name not in await self.names():
            return False
        try:
            await asyncio.to_thread((self._folder / f"{name}.md").unlink, True)
        except OSError as fault:
            raise UsageError(f"The saved command {name} cannot be taken away: {fault.strerror}.") from fault
        return True

    def _save(self, name: str, content: bytes) -> None:
        """In one step, so that nobody ever reads half of it."""
        beside = self._folder / f".{uuid.uuid4().hex}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(content)
            beside.replace(self._folder / f"{name}.md")
        except OSError as fault:
            beside.unlink(missing_ok=True)
            raise UsageError(f"The saved command {name} cannot be written: {fault.strerror}.") from fault

    def _names(self) -> tuple[str, ...]:
        try:
            files = sorted(path for path in self._folder.iterdir() if path.suffix == ".md" and path.is_file())
        except OSError:
            return ()
        return tuple(path.stem for path in files if is_name(path.stem))[:MAX_COMMANDS]

    def _body(self, name: str) -> str:
        path = self._folder / f"{name}.md"
        try:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as fault:
            raise UsageError(f"The saved command {path.name} cannot be read: {fault.strerror}.") from fault
        if len(content) > MAX_BYTES:
            raise UsageError(f"The saved command {path.name} is over {MAX_BYTES // 1000} kB, so it was not sent.")
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            raise UsageError(f"The saved command {path.name} is no UTF-8 text, so it was not sent.") from fault
