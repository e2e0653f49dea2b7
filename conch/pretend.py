"""The pretend apps in their child process: started, watched, started again on the same addresses when it dies.

What is played on them is in `conch.playground`. The child goes when its standard input closes, so it cannot outlive us,
however we end.
"""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from core.clock import Clock
from core.errors import ConchError
from core.patience import backoff

_log = structlog.get_logger(__name__)

MODULE = "channels.emulators"
SECRET_VARIABLE = "CONCH_PRETEND_SECRET"  # noqa: S105 - the name of a variable
START_SECONDS = 20.0
END_SECONDS = 3.0

INHERITED = ("PATH", "SYSTEMROOT", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")
"""Variables that the child gets. No key of ours or of any model is among them."""


class Addresses(BaseModel):
    """Where a pretend app is, as it says itself; below `control_url` what only some apps have."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    base_url: str
    control_url: str
    base_file_url: str = ""
    gateway_url: str = ""
    login_url: str = ""
    openid_url: str = ""
    service_url: str = ""
    issuer: str = ""


_APPS = TypeAdapter(Mapping[str, Addresses])


@dataclass(slots=True)
class PretendProcess:
    """The child. `secret` opens the control addresses; `addresses`, by app, stay the same over its lives."""

    secret: str
    addresses: Mapping[str, Addresses]
    process: asyncio.subprocess.Process

    @property
    def running(self) -> bool:
        """Whether it lives."""
        return self.process.returncode is None


@asynccontextmanager
async def pretend_apps() -> AsyncIterator[PretendProcess]:
    """The pretend apps for the length of a block.

    Raises:
        ConchError: they did not start.
    """
    secret = secrets.token_urlsafe(32)
    process, addresses = await _start(secret, {})
    child = PretendProcess(secret, addresses, process)
    try:
        yield child
    finally:
        await _end(child.process)


async def keep_alive(child: PretendProcess, clock: Clock, on_new_life: Callable[[], Awaitable[None]]) -> None:
    """Start the child again whenever it dies, and say so: a new life knows nothing of the one before."""
    waits = backoff()
    while True:
        code = await child.process.wait()
        _log.warning("the pretend apps ended by themselves and are started again", code=code)
        await clock.sleep(next(waits))
        try:
            child.process, child.addresses = await _start(child.secret, child.addresses)
            await on_new_life()
        except ConchError as reason:
            _log.error("the pretend apps do not start", reason=str(reason))
            await _end(child.process)


async def _start(
    secret: str, before: Mapping[str, Addresses]
) -> tuple[asyncio.subprocess.Process, Mapping[str, Addresses]]:
    """A child on any free ports, or on the ones of an earlier life."""
    ports = [f"{name}={_port(where.base_url)},{_port(where.control_url)}" for name, where in before.items()]
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # whatever folder we are started in, its modules are not ours
        "-m",
        MODULE,
        "--control-secret-env",
        SECRET_VARIABLE,
        "--ports",
        *ports,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment | {SECRET_VARIABLE: secret},
        start_new_session=True,  # Ctrl-C in the terminal is ours to answer, not the child's
    )
    try:
        return process, await asyncio.wait_for(_addresses(process), START_SECONDS)
    except (TimeoutError, ValidationError) as fault:
        await _end(process)
        raise ConchError("The pretend apps did not start; what they said stands above.") from fault


async def _addresses(process: asyncio.subprocess.Process) -> Mapping[str, Addresses]:
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    return _APPS.validate_json(await process.stdout.readline())


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its input, which it takes as the word to go; after a while it is made to."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), END_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()


def _port(url: str) -> str:
    return url.split(":")[2].split("/")[0]
