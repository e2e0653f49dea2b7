"""Which addresses the bot's keys may go to. Pure."""

import ipaddress
from urllib.parse import urlsplit

from core.errors import UsageError

API = "https://slack.com/api/"


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine and nothing else."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(address: str, *, allow_remote: bool) -> None:
    """See that an address is Slack's or this machine's.

    Raises:
        UsageError: it is another host's, and that is not switched on, or it is no address.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{address!r} is not an address for Slack's Web API.")
    if address.startswith(API) or is_this_machine(parts.hostname) or allow_remote:
        return
    raise UsageError(f"{parts.hostname} is not Slack: bots' keys go there only when that is switched on.")
