"""The composition root: builds every part once, hands each what it needs, and ends them in order.

What the parts do is theirs. Sockets, signals and the web side are in `conch.server`.
"""

import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from channels.actions import ChatActions
from channels.base import ChannelKind
from channels.cards.answering import Answering
from channels.cards.dealing import Dealing
from channels.cards.desk import Cards
from channels.cards.lost import LostCards
from channels.cards.places import CardPlaces
from channels.cards.pressed import CardForms
from channels.cards.redrawing import Redrawing
from channels.catchup import CatchUp
from channels.chips import Chips
from channels.fading import Fading
from channels.gate import Gate
from channels.marking import Marking
from channels.menus.assembly import Choosing
from channels.menus.editing import MenuEdits
from channels.menus_sync import MenuSync
from channels.offers import Offers
from channels.outbox import Outbox
from channels.progress import Progress
from channels.registry import ChannelRegistry
from channels.relay import Relay
from channels.second_try import SecondTry
from channels.service import ChannelService
from channels.summaries import Summaries
from channels.taking import OfferDesk
from channels.undelivered import Undelivered
from channels.under_answers import UnderAnswers
from channels.unended import Unended
from channels.writing import Streaming
from conch.apps import AppSide, WebPlace, app_side
from conch.engines import EngineConnections
from conch.home import Home
from conch.machine import NOTHING_FOUND, Machine
from conch.settings import ProgramSettings
from conch.witness import Witness
from core.checkpoints import NO_CHECKPOINTS, Checkpoints
from core.clock import Clock
from core.conversations import Conversations
from core.engines.base import Engine
from core.engines.catalogue import Catalogue
from core.engines.models import connecting
from core.engines.registry import Engines, Standing
from core.files import FileStore
from core.live import LiveFeed
from core.meter import NO_METER, Meter
from core.offers.catalog import catalog
from core.offers.desk import Shelf
from core.own_commands import OwnCommands
from core.preferences import Preferences
from core.safety.secrets import SecretBox
from core.skills.skills import Skills
from core.store.actions import ActionRows
from core.store.audit import Audit
from core.store.channels import Channels
from core.store.database import Database
from core.store.engines import EngineRows
from core.store.groups import Groups
from core.store.log import EventLog
from core.store.outbox import OutboxRows
from core.store.people import People
from core.store.seats import Seats
from core.store.settings import StoredSettings

TURNS_END = 30.0
"""Seconds that running turns have at the end; then they are interrupted, and say so when Conch is back."""

OUTBOX_SETTLES = 10.0
"""Seconds for what was said last to be sent; what is left is sent at the next start."""


AT_A_START = ("public_url",)
"""Settings that count when sockets are opened and apps are told: they can only be set where Conch is started."""


@dataclass(frozen=True, slots=True)
class App:
    """Everything that runs, built and not started."""

    home: Home
    clock: Clock
    database: Database
    people: People
    groups: Groups
    engines: Engines
    connections: EngineConnections
    apps: AppSide
    preferences: Preferences
    skills: Skills
    conversations: Conversations
    feed: LiveFeed
    gate: Gate
    service: ChannelService
    registry: ChannelRegistry
    catch_up: CatchUp
    relay: Relay
    outbox: Outbox
    actions: ChatActions
    fading: Fading
    redrawing: Redrawing
    offers: Offers
    menu_edits: MenuEdits
    menus: MenuSync
    witness: Witness

    async def start(self, machine: Machine = NOTHING_FOUND, standing: Standing = Standing.FOUND) -> None:
        """Take up what an earlier life left behind, then begin to receive.

        `machine` is what was found that can answer too, and `standing` how it is preferred.
        """
        await self.connections.open(machine, standing)
        await self.registry.open()
        await self.relay.recover()
        await self.conversations.recover()
        await self.registry.start()
        self.fading.start()
        self.redrawing.start()
        self.menu_edits.start()
        self.menus.start()

    async def drain(self) -> None:
        """Receive no more, let running turns end, send what they said; what is left is taken up at the next start."""
        await self.registry.stop_receiving()
        await self.service.close()
        await self.conversations.drain(TURNS_END)
        await self.relay.settled()
        await self.outbox.settle(OUTBOX_SETTLES)


@asynccontextmanager
async def composed(
    home: Home,
    settings: ProgramSettings,
    *,
    clock: Clock,
    kinds: Mapping[str, ChannelKind],
    engines: Sequence[Engine],
    checkpoints: Checkpoints = NO_CHECKPOINTS,
    meter: Meter = NO_METER,
    local_url: str | None = None,
    remember: Callable[[str], object] = lambda _secret: None,
) -> AsyncIterator[App]:
    """Build everything over one data folder, whose lock the caller holds.

    `local_url` is where the web side answers on this machine, if it does. `remember` is told every key that is
    used, so that logs leave it out.
    """
    async with AsyncExitStack() as stack:
        database = await Database.open(settings.database_url or f"sqlite:///{home.database}", clock, meter=meter)
        stack.push_async_callback(database.close)
        feed = LiveFeed()
        database.on_commit(feed.publish_events)
        witness = Witness(database)
        stack.push_async_callback(witness.close)
        database.on_commit(witness.hear)
        files = FileStore(home.files)
        fixed = frozenset({*settings.model_fields_set, *AT_A_START})
        preferences = Preferences(settings.core, fixed, StoredSettings(database), Audit(database))
        await preferences.load()
        usable, secrets = Engines(engines, preferences), secret_box(home, settings)
        connections = EngineConnections(
            engines=usable,
            rows=EngineRows(database),
            secrets=secrets,
            connect=connecting.late(files, clock),
            remember=remember,
            clock=clock,
        )
        stack.push_async_callback(connections.close)
        place = WebPlace(settings.public_url, local_url)
        side = app_side(home, database, secrets, clock, place, remember)
        await side.apps.open()
        skills = Skills(home.skills, preferences)
        await skills.look()
        conversations = Conversations(
            database=database,
            engines=usable,
            files=files,
            feed=feed,
            preferences=preferences,
            clock=clock,
            checkpoints=checkpoints,
            shelf=Shelf(catalog(demo=True), side.apps.connected, skills.all, partial(_is_tried_out, usable, side)),
            skills=skills,
            app_tools=side.apps.tools,
        )
        owner = uuid.uuid4().hex
        outbox = Outbox(database=database, clock=clock, checkpoints=checkpoints, owner=owner, meter=meter)
        progress = Progress(clock, Streaming(database, clock), Marking(outbox, clock))
        people = People(database)
        groups = Groups(database)
        gate = Gate(people, groups, clock)
        actions = ChatActions(database, clock)
        fading = Fading(database, outbox, clock)
        redrawing = Redrawing(database, outbox, clock)
        menu_edits = MenuEdits(database, outbox, clock)
        stack.push_async_callback(menu_edits.close)
        log = EventLog(database)
        dealing = Dealing(database, conversations, clock)
        lost_cards = LostCards(outbox, dealing)
        stack.push_async_callback(lost_cards.close)
        places = CardPlaces(log, people, groups, Seats(database))
        undelivered = Undelivered(outbox, OutboxRows(database), places, groups)
        stack.push_async_callback(undelivered.close)
        offers = Offers(database=database, outbox=outbox, links=side.links, skills=skills, clock=clock)
        set_rows = ActionRows(database)
        relay = Relay(
            log=log,
            outbox=outbox,
            second_try=SecondTry(log, actions),
            under=UnderAnswers(Chips(log, set_rows, actions), offers),
            dealing=dealing,
            summaries=Summaries(log, actions),
            fading=fading,
            redrawing=redrawing,
            progress=progress,
            unended=Unended(database, progress),
            feed=feed,
            files=files,
        )
        stack.push_async_callback(relay.close)
        answering = Answering(database=database, conversations=conversations, outbox=outbox, redrawing=redrawing)
        cards = Cards(database, answering)
        offer_desk = OfferDesk(
            database=database, conversations=conversations, preferences=preferences, actions=actions, clock=clock
        )
        catalogue = Catalogue(usable)
        stack.push_async_callback(catalogue.close)
        service = ChannelService(
            database=database,
            conversations=conversations,
            outbox=outbox,
            gate=gate,
            actions=actions,
            fading=fading,
            redrawing=redrawing,
            offers=offers,
            files=files,
            own_commands=OwnCommands(home.commands),
            skills=skills,
            preferences=preferences,
            choosing=Choosing(catalogue, preferences, menu_edits),
            clock=clock,
            checkpoints=checkpoints,
            console=place.base or None,
            claimants=(offer_desk, cards),
            hearers=(cards, offer_desk),
            openers=(CardForms(database),),
            meter=meter,
        )
        stack.push_async_callback(service.close)
        records = Channels(database)
        menus = MenuSync(outbox, records, clock)
        stack.push_async_callback(menus.close)
        catch_up = CatchUp(database=database, people=people, service=service, outbox=outbox, clock=clock)
        registry = ChannelRegistry(
            kinds=kinds,
            records=records,
            secrets=secrets,
            service=service,
            catch_up=catch_up,
            outbox=outbox,
            relay=relay,
            gate=gate,
            preferences=preferences,
            clock=clock,
        )
        stack.push_async_callback(registry.close)
        stack.push_async_callback(fading.close)
        stack.push_async_callback(redrawing.close)
        yield App(
            home=home,
            clock=clock,
            database=database,
            people=people,
            groups=groups,
            engines=usable,
            connections=connections,
            apps=side,
            preferences=preferences,
            skills=skills,
            conversations=conversations,
            feed=feed,
            gate=gate,
            service=service,
            registry=registry,
            catch_up=catch_up,
            relay=relay,
            outbox=outbox,
            actions=actions,
            fading=fading,
            redrawing=redrawing,
            offers=offers,
            menu_edits=menu_edits,
            menus=menus,
            witness=witness,
        )


def _is_tried_out(engines: Engines, side: AppSide) -> bool:
    """Whether a made-up app is worth offering: it is as real as the answers, and there is a page to connect it on."""
    return bool(side.links.base) and engines.standing(engines.default.id) is Standing.BUILT_IN


def secret_box(home: Home, settings: ProgramSettings) -> SecretBox:
    """What seals the keys of bots and engines."""
    key = settings.secret_key.get_secret_value() if settings.secret_key else None
    return SecretBox.kept_in(home.path, key)
