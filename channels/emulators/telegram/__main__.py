"""`python -m channels.emulators.telegram`: the pretend Telegram as a child process.

Prints one line of JSON with its addresses and the token of its bot, and goes when its standard input closes.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from channels.emulators.child import fast_loop, run_for_parent, secret_from
from channels.emulators.telegram.control import Control
from channels.emulators.telegram.pretend import PretendTelegram


def main() -> None:
    """Read the options and run until the parent is gone."""
    parser = argparse.ArgumentParser(prog="channels.emulators.telegram", description="A pretend Telegram on loopback.")
    parser.add_argument("--port", type=int, default=0, help="of the Bot API; 0 takes a free one")
    parser.add_argument("--control-port", type=int, default=0, help="of the control address; 0 takes a free one")
    parser.add_argument("--control-secret-env", required=True, help="the variable that holds the control secret")
    parser.add_argument("--lenient", action="store_true", help="let pass what the real Telegram lets pass")
    options = parser.parse_args()
    secret = secret_from(options.control_secret_env)
    running = serving(options.port, options.control_port, secret, strict=not options.lenient)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(run_for_parent(running))


@asynccontextmanager
async def serving(
    port: int, control_port: int, secret: str, *, strict: bool = True
) -> AsyncIterator[Mapping[str, object]]:
    """A pretend Telegram with its control address for the length of a block; gives where they are."""
    telegram = PretendTelegram(strict=strict)
    control = Control(telegram, secret)
    await telegram.start(port)
    try:
        await control.start(control_port)
        yield {
            "app": "telegram",
            "base_url": telegram.base_url,
            "base_file_url": telegram.base_file_url,
            "control_url": control.url,
            "bot_token": telegram.bot.token,
            "bot_username": telegram.bot.username,
        }
    finally:
        await control.stop()
        await telegram.stop()


if __name__ == "__main__":
    main()
