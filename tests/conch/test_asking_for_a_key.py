import asyncio
import io
import os
import pty
import sys

import pytest

from conch.asking import pasted_secret
from tests.conch.programs import PATIENCE

PASTED = "Done! Congratulations on your new bot.\nUse this token:\n110201543:AAHdq-canary\nKeep it safe.\n"
ASKING = "from conch.asking import pasted_secret; print(ascii(pasted_secret('Paste the key: ')))"


def test_a_pipe_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(PASTED))

    assert pasted_secret("Paste the key: ") == PASTED


async def test_at_a_terminal_all_lines_of_a_paste_are_taken_and_none_is_shown() -> None:
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ASKING, stdin=theirs, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    async with asyncio.timeout(PATIENCE):
        asked = await process.stderr.readuntil(b": ")
        os.write(ours, PASTED.encode())
        out, _ = await process.communicate()
    os.set_blocking(ours, False)
    try:
        shown = os.read(ours, 65_536)
    except BlockingIOError:
        shown = b""
    os.close(ours)
    os.close(theirs)

    assert asked == b"Paste the key: "
    assert out.decode().strip() == ascii(PASTED)
    assert shown == b""
