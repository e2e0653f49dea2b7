"""`python -m channels.emulators.teams`: the pretend Teams as a child process.

Prints one line of JSON with its addresses and the keys of its bot, and goes when its standard input closes.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from channels.emulators.child import fast_loop, run_for_parent, secret_from
from channels.emulators.teams.control import Control
from channels.emulators.teams.pretend import PretendTeams


def main() -> None:
    """Read the options and run until the parent is gone."""
    parser = argparse.ArgumentParser(prog="channels.emulators.teams", description="A pretend Teams on loopback.")
    parser.add_argument("--port", type=int, default=0, help="of the Connector; 0 takes a free one")
    parser.add_argument("--control-port", type=int, default=0, help="of the control address; 0 takes a free one")
    parser.add_argument("--control-secret-env", required=True, help="the variable that holds the control secret")
    parser.add_argument("--endpoint", default="", help="where the bot listens; also settable by the control address")
    parser.add_argument("--lenient", action="store_true", help="let pass what the real Teams lets pass")
    options = parser.parse_args()
    secret = secret_from(options.control_secret_env)
    strict = not options.lenient
    running = serving(options.port, options.control_port, secret, strict=strict, endpoint=options.endpoint)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(run_for_parent(running))


@asynccontextmanager
async def serving(
    port: int, control_port: int, secret: str, *, strict: bool = True, endpoint: str = ""
) -> AsyncIterator[Mapping[str, object]]:
    """A pretend Teams with its control address for the length of a block; gives where they are."""
    teams = PretendTeams(strict=strict)
    teams.bot.endpoint = endpoint
    control = Control(teams, secret)
    await teams.start(port)
    try:
        await control.start(control_port)
        yield {
            "app": "teams",
            "base_url": teams.service_url,
            "service_url": teams.service_url,
            "login_url": teams.login_url,
            "openid_url": teams.openid_url,
            "issuer": teams.issuer,
            "control_url": control.url,
            "app_id": teams.bot.app_id,
            "password": teams.bot.password,
            "tenant": teams.bot.tenant,
            "bot_id": teams.bot.id,
        }
    finally:
        await control.stop()
        await teams.stop()


if __name__ == "__main__":
    main()
