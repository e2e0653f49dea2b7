"""Who there is: people, and bots as Azure knows them.

Belongs here: identities, a bot's secret and where it listens. Where they meet belongs to `chats`.
"""

from dataclasses import dataclass
from typing import Any

TENANT = "22222222-2222-4222-8222-222222222222"


@dataclass(frozen=True)
class Person:
    """Someone in the organization. `id` is what bots know them by, `aad_id` what the organization does."""

    id: str
    aad_id: str
    name: str
    email: str
    locale: str = "en-GB"
    timezone: str = "Europe/London"
    old_app: bool = False
    """Whether their app is too old for `Action.Execute`, and shows what stands in its place."""

    @property
    def brief(self) -> dict[str, Any]:
        """The `from` of an activity."""
        return {"id": self.id, "name": self.name, "aadObjectId": self.aad_id}

    @property
    def member(self) -> dict[str, Any]:
        """As the roster gives them."""
        given, _, surname = self.name.partition(" ")
        about = {"givenName": given, "surname": surname, "email": self.email, "userPrincipalName": self.email}
        return self.brief | about | {"tenantId": TENANT, "userRole": "user"}


@dataclass(eq=False)
class Bot:
    """A bot. Everything that it holds is worth nothing anywhere else."""

    app_id: str
    password: str
    name: str
    tenant: str = TENANT
    endpoint: str = ""
    """Where its activities are posted; nothing is, as long as it is empty."""

    @property
    def id(self) -> str:
        """As activities name it."""
        return f"28:{self.app_id}"

    @property
    def brief(self) -> dict[str, Any]:
        """The `recipient` of an activity."""
        return {"id": self.id, "name": self.name}


Account = Person | Bot
