"""Files that people send: which come, and the one line about each that does not."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from channels.base import (
    AttachmentKind,
    Capabilities,
    ChatRef,
    FileTooLarge,
    Inbound,
    InboundAttachment,
    MessageRef,
    OutboundMessage,
    Sink,
)
from channels.files import LONGEST_PAUSE, fetch
from channels.formatting.parts import Dialect, format_message
from channels.memory.channel import CAPABILITIES
from core.clock import ManualClock
from core.errors import Refused, RefusedReason, TryLater
from core.files import FileStore

LIMIT = 1000


class Cupboard:
    """An app with files; `faults` of a handle are raised one after the other before it comes."""

    id = "c1"

    def __init__(self, **files: bytes) -> None:
        self.files = files
        self.faults: dict[str, list[Exception]] = {}
        self.asked: list[str] = []

    @property
    def capabilities(self) -> Capabilities:
        return replace(CAPABILITIES, title="The App", max_download=LIMIT)

    async def download(self, attachment: InboundAttachment) -> AsyncIterator[bytes]:
        self.asked.append(attachment.handle)
        content = self.files[attachment.handle]
        yield content[:1]
        if faults := self.faults.get(attachment.handle):
            raise faults.pop(0)
        for byte in range(1, len(content)):
            yield content[byte : byte + 1]

    async def start(self) -> None: ...

    async def listen(self, sink: Sink) -> None: ...

    async def stop(self) -> None: ...

    def parse(self, payload: Mapping[str, Any]) -> Sequence[Inbound]:
        return ()

    async def send(self, chat: ChatRef, message: OutboundMessage) -> MessageRef:
        raise AssertionError("nothing is said here")


class Wall(Cupboard):
    """An app that hands out no files."""

    download = None  # type: ignore[assignment]


def sent(handle: str, name: str | None = None, size: int | None = None) -> InboundAttachment:
    return InboundAttachment(handle, name or f"{handle}.txt", AttachmentKind.FILE, "text/plain", size)


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_files_come_in_order_with_their_bytes(store: FileStore, clock: ManualClock) -> None:
    cupboard = Cupboard(one=b"1", two=b"22")

    fetched = await fetch(cupboard, [sent("one"), sent("two", "../two.txt", 2)], store, clock)

    assert [(file.name, file.size) for file in fetched.files] == [("one.txt", 1), ("two.txt", 2)]
    assert [store.path(file).read_bytes() for file in fetched.files] == [b"1", b"22"]
    assert fetched.failures == ()


@pytest.mark.report("R179")
async def test_a_file_over_the_limit_is_named_with_its_size_and_not_asked_for(
    store: FileStore, clock: ManualClock
) -> None:
    cupboard = Cupboard(big=b"")

    fetched = await fetch(cupboard, [sent("big", "film.mp4", 3_670_016)], store, clock)

    assert [plain(line) for line in fetched.failures] == [
        "The file film.mp4 (3.5 MB) is too large: from The App I can take 1 kB at most."
    ]
    assert cupboard.asked == []


@pytest.mark.report("R179")
async def test_a_file_that_is_larger_than_it_says_is_given_up_while_it_comes(
    store: FileStore, clock: ManualClock, tmp_path: Path
) -> None:
    cupboard = Cupboard(liar=b"x" * (LIMIT + 1), honest=b"x" * LIMIT)

    fetched = await fetch(cupboard, [sent("liar", size=10), sent("honest", size=LIMIT)], store, clock)

    assert [plain(line) for line in fetched.failures] == [
        "The file liar.txt is too large: from The App I can take 1 kB at most."
    ]
    assert [file.name for file in fetched.files] == ["honest.txt"]
    assert len(kept(tmp_path)) == 1


@pytest.mark.report("R179")
async def test_an_app_that_keeps_a_large_file_back_is_told_like_one_that_says_its_size(
    store: FileStore, clock: ManualClock
) -> None:
    cupboard = Cupboard(big=b"x")
    cupboard.faults["big"] = [FileTooLarge("too big")]

    fetched = await fetch(cupboard, [sent("big")], store, clock)

    assert "is too large" in fetched.failures[0]


async def test_one_that_fails_does_not_stop_the_rest(store: FileStore, clock: ManualClock, tmp_path: Path) -> None:
    cupboard = Cupboard(gone=b"x", there=b"y")
    cupboard.faults["gone"] = [Refused("gone", RefusedReason.GONE)]

    fetched = await fetch(cupboard, [sent("gone"), sent("there")], store, clock)

    assert [plain(line) for line in fetched.failures] == [
        "I couldn't get the file gone.txt. Send it again to try once more."
    ]
    assert [file.name for file in fetched.files] == ["there.txt"]
    assert len(kept(tmp_path)) == 1


async def test_what_breaks_off_is_asked_for_again(store: FileStore, clock: ManualClock, tmp_path: Path) -> None:
    cupboard = Cupboard(slow=b"whole")
    cupboard.faults["slow"] = [TryLater("broke off"), TryLater("busy", retry_after=10)]

    fetching = asyncio.create_task(fetch(cupboard, [sent("slow")], store, clock))
    while not fetching.done():
        await clock.advance(1)
    fetched = await fetching

    assert [store.path(file).read_bytes() for file in fetched.files] == [b"whole"]
    assert len(kept(tmp_path)) == 1


@pytest.mark.parametrize(
    "faults", [[TryLater("away")] * 3, [TryLater("flood", retry_after=LONGEST_PAUSE + 1)]], ids=["away", "too long"]
)
async def test_nobody_waits_for_a_file_for_ever(
    store: FileStore, clock: ManualClock, tmp_path: Path, faults: list[Exception]
) -> None:
    cupboard = Cupboard(lost=b"x")
    cupboard.faults["lost"] = faults

    fetching = asyncio.create_task(fetch(cupboard, [sent("lost")], store, clock))
    while not fetching.done():
        await clock.advance(1)

    assert "couldn't get the file lost" in (await fetching).failures[0]
    assert cupboard.faults["lost"] == []
    assert kept(tmp_path) == []


async def test_an_app_without_files_says_so(store: FileStore, clock: ManualClock) -> None:
    fetched = await fetch(Wall(), [sent("one")], store, clock)

    assert [plain(line) for line in fetched.failures] == ["I can't read files here, so I left one.txt out."]


@pytest.mark.parametrize(
    "name",
    ["[free money](https://evil.example)", "**bold**_it_.txt", "`code`.txt", "<b>x</b>", "a\nb\n# Title", "@everyone"],
)
async def test_a_files_name_stays_a_name_in_what_is_said_about_it(
    store: FileStore, clock: ManualClock, name: str
) -> None:
    cupboard = Cupboard(big=b"")

    fetched = await fetch(cupboard, [sent("big", name, LIMIT + 1)], store, clock)

    [part] = format_message(fetched.failures[0], Dialect.telegram, 4096)
    assert "<a" not in part.text
    assert "<b>" not in part.text
    assert "<code>" not in part.text
    assert part.plain.startswith("The file ")


def plain(line: str) -> str:
    """What stands in a chat without markup."""
    [part] = format_message(line, Dialect.text, 4096)
    return part.text
