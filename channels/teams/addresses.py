"""Which addresses keys, tokens and people's files may go to, and which of them Microsoft speaks from. Pure."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.errors import UsageError

LOGIN = "https://login.microsoftonline.com"
OPENID = "https://login.botframework.com/v1/.well-known/openidconfiguration"
ISSUER = "https://api.botframework.com"
SERVICE = "https://smba.trafficmanager.net/teams/"
"""Where a bot writes that was not told of a nearer place
[learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages]."""

_LOGIN_HOSTS = ("login.microsoftonline.com", "login.microsoftonline.us", "login.botframework.com")
_SERVICE_HOSTS = ("smba.trafficmanager.net", ".botframework.com", ".teams.microsoft.com", ".teams.microsoft.us")
_FILE_HOSTS = (".sharepoint.com", ".sharepoint.us", ".sharepoint-mil.us", ".onedrive.live.com", "api.onedrive.com")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where Microsoft is: its sign-in, its keys, what its tokens call it, and where bots write by default.

    Keys go to Microsoft or to this machine, and to any other host only with `allow_remote`.

    Raises:
        UsageError: an address is another host's, or none.
    """

    login: str = LOGIN
    openid: str = OPENID
    issuer: str = ISSUER
    service: str = SERVICE
    allow_remote: bool = False

    def __post_init__(self) -> None:
        """See that they may be used."""
        for address, hosts in ((self.login, _LOGIN_HOSTS), (self.openid, _LOGIN_HOSTS), (self.service, _SERVICE_HOSTS)):
            parts = urlsplit(address)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise UsageError(f"{address!r} is not an address of Teams.")
            if not (_is_among(address, hosts) or is_this_machine(parts.hostname) or self.allow_remote):
                raise UsageError(
                    f"{parts.hostname} is not Microsoft: bots' keys go there only when that is switched on."
                )

    def token(self, tenant: str) -> str:
        """Where a tenant's tokens are given out."""
        return f"{self.login.rstrip('/')}/{tenant}/oauth2/v2.0/token"

    def is_service(self, address: str) -> bool:
        """Whether bots may write there, and Microsoft speaks from there."""
        return _is_among(address, _SERVICE_HOSTS) or _origin(address) == _origin(self.service)

    def are_keys(self, address: str) -> bool:
        """Whether keys may come from there: from where the metadata is."""
        return _origin(address) == _origin(self.openid)

    def is_for_files(self, address: str) -> bool:
        """Whether people's files lie there; beside a pretend Teams on this machine, on this machine."""
        pretend = is_this_machine(urlsplit(self.service).hostname or "")
        return _is_among(address, _FILE_HOSTS) or (pretend and is_this_machine(_origin(address)[1]))


def is_this_machine(host: str) -> bool:
    """Whether a host is this machine and nothing else."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def same(one: str, other: str) -> bool:
    """Whether two service addresses are the same; a slash at the end and the case of a host say nothing."""
    first, second = urlsplit(one), urlsplit(other)
    return _origin(one) == _origin(other) and first.path.rstrip("/") == second.path.rstrip("/")


def _origin(address: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(address)
        return parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        return "", "", None


def _is_among(address: str, hosts: tuple[str, ...]) -> bool:
    scheme, host, port = _origin(address)
    known = any(host == name or (name.startswith(".") and host.endswith(name)) for name in hosts)
    return scheme == "https" and port in (None, 443) and known
