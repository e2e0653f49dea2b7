"""The apps that can be connected, put together for one data folder, and the ways in which a person connects them."""

from collections.abc import Callable
from dataclasses import dataclass

from conch.home import Home
from core.apps.connections import Apps
from core.apps.demo_account import DemoAccount
from core.apps.demo_calendar import DemoCalendar
from core.apps.demo_days import DemoDays
from core.apps.links import ConnectLinks
from core.apps.signing_in import BACK, SignIns
from core.clock import Clock
from core.safety.secrets import SecretBox
from core.store.apps import AppConnections, Tickets
from core.store.database import Database

DEMO_FILE = "demo-calendar.json"


@dataclass(frozen=True, slots=True)
class AppSide:
    """What there is of apps: those that are connected, links to their sign-ins, and the way through one."""

    apps: Apps
    links: ConnectLinks
    sign_ins: SignIns
    demo_account: DemoAccount


@dataclass(frozen=True, slots=True)
class WebPlace:
    """Where browsers reach the web side: by the public address, and by `local_url` on this machine.

    Without `local_url` no web side runs in this process, whatever the public address.
    """

    public_url: str | None = None
    local_url: str | None = None

    @property
    def public(self) -> str | None:
        """The public address where somebody answers there."""
        return self.public_url if self.local_url else None

    @property
    def base(self) -> str:
        """The address for links; empty where nobody answers."""
        return (self.public or self.local_url or "").rstrip("/")


def app_side(
    home: Home,
    database: Database,
    secrets: SecretBox,
    clock: Clock,
    place: WebPlace,
    remember: Callable[[str], object],
) -> AppSide:
    """Every app that Conch can connect; which of them are, `Apps.open` looks up."""
    tickets = Tickets(database)
    account = DemoAccount(tickets, secrets, clock, f"{place.base}{BACK}")
    calendar = DemoCalendar(account, DemoDays(home.path / DEMO_FILE), clock)
    apps = Apps((calendar,), AppConnections(database), secrets, clock, remember)
    links = ConnectLinks(tickets, apps.ids, public_url=place.public, local_url=place.local_url)
    return AppSide(apps, links, SignIns(tickets, apps, secrets, clock, place.base), account)
