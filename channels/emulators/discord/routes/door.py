"""Where the gateway is.

Belongs here: the two addresses that tell it. What is said there belongs to `gateway`.
"""

from channels.emulators.discord import limits
from channels.emulators.discord.calls import Call, Reply


async def gateway(call: Call) -> Reply:
    """GET: the address alone."""
    return Reply({"url": _url(call)})


async def gateway_bot(call: Call) -> Reply:
    """GET: the address, and how often the bot may still identify today."""
    ration = {
        "total": limits.IDENTIFIES_A_DAY,
        "remaining": call.bot.identifies_left,
        "reset_after": 0 if call.bot.identifies_left == limits.IDENTIFIES_A_DAY else 86_400_000,
        "max_concurrency": 1,
    }
    return Reply({"url": _url(call), "shards": 1, "session_start_limit": ration})


def _url(call: Call) -> str:
    return f"ws{call.world.base.removeprefix('http')}/gateway"
