"""A bot and itself, its connection, and who there is."""

from collections.abc import Mapping
from typing import Any

from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.methods.call import FLAG, NUMBER, TEXT, Call, Method
from channels.emulators.slack.people import TEAM_DOMAIN, TEAM_ID, TEAM_NAME, Bot
from channels.emulators.slack.sockets import PATH


async def auth_test(call: Call) -> Mapping[str, Any]:
    """Who the token is."""
    bot = call.bot
    return {
        "url": f"https://{TEAM_DOMAIN}.slack.com/",
        "team": TEAM_NAME,
        "user": bot.user["name"],
        "team_id": bot.team_id,
        "user_id": bot.user_id,
        "bot_id": bot.bot_id,
        "is_enterprise_install": False,
    }


async def api_test(_: Call) -> Mapping[str, Any]:
    """Whether anyone is there."""
    return {}


async def connections_open(call: Call) -> Mapping[str, Any]:
    """Where one websocket may connect."""
    ticket = call.world.deliveries.sockets.ticket(call.bot)
    base = call.world.files.base.replace("http://", "ws://", 1)
    return {"url": f"{base}{PATH}?ticket={ticket}&app_id={call.bot.app_id}"}


async def users_info(call: Call) -> Mapping[str, Any]:
    """Somebody by id."""
    account = call.world.accounts.get(call.text("user"))
    if account is None:
        raise ApiError("user_not_found")
    locale = {"locale": getattr(account, "locale", "en-US")} if call.flag("include_locale") else {}
    return {"user": account.user | locale}


async def users_list(call: Call) -> Mapping[str, Any]:
    """Everybody."""
    return {"members": [account.user for account in call.world.accounts.values()], "cache_ts": 1}


async def users_conversations(call: Call) -> Mapping[str, Any]:
    """The rooms that a person or the bot is in."""
    who = call.text("user") or call.bot.id
    kinds = set((call.text("types") or "public_channel").split(","))
    names = {"channel": "public_channel", "group": "private_channel", "im": "im"}
    rooms = [c for c in call.world.chats.values() if who in c.members and names[c.kind.value] in kinds]
    shown = [c for c in rooms if call.bot.id in c.members and not (c.archived and call.flag("exclude_archived"))]
    return {"channels": [chat.to_json() for chat in shown], "response_metadata": {"next_cursor": ""}}


async def bots_info(call: Call) -> Mapping[str, Any]:
    """An app's bot by its id."""
    found = [bot for bot in call.world.bots if bot.bot_id == call.text("bot")]
    if not found:
        raise ApiError("bot_not_found")
    return {"bot": _bot(found[0])}


async def team_info(_: Call) -> Mapping[str, Any]:
    """The workspace."""
    return {"team": {"id": TEAM_ID, "name": TEAM_NAME, "domain": TEAM_DOMAIN, "email_domain": "", "icon": {}}}


def _bot(bot: Bot) -> dict[str, Any]:
    return {"id": bot.bot_id, "deleted": False, "name": bot.name, "app_id": bot.app_id, "user_id": bot.user_id}


_PAGES = {"cursor": TEXT, "limit": NUMBER, "team_id": TEXT}

METHODS = (
    Method("auth.test", {}, auth_test),
    Method("api.test", {"error": TEXT}, api_test),
    Method("apps.connections.open", {}, connections_open, app_level=True),
    Method("users.info", {"user": TEXT, "include_locale": FLAG}, users_info, ("user",), ("users:read",)),
    Method("users.list", {**_PAGES, "include_locale": FLAG}, users_list, (), ("users:read",)),
    Method(
        "users.conversations",
        {**_PAGES, "user": TEXT, "types": TEXT, "exclude_archived": FLAG, "exclude_muted": FLAG},
        users_conversations,
        (),
        ("channels:read", "groups:read", "im:read"),
    ),
    Method("bots.info", {"bot": TEXT, "team_id": TEXT}, bots_info, (), ("users:read",)),
    Method("team.info", {"team": TEXT, "domain": TEXT}, team_info, (), ("team:read",)),
)
