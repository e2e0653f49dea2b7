"""Who and where: the bot itself, private chats, channels, threads.

Belongs here: looking places up and making them. What is said in them belongs to `messages`.
"""

from channels.emulators.discord import limits, permissions
from channels.emulators.discord.calls import Call, Reply
from channels.emulators.discord.errors import FormErrors, missing_access, missing_permissions, thread_exists, unknown
from channels.emulators.discord.people import Bot, Person
from channels.emulators.discord.places import HAS_THREAD


async def me(call: Call) -> Reply:
    """GET: the bot itself."""
    return Reply(call.bot.me)


async def application(call: Call) -> Reply:
    """GET: the bot's application."""
    return Reply(application_json(call.bot))


def application_json(bot: Bot) -> dict[str, object]:
    """As Discord speaks of it; the flags say which privileged intents a small bot has."""
    return {
        "id": bot.application_id,
        "name": bot.name,
        "icon": None,
        "description": "",
        "summary": "",
        "type": None,
        "bot": bot.user,
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": (1 << 19) if bot.reads_content else 0,
        "flags_new": str((1 << 19) if bot.reads_content else 0),
        "explicit_content_filter": 0,
        "eligible_oauth2_scopes": [],
        "hook": True,
        "owner": bot.user,
        "team": None,
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "approximate_guild_count": 1,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "integration_types_config": {"0": {}},
        "event_webhooks_status": 1,
        "is_monetized": False,
        "storefront_available": False,
        "creator_monetization_state": 1,
    }


async def user(call: Call) -> Reply:
    """GET: anyone."""
    account = call.world.accounts.get(call.place["user_id"])
    if account is None:
        raise unknown("User")
    return Reply(account.user)


async def open_private(call: Call) -> Reply:
    """POST: the private chat with a person, whether there was one or not."""
    account = call.world.accounts.get(str(call.fields.get("recipient_id")))
    if not isinstance(account, Person):
        raise unknown("User")
    return Reply(call.world.private_chat(account, call.bot).json(call.bot))


async def channel(call: Call) -> Reply:
    """GET: a channel or thread."""
    return Reply(call.channel().json(call.bot))


async def guild(call: Call) -> Reply:
    """GET: a server that the bot is in."""
    found = call.world.guilds.get(call.place["guild_id"])
    if found is None:
        raise unknown("Guild")
    if call.bot.id not in found.bots:
        raise missing_access()
    inside = ("joined_at", "member_count", "large", "unavailable", "channels", "threads", "members", "presences")
    return Reply({name: value for name, value in found.json(call.bot).items() if name not in inside})


async def leave(call: Call) -> Reply:
    """DELETE: leave a server."""
    found = call.world.guilds.get(call.place["guild_id"])
    if found is None or call.bot.id not in found.bots:
        raise unknown("Guild")
    del found.bots[call.bot.id]
    call.world.tell_guild(found, call.bot, there=False)
    return Reply()


async def open_thread(call: Call) -> Reply:
    """POST: a thread under a message."""
    parent = call.channel(permissions.CREATE_PUBLIC_THREADS)
    message, errors = call.message(parent), FormErrors()
    errors.length("name", call.fields.get("name"), limits.THREAD_NAME, 1)
    errors.raise_if_any()
    if parent.guild is None or parent.parent is not None:
        raise missing_permissions()
    if message.flags & HAS_THREAD:
        raise thread_exists()
    return Reply(call.world.open_thread(message, call.fields["name"], call.bot).json(call.bot), new=True)


async def change_channel(call: Call) -> Reply:
    """PATCH: a thread's name, and whether it sleeps; of other channels nothing."""
    thread = call.channel()
    if thread.parent is None or thread.owner_id != call.bot.id:
        raise missing_permissions()
    errors = FormErrors()
    if "name" in call.fields:
        errors.length("name", call.fields["name"], limits.THREAD_NAME, 1)
    errors.raise_if_any()
    thread.name = call.fields.get("name", thread.name)
    call.world.archive(thread, archived=bool(call.fields.get("archived", thread.archived)))
    return Reply(thread.json(call.bot))


async def join_thread(call: Call) -> Reply:
    """PUT: be in a thread; a bot that sees its channel may."""
    call.channel()
    return Reply()
