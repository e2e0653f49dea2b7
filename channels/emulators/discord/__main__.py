"""`python -m channels.emulators.discord`: the pretend Discord as a child process.

Prints one line of JSON with its addresses and the token of its bot, and goes when its standard input closes.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from channels.emulators.child import fast_loop, run_for_parent, secret_from
from channels.emulators.discord.control import Control
from channels.emulators.discord.pretend import PretendDiscord


def main() -> None:
    """Read the options and run until the parent is gone."""
    parser = argparse.ArgumentParser(prog="channels.emulators.discord", description="A pretend Discord on loopback.")
    parser.add_argument("--port", type=int, default=0, help="of REST and gateway; 0 takes a free one")
    parser.add_argument("--control-port", type=int, default=0, help="of the control address; 0 takes a free one")
    parser.add_argument("--control-secret-env", required=True, help="the variable that holds the control secret")
    options = parser.parse_args()
    running = serving(options.port, options.control_port, secret_from(options.control_secret_env))
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(run_for_parent(running))


@asynccontextmanager
async def serving(port: int, control_port: int, secret: str) -> AsyncIterator[Mapping[str, object]]:
    """A pretend Discord with its control address for the length of a block; gives where they are."""
    discord = PretendDiscord()
    control = Control(discord, secret)
    await discord.start(port)
    try:
        await control.start(control_port)
        yield {
            "app": "discord",
            "base_url": discord.base_url,
            "gateway_url": discord.gateway_url,
            "control_url": control.url,
            "bot_token": discord.bot.token,
            "bot_id": discord.bot.id,
            "application_id": discord.bot.application_id,
        }
    finally:
        await control.stop()
        await discord.stop()


if __name__ == "__main__":
    main()
