"""`conch serve`: the program from the first socket to the last message sent.

What is built is in `conch.app`, what the pretend apps show in `conch.playground`. Here are sockets, the order of
starting and ending, and what the person who started it reads.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path
from socket import socket
from typing import Any

import structlog

from conch import interpreter, machine
from conch.admin import CONSOLE, HIDDEN_KINDS, Admin
from conch.answerers import about_engines, answers, engines_command
from conch.api import parts_of
from conch.app import App, composed
from conch.console import Backing, chats_of
from conch.engines import standing_of_found
from conch.health import HealthLook
from conch.home import Home
from conch.kinds import CONNECT_ONE, connectable
from conch.levels import LevelsLook
from conch.lock import Held
from conch.machine import Machine
from conch.playground import STAGES, PlayedApp, begin_all, played_apps
from conch.pretend import PretendProcess, keep_alive, pretend_apps
from conch.printing import called
from conch.settings import ProgramSettings
from conch.signals import asked_to_end
from core.clock import Clock
from core.engines.demo.engine import DemoEngine
from core.errors import ConchError, StoreUnavailable, UsageError
from core.meter import Meter
from core.store.audit import Audit
from core.store.log import EventLog
from core.store.owner_keys import OwnerKeyRows
from core.store.retention import throw_away
from core.store.tokens import ApiTokens
from core.store.web_sessions import WebSessionRows
from web.api.app import create_api
from web.api.following import Followers
from web.app import Backend, create_app
from web.callers import TokenCallers
from web.connect import ConnectPages
from web.control import create_control_app
from web.demo_calendar import DemoCalendarPages
from web.metrics import Metrics, MetricsRoute
from web.playground import Playground
from web.proxies import Proxies, networks
from web.security import API, Gate, is_loopback, normal_names
from web.serving import PortTaken, address, fits_a_socket, listen, listen_locally, serving
from web.sessions import Sessions
from web.signing.keys import OwnerKeys
from web.signing.pages import SignIn
from web.ways_back import WaysBack

_log = structlog.get_logger(__name__)

SOCKET = "control.sock"

EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - what it means is what is looked for

TIDY_SECONDS = 3600.0

SUGGESTED = (
    "What can you do?",
    "Show me a long answer with code",
    "Make me a file",
    "Ask me something",
    "Ask me several things",
    "Write a note",
    "Make a plan",
    "What's on my calendar today?",
)
"""Sentences of the demo that the playground's page offers to say."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a server is started with. `say` prints a line for whoever started it, `remember` keeps a key out of logs."""

    home: Home
    settings: ProgramSettings
    clock: Clock
    held: Held
    say: Callable[[str], None]
    in_playground: bool = False
    remember: Callable[[str], object] = lambda _secret: None
    on_started: Callable[[], None] = lambda: None


async def serve(start: Start) -> None:
    """Run until the system or the person asks for an end, then end in order.

    Raises:
        UsageError: the settings do not fit this machine.
        ConchError: something that is needed did not start.
    """
    if start.in_playground and not is_loopback(start.settings.host):
        raise UsageError("The playground is for this machine only: leave --host and CONCH_HOST away.")
    with asked_to_end() as ending:
        async with _started(start) as running:
            interpreter.settle()
            start.on_started()
            start.say(running.greeting)
            await ending.wait()
            start.say("Ending: what is being answered may finish. Ctrl-C again ends at once.")
            running.close_streams()
            await running.app.drain()
    start.say("Ended.")


@dataclass(frozen=True, slots=True)
class _Running:
    app: App
    greeting: str
    close_streams: Callable[[], None]


@asynccontextmanager
async def _started(start: Start) -> AsyncIterator[_Running]:
    """Everything, running; the parts end in the opposite order."""
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(_listener(start))
        where = address(start.settings.host, listener)
        child = await stack.enter_async_context(pretend_apps()) if start.in_playground else None
        found = await machine.look()
        metrics = Metrics(version("conch"))
        app = await stack.enter_async_context(_composed(start, child, found, metrics, where))
        app.database.on_commit(metrics.hear)
        await _forget_earlier_life(app, everything=start.in_playground)
        standing = standing_of_found(start.home)
        await app.start(found, standing)
        await stack.enter_async_context(_beside(_tidy(app)))
        await stack.enter_async_context(_beside(metrics.watch_loop(app.clock)))
        await stack.enter_async_context(_beside(app.connections.watch(machine.look, standing)))
        await stack.enter_async_context(_beside(_warm_up(app)))
        played = await stack.enter_async_context(_played(child, app)) if child else None

        sessions = Sessions(start.clock, WebSessionRows(app.database))
        await sessions.load()
        keys = OwnerKeys(OwnerKeyRows(app.database), app.clock)
        await keys.load()
        new_link = partial(_link, where, sessions)
        admin, terminal = Admin(app, new_link, CONSOLE), Admin(app, new_link)
        playground = Playground(played, SUGGESTED) if played is not None else None
        health = HealthLook(app.database, app.registry, app.clock)
        levels = LevelsLook(app, health)
        parts = parts_of(app, admin)
        followers, ways_back = Followers(parts), WaysBack()
        chats = chats_of(app, parts, followers, ways_back)
        stack.push_async_callback(chats.deleting.close)
        backend = Backend(
            administration=admin,
            health=health,
            playground=playground,
            push=app.registry.pushed,
            connect=ConnectPages(
                app.apps.sign_ins, app.conversations, EventLog(app.database), Audit(app.database), ways_back
            ),
            demo_calendar=DemoCalendarPages(app.apps.demo_account),
            metrics=MetricsRoute(metrics, levels),
            api=create_api(parts, followers, API, version("conch")),
            version=version("conch"),
            backing=Backing(app, admin, levels, start.settings.public_url),
            chats=chats,
            sign_in=SignIn(keys, Audit(app.database), app.clock),
        )
        tokens = TokenCallers(ApiTokens(app.database), app.clock)
        web = _web_side(start.settings, listener, sessions, tokens, backend)
        await stack.enter_async_context(serving(web, [listener]))
        control = await stack.enter_async_context(_control(start.home, terminal))
        start.held.announce(address=where, control=control)
        greeting = await _greeting(start, app, admin, new_link(), found)
        yield _Running(app, greeting, partial(_close, followers, playground))


async def _warm_up(app: App) -> None:
    """Load the default engine's library, which stays; it may take longer than everything else."""
    await app.connections.warm_up()
    interpreter.settle()


def _close(followers: Followers, playground: Playground | None) -> None:
    """End what a browser or a program listens to for as long as it wants."""
    followers.close()
    if playground is not None:
        playground.close()


@asynccontextmanager
async def _composed(
    start: Start, child: PretendProcess | None, found: Machine, meter: Meter, where: str
) -> AsyncIterator[App]:
    settings = _pointed_at(child, start.settings) if child else start.settings
    kinds = connectable(settings, start.clock, beside=where if child else None)
    hint = found.hint(engines_command(start.in_playground))
    engines = [DemoEngine(start.clock, hint)]
    if start.in_playground:  # so that both ways of asking can be seen
        engines.append(DemoEngine(start.clock, hint, plan_approval="host"))
    async with composed(
        start.home,
        settings,
        clock=start.clock,
        kinds=kinds,
        engines=engines,
        meter=meter,
        local_url=where,
        remember=start.remember,
    ) as app:
        yield app


def _pointed_at(child: PretendProcess, settings: ProgramSettings) -> ProgramSettings:
    """The playground's settings: the pretend apps, and nothing that belongs to the real program."""
    telegram, discord, slack, teams = (child.addresses[stage.name] for stage in STAGES)
    return settings.model_copy(
        update={
            "telegram_webhook": False,
            "telegram_base_url": telegram.base_url,
            "telegram_base_file_url": telegram.base_file_url,
            "discord_base_url": discord.base_url,
            "discord_gateway_url": discord.gateway_url,
            "slack_base_url": slack.base_url,
            "teams_login_url": teams.login_url,
            "teams_openid_url": teams.openid_url,
            "teams_issuer": teams.issuer,
            "teams_service_url": teams.service_url,
            "allow_remote_endpoints": False,
            "database_url": None,
            "secret_key": None,
            "public_url": None,
        }
    )


async def _forget_earlier_life(app: App, *, everything: bool) -> None:
    """Bots whose app ended with the process: the terminal's where `conch chat` was killed, the playground's always."""
    for record in await app.registry.list():
        if everything:
            await app.registry.remove(record.id)
        elif record.kind in HIDDEN_KINDS and record.enabled:
            await app.registry.set_enabled(record.id, False)


# ---- sockets ---------------------------------------------------------------------------------------------------------


@contextmanager
def _listener(start: Start) -> Iterator[socket]:
    """The web side's socket; the playground takes any free port where the usual one is taken."""
    host, port = start.settings.host, start.settings.port
    try:
        listener = listen(host, port)
    except PortTaken:
        if not start.in_playground:
            raise
        listener = listen(host, 0)
        start.say(f"Port {port} is taken, so the playground takes a free one.")
    with listener:
        yield listener


def _web_side(
    settings: ProgramSettings, listener: socket, sessions: Sessions, tokens: TokenCallers, backend: Backend
) -> Proxies:
    own = () if settings.host in EVERY_ADDRESS else (settings.host,)
    names = normal_names((*own, *settings.allowed_hosts))
    has_keys = partial(lambda sign_in: sign_in is not None and sign_in.keys.any, backend.sign_in)
    gate = Gate(sessions, listener.getsockname()[1], names, settings.public_url, tokens, has_keys)
    return Proxies(create_app(gate, backend), networks(settings.trusted_proxies), settings.root)


@asynccontextmanager
async def _control(home: Home, admin: Admin) -> AsyncIterator[Path]:
    """The local socket for commands."""
    with _socket_folder(home) as folder, listen_locally(folder / SOCKET) as listener:
        async with serving(create_control_app(admin), [listener]):
            yield folder / SOCKET


@contextmanager
def _socket_folder(home: Home) -> Iterator[Path]:
    """The data folder, or a private one with a short name where its name is too long for a socket's path."""
    if fits_a_socket(home.path / SOCKET):
        yield home.path
        return
    with tempfile.TemporaryDirectory(prefix="conch-") as folder:
        yield Path(folder)


def _link(where: str, sessions: Sessions) -> str:
    """With a name for this machine where there is one: a passkey cannot be for an address."""
    named = where.replace("//127.0.0.1:", "//localhost:")
    return f"{named}/?token={sessions.new_link_token()}"


# ---- beside it -------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _played(child: PretendProcess, app: App) -> AsyncIterator[Sequence[PlayedApp]]:
    """The playground's bots and people, made anew whenever the pretend apps begin a new life."""
    async with played_apps(child, app) as played, _beside(_lives(child, app, partial(begin_all, played))):
        yield played


async def _lives(child: PretendProcess, app: App, begin: Callable[[], Awaitable[None]]) -> None:
    """One life after the other. Nobody waits for the first: chat apps' libraries take longer to load than all else."""
    try:
        await begin()
    except ConchError as reason:
        _log.error("the playground could not be set up", reason=str(reason))
    await keep_alive(child, app.clock, begin)


@asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Something that goes on in the background for the length of a block."""
    task = asyncio.create_task(_to_its_end(work))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:  # noqa: BLE001 - nobody waits for it, so this is the last place to say it
        _log.exception("something in the background ended that should go on")


async def _tidy(app: App) -> None:
    """Throw away what is long over, now and every hour."""
    while True:
        try:
            await throw_away(app.database, timedelta(days=app.preferences.current.retention_days))
        except StoreUnavailable as reason:
            _log.warning("nothing was thrown away", reason=str(reason))
        await app.clock.sleep(TIDY_SECONDS)


# ---- words -----------------------------------------------------------------------------------------------------------


async def _greeting(start: Start, app: App, admin: Admin, link: str, found: Machine) -> str:
    """What there is to know after a start."""
    if start.in_playground:
        title = "Conch's playground is running: pretend chat apps, a data folder of its own, no real bot."
        bots = f"one on each of the pretend {_listed([stage.title for stage in STAGES])}; you are their owner, Ada"
    else:
        title = "Conch is running."
        names = [called(each) for each in await admin.channels() if each.enabled]
        bots = ", ".join(names) or f"none is on; connect one with {CONNECT_ONE}"
    another = "conch console --playground" if start.in_playground else "conch console"
    command = engines_command(start.in_playground)
    return "\n".join(
        (
            title,
            "",
            f"  Open     {link}",
            f"           (this link works once, within a day; `{another}` prints another)",
            f"  Bots     {bots}",
            f"  Answers  {answers(app, found, command)}",
            f"  Data     {start.home.path}",
            *_exposure(start.settings),
            *(f"  Mind     {remark}" for remark in about_engines(app, found)),
            "",
            "Ctrl-C ends it.",
        )
    )


def _listed(names: Sequence[str]) -> str:
    """Several names as one reads them."""
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _exposure(settings: ProgramSettings) -> tuple[str, ...]:
    """A word where others can reach the web side."""
    if is_loopback(settings.host):
        return ()
    return (
        "  Mind     other machines can reach this address. Browsers there need its name in allowed_hosts, and what",
        "           they send is readable on the way: put a proxy with TLS in front and set public_url.",
    )
