"""A pretend app as a child process: says where it is on its first line of output, and goes when its parent goes.

Belongs here: the life of the process. Which app it is belongs to the caller.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager


def secret_from(variable: str) -> str:
    """The secret that the parent left in the environment; taken out of it, so that it is not inherited further.

    Raises:
        SystemExit: the variable is unset or empty.
    """
    secret = os.environ.pop(variable, "")
    if not secret:
        raise SystemExit(f"{variable} is empty: the control address needs a secret")
    return secret


def fast_loop() -> Callable[[], asyncio.AbstractEventLoop]:
    """The loop that a pretend app runs on: uvloop where it is installed."""
    try:
        import uvloop  # noqa: PLC0415 not there on Windows
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


async def run_for_parent(app: AbstractAsyncContextManager[Mapping[str, object]]) -> None:
    """Start the app, print the addresses it gives as one line of JSON, and stop it when standard input closes."""
    async with app as addresses:
        sys.stdout.write(json.dumps(addresses) + "\n")
        sys.stdout.flush()
        await _parent_gone()


async def _parent_gone() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        while await reader.read(4096):
            pass
    finally:
        transport.close()
