"""`python -m channels.emulators.slack`: the pretend Slack as a child process.

Prints one line of JSON with its addresses and the tokens of its app, and goes when its standard input closes.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from channels.emulators.child import fast_loop, run_for_parent, secret_from
from channels.emulators.slack.control import Control
from channels.emulators.slack.pretend import PretendSlack


def main() -> None:
    """Read the options and run until the parent is gone."""
    parser = argparse.ArgumentParser(prog="channels.emulators.slack", description="A pretend Slack on loopback.")
    parser.add_argument("--port", type=int, default=0, help="of the Web API and Socket Mode; 0 takes a free one")
    parser.add_argument("--control-port", type=int, default=0, help="of the control address; 0 takes a free one")
    parser.add_argument("--control-secret-env", required=True, help="the variable that holds the control secret")
    parser.add_argument("--lenient", action="store_true", help="let pass what the real Slack lets pass")
    options = parser.parse_args()
    secret = secret_from(options.control_secret_env)
    running = serving(options.port, options.control_port, secret, strict=not options.lenient)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(run_for_parent(running))


@asynccontextmanager
async def serving(
    port: int, control_port: int, secret: str, *, strict: bool = True
) -> AsyncIterator[Mapping[str, object]]:
    """A pretend Slack with its control address for the length of a block; gives where they are."""
    slack = PretendSlack(strict=strict)
    control = Control(slack, secret)
    await slack.start(port)
    try:
        await control.start(control_port)
        yield {
            "app": "slack",
            "base_url": slack.base_url,
            "control_url": control.url,
            "bot_token": slack.bot.token,
            "app_token": slack.bot.app_token,
            "signing_secret": slack.bot.signing_secret,
            "bot_id": slack.bot.id,
        }
    finally:
        await control.stop()
        await slack.stop()


if __name__ == "__main__":
    main()
