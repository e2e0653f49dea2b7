"""Which links are shown as links, and how the others are said. No markup."""

import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from markdown_it.common.normalize_url import normalizeLinkText

WEB = frozenset({"http", "https"})
LABEL_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[/:?#]\S*)?", re.IGNORECASE)
FILE_NAME = re.compile(r".*\.(?:css|go|html|js|json|md|php|py|rb|rs|sh|sql|ts|txt|xml)", re.IGNORECASE)
# A `tg:` link to a person is a mention: it would call them.
CALLS_SOMEONE = re.compile(r"tg:/*user\b", re.IGNORECASE)
PUBLIC_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.(?:[a-z][a-z0-9-]+|\d+)|\[?[0-9a-f:.]+\]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LinkRules:
    """What an app takes as a link.

    `public_hosts`: hosts without a dot are refused (TDLib turns such a link into plain words without saying so).
    `masks_addresses`: a label that is itself an address is shown as a link.
    """

    schemes: frozenset[str] = frozenset()
    public_hosts: bool = False
    masks_addresses: bool = True


class Shown(NamedTuple):
    """How a link is said: its label, or `words` instead of it; a link or not; and what comes `after` it."""

    linked: bool
    words: str | None = None
    after: str = ""


LABEL_ONLY = Shown(linked=False)


def shown(label: str, href: str, rules: LinkRules, longest: int) -> Shown:
    """How to say a link. A label that names another place than the one it leads to never hides it.

    An address of more than `longest` characters is said in words, which can be cut.
    """
    label = label.strip()
    if not label:
        return Shown(linked=False, words=spoken(href))
    if href in {label, f"mailto:{label}"} or spoken(href) == label:
        return LABEL_ONLY
    if not acceptable(href, rules) or len(href) > longest:
        return Shown(linked=False, after=f" ({spoken(href)})")
    if not names_a_place(label):
        return Shown(linked=True)
    if leads_there(label, href):
        return Shown(linked=True) if rules.masks_addresses else Shown(linked=False, words=href)
    return Shown(linked=False, after=f" ({href})")


def acceptable(href: str, rules: LinkRules) -> bool:
    """Whether the app makes this a link, and one that calls nobody."""
    scheme = href.partition(":")[0].lower()
    if scheme not in rules.schemes or CALLS_SOMEONE.match(href):
        return False
    if scheme not in WEB:
        return len(href) > len(scheme) + len("://")
    host = host_of(href)
    return bool(host) and (not rules.public_hosts or PUBLIC_HOST.fullmatch(host) is not None)


def names_a_place(label: str) -> bool:
    """Whether a label is read as an address; `main.py` and `Node.js` are names of other things."""
    return "://" in label or bool(LABEL_ADDRESS.fullmatch(label) and not FILE_NAME.fullmatch(label))


def leads_there(label: str, href: str) -> bool:
    """Whether a label that is read as an address is true of the link."""
    named, real = host_of(label if "://" in label else f"//{label}"), host_of(href)
    return bool(named) and (real == named or real.endswith(f".{named}"))


def host_of(address: str) -> str:
    """The host, without `www.`; empty where there is none or the address is malformed, its port included."""
    try:
        parts = urlsplit(address)
        return (parts.hostname or "").removeprefix("www.") if parts.port != 0 else ""
    except ValueError:
        return ""


def spoken(href: str) -> str:
    """An address for reading: a web address as it is, so that apps still link it; others with their own letters."""
    if href.partition(":")[0].lower() in WEB:
        return href
    words = normalizeLinkText(href)
    return words if words.isprintable() else href
