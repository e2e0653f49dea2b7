"""What there is to turn on in tests, and an engine that offers what the words name."""

from dataclasses import dataclass, field
from typing import Any, Literal

from core import events as ev
from core.cards import Offer
from core.engines.base import EngineCapabilities, Text, TurnInput
from core.engines.script import CallTool, Steps, Until
from core.offers.catalog import CatalogApp, Connects, catalog
from core.offers.desk import Shelf
from tests.core.lives import CHAT, Life, from_chat

TOOLS = EngineCapabilities(host_tools="inline", plan_approval="host")
WORDS = EngineCapabilities()
OWNER = from_chat("ada").model_copy(update={"role": "owner"})
PHOTOS = CatalogApp("photos", "Snapbox", "Look at your pictures", "#112233", Connects.SIGN_IN, can_be_connected=True)
MAPS = CatalogApp("maps", "Wayfinder", "Find your way", "#112233", Connects.SIGN_IN, can_be_connected=True)


@dataclass
class Skill:
    id: str
    title: str
    description: str = "Plans a trip. Day by day."
    mode: Literal["off", "when-asked", "automatic"] = "off"


@dataclass
class Things:
    """What a test can connect and turn on while turns run."""

    connected: set[str] = field(default_factory=set)
    skills: list[Skill] = field(default_factory=list)

    @property
    def shelf(self) -> Shelf:
        apps = (*catalog(demo=True), PHOTOS, MAPS)
        return Shelf(apps, lambda: frozenset(self.connected), lambda: tuple(self.skills))


def offering(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """ "offer app photos" offers it and says what came of it; several in one turn stand behind each other."""
    if not turn.text.startswith("offer "):
        yield Text(f"echo: {turn.text}")
        return
    words = turn.text.split()[1:]
    for number, (kind, target) in enumerate(zip(words[::2], words[1::2], strict=True)):
        call_id = f"offer-{len(earlier)}-{number}"
        answer = yield CallTool(call_id, "offer", {"kind": kind, "target": target, "why": "So  that\nI see it"})
        yield Text(answer.text)


def held_by(event: Any) -> Any:
    """The same, and a message that begins with "wait" is answered once the event is set."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text.startswith("wait"):
            yield Text("so far")
            yield Until(event)
        yield from offering(turn, earlier)

    return script


async def offers_in(life: Life, chat: str = CHAT) -> list[Offer]:
    """Every offer that was shown."""
    return [data.offer for data in await life.events(chat) if isinstance(data, ev.OfferShown)]


async def resolved_in(life: Life, chat: str = CHAT) -> list[str]:
    """What became of offers, in order."""
    return [data.outcome for data in await life.events(chat) if isinstance(data, ev.OfferResolved)]


async def carried_in(life: Life, chat: str = CHAT) -> list[ev.TurnStarted]:
    """The turns that carry on."""
    started = [data for data in await life.events(chat) if isinstance(data, ev.TurnStarted)]
    return [data for data in started if data.trigger is ev.Trigger.CARRY_ON]
