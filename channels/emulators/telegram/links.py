"""Which addresses Telegram takes for a link, and how it writes them.

Belongs here: addresses in markup and on buttons. An address it does not take makes a link in a text vanish without a
word, and a button fail.
"""

import re

_OWN_SCHEMES = ("tg", "ton", "tonsite")
_SHAPE = re.compile(
    r"(?:(?P<scheme>[^:/?#@\[\]]+)://)?(?:(?P<user>[^/?#]*)@)?(?P<host>\[[0-9a-fA-F:.]+\]|[^:/?#\\\s]*)(?::(?P<port>[^/?#]*))?"
    r"(?P<rest>[/?#].*)?",
    re.DOTALL,
)
_USER = re.compile(r"tg:(?://)?user/?\?(?:[^#]*&)?id=(?P<id>\d+)(?:[&#].*)?", re.IGNORECASE | re.DOTALL)


def mentioned_user(url: str) -> int | None:
    """The person whom `tg://user?id=…` speaks of."""
    match = _USER.fullmatch(url)
    number = int(match["id"]) if match else 0
    return number if 0 < number < 1 << 52 else None


def checked_link(url: str) -> str | None:
    """The address as Telegram writes it, or None where it takes it for no address."""
    scheme, colon, rest = url.partition(":")
    if colon and scheme.lower() in _OWN_SCHEMES:
        return _own_link(scheme.lower(), rest.removeprefix("//"))
    match = _SHAPE.fullmatch(url)
    if match is None or (match["scheme"] or "http").lower() not in ("http", "https"):
        return None
    host = match["host"].lower()
    if "." not in host and not host.startswith("["):
        return None
    if match["port"] is not None and not (
        match["port"].isascii() and match["port"].isdigit() and 0 < int(match["port"]) < 65536
    ):
        return None
    return _written(match, host)


def _own_link(scheme: str, rest: str) -> str | None:
    if not rest or re.search(r"\s", rest):
        return None
    return f"{scheme}://{rest}"


def _written(match: "re.Match[str]", host: str) -> str:
    user = f"{match['user']}@" if match["user"] is not None else ""
    port = f":{match['port']}" if match["port"] is not None else ""
    rest = (match["rest"] or "/").rstrip("\n")
    if not rest.startswith("/"):
        rest = "/" + rest
    return f"{(match['scheme'] or 'http').lower()}://{user}{host}{port}{rest.replace(' ', '%20')}"
