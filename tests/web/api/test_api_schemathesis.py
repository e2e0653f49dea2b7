"""The API as its own description has it, called by a program that knows nothing else: it never says that it broke."""

import asyncio
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.conch.programs import conch, run

pytestmark = pytest.mark.slow

EXAMPLES = 25
"""Calls of each operation and way of making them up."""


@pytest.mark.timeout(300)
async def test_whatever_fits_the_description_or_does_not_no_call_breaks_it(tmp_path: Path) -> None:
    made = await run(tmp_path, "tokens", "add", "fuzz")
    token = next(word for word in made.out.split() if word.startswith("conch_"))
    program = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    assert program is not None

    async with conch(tmp_path, "serve", "--port", "0") as server:
        address = (await server.started()).partition("/?")[0]
        said, code = await called(
            tmp_path,
            *(program, "run", f"{address}/api/openapi.json", "-H", f"Authorization: Bearer {token}"),
            *("--checks", "not_a_server_error", "--exclude-path-regex", "stream$", "--phases", "coverage,fuzzing"),
            *("--max-examples", str(EXAMPLES), "--seed", "7", "--generation-database", "none", "--no-color"),
        )
        await server.ends()

    assert code == 0, said[-6_000:]
    [passed] = re.findall(r"generated, (\d+) passed", said)
    assert int(passed) > 500


async def called(folder: Path, *command: str) -> tuple[str, int]:
    """What a program printed, and how it ended."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await process.communicate()
    return out.decode(), process.returncode or 0
