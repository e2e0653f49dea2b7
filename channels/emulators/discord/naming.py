"""Whom a message names, and whose phone rings for it.

Belongs here: reading mentions and `allowed_mentions`. How a name looks in a text belongs to `markdown`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from channels.emulators.discord.errors import FormErrors
from channels.emulators.discord.people import Account
from channels.emulators.discord.places import Channel, Message

_NAMED = re.compile(r"<@!?(\d+)>")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_EVERYONE = re.compile(r"@(everyone|here)\b")


@dataclass(frozen=True, slots=True)
class Named:
    """Who is named (`accounts`) and who is notified (`pings`, by name)."""

    accounts: tuple[Account, ...] = ()
    pings: tuple[str, ...] = ()
    everyone: bool = False


def named(
    text: str,
    channel: Channel,
    accounts: Mapping[str, Account],
    *,
    reply_to: Message | None,
    allowed: Mapping[str, Any] | None,
    may_all: bool,
) -> Named:
    """Who is named in a text and rung for it. `may_all`: whether the author may ring everyone."""
    plain = _CODE.sub("", text)
    ids = dict.fromkeys(_NAMED.findall(plain))
    within = _members(channel)
    found = [accounts[i] for i in ids if i in accounts and i in within]
    rung = [a for a in found if _allows(allowed, "users", a.id)]
    if reply_to is not None and (allowed is None or allowed.get("replied_user")):
        found, rung = [*found, reply_to.author], [*rung, reply_to.author]
    every = _EVERYONE.search(plain) if may_all and _allows(allowed, "everyone", "") else None
    rung_names = [a.name for a in dict.fromkeys(rung)]
    whom = tuple(dict.fromkeys(rung if allowed is not None else found))
    return Named(whom, (*rung_names, *([every[1]] if every else [])), every is not None)


def check_allowed(allowed: Mapping[str, Any], errors: FormErrors) -> None:
    """Say what is wrong with `allowed_mentions`: a kind may not be named both as a whole and one by one."""
    for name in ("users", "roles"):
        listed = allowed.get(name) or []
        if len(listed) > 100:
            errors.count(f"allowed_mentions.{name}", len(listed), 100)
        if listed and name in (allowed.get("parse") or []):
            words = f'parse:["{name}"] and {name}: [ids...] are mutually exclusive.'
            errors.add("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", words)


def _members(channel: Channel) -> set[str]:
    if channel.guild is not None:
        return {*channel.guild.people, *channel.guild.bots}
    return {account.id for account in (channel.person, channel.bot) if account is not None}


def _allows(allowed: Mapping[str, Any] | None, kind: str, account_id: str) -> bool:
    if allowed is None:
        return True
    return kind in (allowed.get("parse") or []) or account_id in (allowed.get(kind) or [])
