"""The guide to the API: its requests are sent as they stand there, by curl, and what it shows is what comes."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conch.app import App
from tests.core.lives import until
from tests.web.api.conftest import Program, quiet, waits
from web.problems import PROBLEMS
from web.security import API, Guarded
from web.serving import listen, serving

GUIDE = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
CURL = shutil.which("curl")


def examples() -> list[tuple[str, Any]]:
    """Each request, with the answer that the guide shows for it."""
    blocks = re.findall(r"```sh\n(.*?)```(?:\n\n```json\n(.*?)```)?", GUIDE, re.DOTALL)
    found = []
    for requests, shown in blocks:
        lines = requests.strip().splitlines()
        found += [(line, None) for line in lines[:-1]]
        found.append((lines[-1], json.loads(shown) if shown else None))
    return found


@pytest.fixture
async def address(app: Guarded) -> AsyncIterator[str]:
    with listen("127.0.0.1", 0) as listener:
        async with serving(app, [listener]):
            yield f"http://127.0.0.1:{listener.getsockname()[1]}{API}"


async def run(command: str, variables: Mapping[str, str], *, seconds: float = 20) -> str:
    """What a line prints in a shell, or what it printed until then."""
    process = await asyncio.create_subprocess_exec(
        "sh", "-c", f"exec {command}", env={"PATH": os.environ["PATH"], **variables}, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(seconds):
            if "/stream" in command:
                return (await process.stdout.readline()).decode()
            return (await process.stdout.read()).decode()
    finally:
        if process.returncode is None and "/stream" in command:
            process.terminate()
        await process.communicate()


def fits(told: Any, shown: Any) -> bool:
    """Whether an answer has everything that is shown; the guide shortens an event's data."""
    if isinstance(shown, dict):
        return isinstance(told, dict) and all(name in told and fits(told[name], part) for name, part in shown.items())
    if isinstance(shown, list):
        return isinstance(told, list) and len(told) == len(shown) and all(map(fits, told, shown))
    return type(told) is type(shown)


@pytest.mark.skipif(CURL is None, reason="there is no curl on this machine")
async def test_every_request_of_the_guide_does_what_the_guide_says(
    program: Program, built: App, address: str, token: str
) -> None:
    variables = {"CONCH": address, "TOKEN": token}
    asking = await program.begin("Ask me")
    variables["QUESTION"] = (await waits(program, asking))["question"]["question"]["question_id"]

    for command, shown in examples():
        chat = asking if "QUESTION" in command else variables.get("ID", "")
        told = await run(command, {**variables, "ID": chat})
        if "/stream" in command:
            assert told == "event: snapshot\n"
            continue
        answer = json.loads(told)
        if "conversation_id" in answer:
            variables["ID"] = answer["conversation_id"]
            await until(lambda: built.conversations.running(variables["ID"]) is None)
        assert ("code" in answer) == ("no-such-one" in command), told
        assert shown is None or fits(answer, shown), (command, told)
    await quiet(built)


def test_the_guide_shows_what_every_part_answers() -> None:
    assert len(examples()) >= 12
    assert sum(shown is not None for _, shown in examples()) >= 6


def test_the_guide_names_codes_that_there_are() -> None:
    table = GUIDE[GUIDE.index("| status | code |") :]
    rows = [line.split("|")[2] for line in table.splitlines() if re.match(r"\| \d", line)]
    named = {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)}

    assert named <= set(PROBLEMS)
    assert {"no-token", "read-only", "too-many-wrong", "invalid-answer", "offer-gone"} <= named


async def test_the_guide_names_every_operation(program: Program) -> None:
    paths = (await program.get("/openapi.json")).json["paths"]
    endings = {path.replace("/conversations/{conversation_id}", "").strip("/").split("/")[-1] for path in paths}

    unnamed = {ending for ending in endings if ending and not ending.startswith("{") and ending not in GUIDE}

    assert unnamed == set()
