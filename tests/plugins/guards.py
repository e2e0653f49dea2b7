"""What no test may do: reach beyond this machine, see its settings, or leave something running or open behind.

A guard that a test's own code could swallow also remembers, and fails the test at its end.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_address
from typing import Any
from weakref import WeakSet

import aiohttp
import pytest

from core.engines.models.kinds import KINDS

KEPT = ("CONCH_TEST_", "CONCH_PLATFORM_SPECS")
"""Variables of ours that are meant for the tests."""

NAMED_BY_ENGINES = frozenset(name for kind in KINDS.values() for name in (*kind.key_names, *kind.address_names))
"""Variables with keys and addresses of model servers."""

SETTLING_ROUNDS = 50
"""How often the loop may go round until tasks that were cancelled at the end of a test must be gone."""


class OutsideNetwork(OSError):
    """A test tried to reach another machine; an `OSError`, so that whoever opened a socket for it closes it."""


def is_this_machine(host: object) -> bool:
    """Whether an address or a name stands for this machine without asking anyone."""
    if host is None or host == "localhost":
        return True
    try:
        return ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session")
def outside_calls() -> Iterator[list[str]]:
    """Refuses every connection and look-up beyond this machine, and names those that were tried."""
    tried: list[str] = []

    def check(host: object) -> None:
        if not is_this_machine(host):
            tried.append(str(host))
            raise OutsideNetwork(f"a test tried to reach {host}")

    class Guarded:
        """Stands in front of the calls of the socket module."""

        connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def connect(self: socket.socket, address: Any) -> None:
        check(address[0] if isinstance(address, tuple) else None)
        Guarded.connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        check(address[0] if isinstance(address, tuple) else None)
        return Guarded.connect_ex(self, address)

    def look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        check(host)
        return Guarded.look_up(host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        patch.setattr(socket.socket, "connect_ex", connect_ex)
        patch.setattr(socket, "getaddrinfo", look_up)
        yield tried


@pytest.fixture(scope="session")
def opened_sessions() -> Iterator[WeakSet[aiohttp.ClientSession]]:
    """Every HTTP session that the tests open."""
    sessions: WeakSet[aiohttp.ClientSession] = WeakSet()
    start = aiohttp.ClientSession.__init__

    def remember(self: aiohttp.ClientSession, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **options)
        sessions.add(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aiohttp.ClientSession, "__init__", remember)
        yield sessions


@pytest.fixture(scope="session", autouse=True)
def bare_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Without the proxies, keys and Conch settings of whoever runs the tests; with empty folders for settings and data.

    An Ollama on this machine is not found either: its variable leads where nothing listens.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            ours = name.startswith("CONCH_") and not name.startswith(KEPT)
            if ours or name.lower().endswith("_proxy") or name in NAMED_BY_ENGINES:
                patch.delenv(name)
        patch.setenv("OLLAMA_HOST", "127.0.0.1:9")
        home = tmp_path_factory.mktemp("home")
        for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        yield


@pytest.fixture(autouse=True)
def guarded(request: pytest.FixtureRequest, outside_calls: list[str]) -> Iterator[None]:
    """Set up before and torn down after everything a test asks for."""
    if request.node.get_closest_marker("asyncio"):
        request.getfixturevalue("nothing_left_behind")
    outside_calls.clear()
    yield
    if outside_calls:
        pytest.fail(f"the test tried to reach {', '.join(outside_calls)}")


@pytest.fixture
async def nothing_left_behind(opened_sessions: WeakSet[aiohttp.ClientSession]) -> AsyncIterator[None]:
    """Fails an async test that leaves a running task or an open HTTP session."""
    before, open_before = asyncio.all_tasks(), set(opened_sessions)
    yield
    left = await running_beside(before)
    still_open = [session for session in opened_sessions if not session.closed and session not in open_before]
    for session in still_open:
        await session.close()
    if left or still_open:
        names = [f"the task {task.get_name()} of {task.get_coro()}" for task in left]
        names += ["an open aiohttp session"] * len(still_open)
        pytest.fail(f"the test left behind: {'; '.join(names)}")


async def running_beside(before: set[asyncio.Task[Any]]) -> list[asyncio.Task[Any]]:
    """Tasks of this loop that are new and do not end by themselves."""
    for _ in range(SETTLING_ROUNDS):
        left = [task for task in asyncio.all_tasks() - before if task is not asyncio.current_task()]
        if not left:
            break
        await asyncio.sleep(0)
    return left
