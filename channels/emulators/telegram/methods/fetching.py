"""How a bot gets its updates: polling, or a webhook."""

import ipaddress
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from channels.emulators.telegram import limits
from channels.emulators.telegram.errors import (
    CONFLICT_SET_WEBHOOK,
    CONFLICT_WEBHOOK,
    ApiError,
    bad_request,
    conflict,
    strict,
    too_many_requests,
)
from channels.emulators.telegram.methods.call import Call, Method, Raw
from channels.emulators.telegram.parameters import FLAG, INTEGER, LIST, NOT_PLAYED, TEXT
from channels.emulators.telegram.people import WebhookSettings

_SECRET = re.compile(r"[A-Za-z0-9_-]*")


async def get_updates(call: Call) -> object:
    """Up to 100 updates from `offset` on, waiting up to 50 seconds for the first."""
    if call.bot.webhook is not None:
        raise await _late(call, conflict(CONFLICT_WEBHOOK))
    _remember_allowed(call)
    limit = min(max(call.integer("limit", limits.UPDATES), 1), limits.UPDATES)
    timeout = min(max(call.integer("timeout"), 0), limits.POLL_SECONDS)
    try:
        updates = await call.bot.queue.poll(call.integer("offset"), limit, timeout)
    except ApiError as error:
        raise await _late(call, error) from None
    return Raw(b"[" + b",".join(update.body for update in updates) + b"]")


async def set_webhook(call: Call) -> object:
    """Have updates pushed to `url` from now on; an empty one ends it. Once a second."""
    url = call.text("url")
    if not url:
        return await delete_webhook(call)
    now = call.world.clock.monotonic()
    if now < call.bot.next_webhook_at:
        raise too_many_requests(1)
    call.bot.next_webhook_at = now + limits.WEBHOOK_PAUSE_SECONDS
    settings = _checked(call, url)
    if call.flag("drop_pending_updates"):
        call.bot.queue.drop()
    _remember_allowed(call)
    call.bot.queue.end_poll(conflict(CONFLICT_SET_WEBHOOK))
    await call.services.webhooks.set(call.bot, settings)
    return True


async def delete_webhook(call: Call) -> object:
    """Back to polling. What was not delivered waits, unless it is to be dropped."""
    if call.flag("drop_pending_updates"):
        call.bot.queue.drop()
    await call.services.webhooks.set(call.bot, None)
    return True


async def get_webhook_info(call: Call) -> object:
    """Where updates go, how many wait, and what went wrong last."""
    bot = call.bot
    settings = bot.webhook
    info: dict[str, Any] = {
        "url": settings.url if settings else "",
        "has_custom_certificate": False,
        "pending_update_count": len(bot.queue),
    }
    if settings is not None:
        info |= {"max_connections": settings.connections, "ip_address": "127.0.0.1"}
        if bot.webhook_error is not None:
            info["last_error_date"], info["last_error_message"] = bot.webhook_error
    if bot.queue.allowed != limits.UPDATE_TYPES_UNASKED:
        info["allowed_updates"] = sorted(bot.queue.allowed)
    return info


def _checked(call: Call, url: str) -> WebhookSettings:
    secret = call.text("secret_token")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise bad_request("invalid webhook URL specified")
    if len(secret) > limits.WEBHOOK_SECRET_LENGTH:
        raise bad_request("secret token is too long")
    if not _SECRET.fullmatch(secret):
        raise bad_request("secret token contains unallowed characters")
    if not _is_loopback(parts.hostname):
        raise _elsewhere(parts.scheme, parts.port or 443, parts.hostname)
    connections = call.integer("max_connections", limits.WEBHOOK_CONNECTIONS)
    return WebhookSettings(url, secret, min(max(connections, 1), limits.WEBHOOK_CONNECTIONS_MOST))


def _elsewhere(scheme: str, port: int, host: str) -> ApiError:
    """Nothing leaves this machine; an address that Telegram would refuse too gets Telegram's words."""
    if scheme != "https":
        return bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if port not in limits.WEBHOOK_PORTS:
        return bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
    return strict(f"the pretend Telegram delivers to this machine only, not to {host}")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _remember_allowed(call: Call) -> None:
    """What the bot asks for stays asked for until it names something else."""
    kinds: Sequence[Any] | None = call.values.get("allowed_updates")
    if kinds is None:
        return
    for kind in kinds:
        if kind not in limits.UPDATE_TYPES:
            call.complain(f"there is no kind of update called {kind!r}")
    call.bot.queue.allow(str(kind) for kind in kinds)


async def _late(call: Call, error: ApiError) -> ApiError:
    """A second conflict within three seconds is answered three seconds later, so that two bots do not spin."""
    clock, bot = call.world.clock, call.bot
    if clock.monotonic() >= bot.next_conflict_at:
        bot.next_conflict_at = clock.monotonic() + limits.CONFLICT_PAUSE_SECONDS
    else:
        await clock.sleep(limits.CONFLICT_PAUSE_SECONDS)
    return error


METHODS = (
    Method(
        "getUpdates",
        {"offset": INTEGER, "limit": INTEGER, "timeout": INTEGER, "allowed_updates": LIST},
        get_updates,
    ),
    Method(
        "setWebhook",
        {
            "url": TEXT,
            "secret_token": TEXT,
            "max_connections": INTEGER,
            "allowed_updates": LIST,
            "drop_pending_updates": FLAG,
            "certificate": NOT_PLAYED,
            "ip_address": NOT_PLAYED,
        },
        set_webhook,
    ),
    Method("deleteWebhook", {"drop_pending_updates": FLAG}, delete_webhook),
    Method("getWebhookInfo", {}, get_webhook_info),
)
