"""`python -m channels.emulators`: the pretend apps together in one child process, for the playground.

Prints one line of JSON with each app's addresses and the keys of its bot, by the app's name, and goes when its standard
input closes. A further app is one more entry in `APPS`.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import channels.emulators.discord.__main__ as discord
import channels.emulators.slack.__main__ as slack
import channels.emulators.teams.__main__ as teams
import channels.emulators.telegram.__main__ as telegram
from channels.emulators.child import fast_loop, run_for_parent, secret_from

Serving = Callable[[int, int, str], AbstractAsyncContextManager[Mapping[str, object]]]
"""A pretend app on a port, with its control address on another, behind a secret."""

APPS: Mapping[str, Serving] = {
    "telegram": telegram.serving,
    "discord": discord.serving,
    "slack": slack.serving,
    "teams": teams.serving,
}

Ports = Mapping[str, tuple[int, int]]
"""By an app's name, its own port and that of its control address."""


def main() -> None:
    """Read the options and run until the parent is gone."""
    parser = argparse.ArgumentParser(prog="channels.emulators", description="All pretend apps on loopback.")
    parser.add_argument("--ports", nargs="*", type=_ports, default=[], help="app=port,control port; else free ones")
    parser.add_argument("--control-secret-env", required=True, help="the variable that holds the control secret")
    options = parser.parse_args()
    running = serving(dict(options.ports), secret_from(options.control_secret_env))
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(run_for_parent(running))


@asynccontextmanager
async def serving(ports: Ports, secret: str) -> AsyncIterator[Mapping[str, object]]:
    """Every pretend app for the length of a block; gives where they are."""
    async with AsyncExitStack() as stack:
        apps = {
            name: await stack.enter_async_context(serve(*ports.get(name, (0, 0)), secret))
            for name, serve in APPS.items()
        }
        yield apps


def _ports(given: str) -> tuple[str, tuple[int, int]]:
    name, _, ports = given.partition("=")
    own, _, control = ports.partition(",")
    return name, (int(own), int(control))


if __name__ == "__main__":
    main()
