"""The pages about bots: which are connected, how they do, and the guided way to a new one.

The list is `/channels`; everything else stands below `/bots`, because what is posted below `/channels/` is brought by
chat apps, and the gate lets it through unseen.
"""

from dataclasses import dataclass
from typing import Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from core.errors import ConchError, NotFound
from web.administration import Administration, ChannelView, ConnectedView, HelloView
from web.console.backing import Backing
from web.console.desk import Desk, fields
from web.console.setup import GUIDES, Guide

MOST_KEPT: Final = 32
"""Connected bots whose links are still shown after a reload; the oldest goes first."""

KIND_TITLES: Final = {kind: guide.title for kind, guide in GUIDES.items()}


@dataclass(frozen=True, slots=True)
class Code:
    """A QR code: the modules of one side, and the path that draws the dark ones."""

    side: int
    path: str


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of a bot, when `known` people were known to it: once there are more, its hello link is used up."""

    connected: ConnectedView
    known: int


class ChannelPages:
    """The pages. What was told once when a bot was connected is kept in memory, to be shown until it is over."""

    def __init__(self, desk: Desk, administration: Administration, backing: Backing) -> None:
        self._desk = desk
        self._administration = administration
        self._backing = backing
        self._told: dict[str, Told] = {}

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        fresh = self._desk.fresh
        app.add_api_route("/channels", self.overview, methods=["GET"], response_model=None)
        app.add_api_route("/bots", self.old_place, methods=["GET"], response_model=None)
        app.add_api_route("/bots/new", self.choose, methods=["GET"], response_model=None)
        app.add_api_route("/bots/new/slack/manifest.json", self.slack_manifest, methods=["GET"], response_model=None)
        app.add_api_route("/bots/new/{kind}", self.guide, methods=["GET"], response_model=None, dependencies=fresh)
        app.add_api_route("/bots/new/{kind}", self.add, methods=["POST"], response_model=None, dependencies=fresh)
        app.add_api_route("/bots/{bot}", self.one, methods=["GET"], response_model=None)
        app.add_api_route("/bots/{bot}/package", self.package, methods=["GET"], response_model=None)
        app.add_api_route("/bots/{bot}/test", self.test, methods=["POST"], response_model=None)
        app.add_api_route("/bots/{bot}/link", self.link, methods=["POST"], response_model=None, dependencies=fresh)
        app.add_api_route("/bots/{bot}/on", self.turn_on, methods=["POST"], response_model=None)
        app.add_api_route("/bots/{bot}/off", self.turn_off, methods=["POST"], response_model=None)
        app.add_api_route("/bots/{bot}/remove", self.ask_first, methods=["GET"], response_model=None)
        app.add_api_route("/bots/{bot}/remove", self.remove, methods=["POST"], response_model=None)

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def overview(self, request: Request) -> Response:
        """Every bot and how it does; without any, the way to the first one."""
        channels = await self._administration.channels()
        waiting = (await self._administration.people(None)).requests if channels else ()
        asking = {each.id: sum(one.channel.id == each.id for one in waiting) for each in channels}
        return self._desk.page(
            request, "console/channels.html", channels=channels, asking=asking, titles=KIND_TITLES, guides=GUIDES
        )

    async def old_place(self, request: Request) -> Response:
        """Where the list stood before."""
        return self._desk.done(request, "/channels")

    async def choose(self, request: Request) -> Response:
        """Which app."""
        return self._desk.page(request, "console/new_bot.html", guides=GUIDES)

    async def guide(self, request: Request, kind: str) -> Response:
        """The steps for one app, and the field."""
        return self._desk.page(request, "console/bot_guide.html", **self._guided(kind))

    async def one(self, request: Request, bot: str) -> Response:
        """A bot: how it does, how to reach it, what can be done with it."""
        return self._desk.page(request, "console/bot.html", **await self._about(bot))

    async def ask_first(self, request: Request, bot: str) -> Response:
        """What removing it means."""
        channel = await self._find(bot)
        people = (await self._administration.people(channel.id)).people
        return self._desk.page(request, "console/remove_bot.html", channel=channel, people=people)

    async def slack_manifest(self) -> Response:
        """What Slack makes the app from, as a file."""
        text = self._backing.manifests.slack()
        return _file(text.encode(), "application/json", "conch-slack.json")

    async def package(self, request: Request, bot: str, app_id: str = "") -> Response:
        """What Teams makes the app from."""
        try:
            content = self._backing.manifests.teams(app_id)
        except ConchError as fault:
            return self._desk.refused(request, "console/bot.html", fault, **await self._about(bot))
        return _file(content, "application/zip", "conch-teams.zip")

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def add(self, request: Request, kind: str) -> Response:
        """Connect the bot whose key was pasted, or give a connected one its new key."""
        guided = self._guided(kind)
        pasted = (await fields(request)).get("pasted", "")
        try:
            connected = await self._administration.add_channel(kind, pasted)
        except ConchError as fault:
            return self._desk.refused(request, "console/bot_guide.html", fault, **guided)
        await self._keep(connected)
        name = called(connected.channel)
        words = f"{name} has its new key." if connected.updated else f"{name} is connected."
        return self._desk.done(request, f"/bots/{connected.channel.id}", words)

    async def link(self, request: Request, bot: str) -> Response:
        """A new hello link."""
        channel = await self._find(bot)
        hello = await self._administration.link_channel(channel.id)
        before = self._told.get(channel.id)
        told = before.connected if before else ConnectedView(channel=channel, updated=True, hello=hello)
        await self._keep(told.model_copy(update={"hello": hello}))
        return self._desk.done(request, f"/bots/{channel.id}")

    async def test(self, request: Request, bot: str) -> Response:
        """Ask its app whether all is well."""
        about = await self._about(bot)
        about["findings"] = await self._backing.checkup.findings_of(bot)
        return self._desk.page(request, "console/bot.html", **about)

    async def turn_on(self, request: Request, bot: str) -> Response:
        """Have it answer again."""
        view = await self._administration.switch_channel((await self._find(bot)).id, True)
        return self._desk.done(request, f"/bots/{view.id}", f"{called(view)} is on.")

    async def turn_off(self, request: Request, bot: str) -> Response:
        """Have it answer nobody until it is turned on."""
        view = await self._administration.switch_channel((await self._find(bot)).id, False)
        words = f"{called(view)} is off. What waits to be sent stays stored."
        return self._desk.done(request, f"/bots/{view.id}", words)

    async def remove(self, request: Request, bot: str) -> Response:
        """Forget it, its key and its people."""
        view = await self._administration.remove_channel((await self._find(bot)).id)
        self._told.pop(view.id, None)
        return self._desk.done(request, "/channels", f"{called(view)} is forgotten. Its conversations stay.")

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _guided(self, kind: str) -> dict[str, object]:
        if kind not in GUIDES:
            raise NotFound("There is no such chat app.")
        guide: Guide = GUIDES[kind]
        manifest = self._backing.manifests.slack() if kind == "slack" else None
        blocked = guide.needs_address and not self._backing.manifests.reached
        return {"kind": kind, "guide": guide, "manifest": manifest, "blocked": blocked}

    async def _about(self, bot: str) -> dict[str, object]:
        channel = await self._find(bot)
        people = await self._administration.people(channel.id)
        told = self._told.get(channel.id)
        is_new = told is not None and len(people.people) <= told.known
        hello = told.connected.hello if told and is_new else None
        return {
            "channel": channel,
            "guide": GUIDES.get(channel.kind),
            "told": told.connected if told and (hello or not people.people) else None,
            "code": _code(hello),
            "people": people,
            "owned": any(person.role == "owner" for person in people.people),
            "findings": None,
            "title": KIND_TITLES.get(channel.kind, channel.kind),
        }

    async def _find(self, bot: str) -> ChannelView:
        for channel in await self._administration.channels():
            if channel.id == bot:
                return channel
        raise NotFound("That bot is not connected any more.")

    async def _keep(self, connected: ConnectedView) -> None:
        bot = connected.channel.id
        known = len((await self._administration.people(bot)).people)
        self._told.pop(bot, None)
        self._told[bot] = Told(connected, known)
        while len(self._told) > MOST_KEPT:
            self._told.pop(next(iter(self._told)))


def called(channel: ChannelView) -> str:
    """A bot by the name that people write to."""
    return f"@{channel.username}" if channel.username else channel.name


def _code(hello: HelloView | None) -> Code | None:
    """The hello link to be scanned; a row of dark modules is one stroke."""
    if hello is None or hello.link is None:
        return None
    import segno  # noqa: PLC0415 - it takes long to load, and is wanted only where a bot was just connected

    rows = segno.make_qr(hello.link, error="m").matrix
    strokes = [
        f"M{column + 4} {row + 4}h1v1h-1z"
        for row, modules in enumerate(rows)
        for column, dark in enumerate(modules)
        if dark
    ]
    return Code(len(rows) + 8, "".join(strokes))


def _file(content: bytes, kind: str, name: str) -> Response:
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
