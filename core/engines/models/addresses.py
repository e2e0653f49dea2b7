"""Where a model server is: on this machine or network, or out in the world."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from core.errors import UsageError

_LOCAL_ENDINGS = (".local", ".lan", ".home", ".internal", ".localhost", ".home.arpa", ".ts.net")
"""Names that no public server has (RFC 6762, RFC 8375, RFC 6761), and Tailscale's."""


_SHARED = ipaddress.ip_network("100.64.0.0/10")
"""What overlay networks use (RFC 6598)."""


def is_near(url: str) -> bool:
    """Whether it is on this machine or in a private network: a loopback or private address, or such a name.

    A name without a dot (`ollama`, as in a Compose file) is near; nothing is looked up.
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # A number alone is an IPv4 address in another dress: http://134744072 is 8.8.8.8.
        return (host[:1].isalpha() and "." not in host) or host.endswith(_LOCAL_ENDINGS)
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_private or address.is_link_local or (address.version == 4 and address in _SHARED)


def checked(url: str, *, has_key: bool) -> str:
    """The address without a slash at its end.

    Raises:
        UsageError: it is none of http or https, holds a user, a password, a query or a fragment, or would send a key in
            plain text over the internet.
    """
    parts = _split(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("The address of a model server begins with http:// or https://, then comes the host's name.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError("Give the address of the model server without a user, a password or what comes after ? or #.")
    if parts.scheme == "http" and has_key and not is_near(url):
        raise UsageError(
            f"A key must not go to {parts.hostname} over plain http, where others can read it. "
            "Use an https address; http is for this machine and private networks."
        )
    return url.strip().rstrip("/")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        parts.port  # noqa: B018 - looked at, because it is only checked then
    except ValueError:
        raise UsageError("This is not an address: it has a bad port or host.") from None
    return parts
