"""Sockets, and an application behind them for as long as a block lasts. Signals are the program's, not the server's."""

import asyncio
import errno
import os
import socket
import stat
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from core.errors import UsageError

SHUTDOWN_SECONDS = 2
"""How long open requests may take to end when the server stops."""


class PortTaken(UsageError):
    """Something else listens there."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        PortTaken: the port is in use.
        UsageError: this machine has no such address, or the port needs more rights.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            raise PortTaken(f"Port {port} is taken. Choose another with --port or CONCH_PORT.") from fault
        raise UsageError(
            f"Conch cannot listen on {host}, port {port}: {fault.strerror or fault}. "
            "Change it with --host and --port, or CONCH_HOST and CONCH_PORT."
        ) from fault


@contextmanager
def listen_locally(path: Path) -> Iterator[socket.socket]:
    """A listening local socket that only its owner may open; the path is gone afterwards.

    What stands at the path is taken away first: whoever calls this holds the data folder's lock, so it is a leftover.
    """
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(stat.S_IRUSR | stat.S_IWUSR)  # before listen: until then nobody can connect
        listener.listen(64)
        yield listener
    finally:
        listener.close()
        path.unlink(missing_ok=True)


def address(host: str, listener: socket.socket) -> str:
    """What to type into a browser on this machine."""
    port = listener.getsockname()[1]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}"


class _Server(uvicorn.Server):
    """Says when it listens, and leaves signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(app: ASGIApp, listeners: Sequence[socket.socket]) -> AsyncIterator[None]:
    """Answer on the sockets until the block ends; open requests then have `SHUTDOWN_SECONDS`."""
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(list(listeners)), name="http")
    listening = asyncio.create_task(server.listening.wait())
    try:
        await asyncio.wait({running, listening}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            await running
        yield
    finally:
        listening.cancel()
        server.should_exit = True
        await running


def fits_a_socket(path: Path) -> bool:
    """Whether the system takes so long a path: 108 bytes with the closing zero on Linux, 104 on macOS (`sys/un.h`)."""
    return len(os.fsencode(path)) < 104
