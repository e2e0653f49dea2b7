"""The shipped Slack adapter on one side of real sockets, Ada on the other; by Socket Mode and by signed requests."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from channels.base import Channel, ChatRef
from channels.conformance.rig import Trouble
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.screen import Screen
from channels.emulators.slack.seen import SeenForm, SeenMessage
from channels.reach import Pushed, Pushes
from channels.slack.kind import SlackKind
from core.clock import SystemClock
from tests.channels.slack.slack_connected import BriskClock
from tests.journeys.living import FastClock
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.health import HealthReport
from web.security import Gate
from web.serving import listen, serving
from web.sessions import Sessions


class _SameDate(BriskClock):
    """With the date that the adapter has, which looks whether a signature is fresh."""

    def __init__(self, other: FastClock) -> None:
        super().__init__()
        self._other = other

    def now(self) -> datetime:
        return self._other.now()


@dataclass
class SlackRig:
    """One bot in a pretend workspace, and its private chat with Ada."""

    channel: Channel
    chat: ChatRef
    slack: PretendSlack
    screen: Screen
    general: Screen | None = None
    asked: SeenMessage | None = None
    form: SeenForm | None = None

    @property
    def secret(self) -> str:
        return self.slack.bot.token

    async def say(self, text: str) -> None:
        await self.screen.say(text)

    async def press(self, label: str) -> None:
        newest = next(m for m in reversed(self.screen.answers) if any(label in row for row in m.labels))
        await self.screen.press(newest, label)

    def seen(self) -> Sequence[str]:
        return [message.text for message in self.screen.answers]

    def labels(self) -> Sequence[Sequence[str]]:
        return [[label for row in message.labels for label in row] for message in self.screen.answers]

    async def open_form(self, label: str | None) -> Sequence[str]:
        assert label is not None
        self.form = await self.screen.form_of(await self.screen.press(self.screen.answers[-1], label))
        return list(self.form.fields)

    async def fill_in(self, values: Mapping[str, str]) -> None:
        assert self.form is not None
        await self.screen.fill_in(self.form, values)

    async def say_in_thread(self, text: str) -> None:
        ada = self.screen.person
        self.general = self.slack.channel("general", [ada]).screen(ada)
        self.asked = await self.general.mention(text)

    def seen_in_thread(self) -> Sequence[str]:
        assert self.general is not None
        assert self.asked is not None
        return [message.text for message in self.general.in_thread(self.asked) if message.by_bot]

    def seen_beside(self) -> Sequence[str]:
        assert self.general is not None
        return [message.text for message in self.general.answers if message.thread is None]

    def own_message(self) -> Mapping[str, Any] | None:
        bot = self.slack.bot
        event = {
            "type": "message",
            "channel": "D1",
            "channel_type": "im",
            "user": bot.user_id,
            "bot_id": bot.bot_id,
            "text": "mine",
            "ts": "1.000100",
        }
        return {"type": "events_api", "payload": {"event": event, "event_id": "Ev1"}}

    def trouble(self, trouble: Trouble) -> None:
        match trouble:
            case Trouble.REFUSED_FOR_NOW:
                self.slack.faults.add("ratelimited", method="chat.postMessage", seconds=7)
            case Trouble.RECEIPT_LOST:
                self.slack.faults.add("lost", method="chat.postMessage")
            case Trouble.NEVER:
                self.slack.faults.add("is_archived", method="chat.postMessage")

    def revoke(self) -> None:
        self.slack.bot.revoked = True

    async def cut(self) -> None:
        await self.slack.go_away()

    async def mend(self) -> None:
        await self.slack.come_back()


@asynccontextmanager
async def slack_rig() -> AsyncIterator[SlackRig]:
    async with PretendSlack(clock=BriskClock()) as slack, _connected(slack, _keys(slack), None, FastClock()) as rig:
        yield rig


@asynccontextmanager
async def slack_http_rig() -> AsyncIterator[SlackRig]:
    """The same where Slack brings messages: over the route of our web side, on a port of its own."""
    bots: dict[str, Channel] = {}

    async def push(_: str, channel_id: str, request: Pushed) -> Mapping[str, Any] | None:
        channel = bots[channel_id]
        assert isinstance(channel, Pushes)
        return await channel.pushed(request)

    async def health() -> HealthReport:
        return HealthReport(can_store=True, channels={})

    app = create_app(Gate(Sessions(SystemClock()), 0), Backend(FakeAdministration(), health, push=push))
    with closing(listen("127.0.0.1", 0)) as listener:
        base = f"http://127.0.0.1:{listener.getsockname()[1]}/channels/slack"
        clock = FastClock()
        async with serving(app, [listener]), PretendSlack(clock=_SameDate(clock)) as slack:
            keys = {"bot_token": slack.bot.token, "signing_secret": slack.bot.signing_secret}
            async with _connected(slack, keys, base, clock) as rig:
                bots[rig.channel.id] = rig.channel
                await slack.set_request_url(f"{base}/sl")
                yield rig


def _keys(slack: PretendSlack) -> dict[str, str]:
    return {"bot_token": slack.bot.token, "app_token": slack.bot.app_token}


@asynccontextmanager
async def _connected(
    slack: PretendSlack, keys: Mapping[str, str], webhooks: str | None, clock: FastClock
) -> AsyncIterator[SlackRig]:
    kind = SlackKind(clock, base_url=slack.base_url, webhooks=webhooks)
    channel = kind.connect("sl", keys, await kind.check(keys))
    await channel.start()
    ada = slack.person("Ada")
    try:
        yield SlackRig(channel, ChatRef("sl", ada.id), slack, ada.private_chat())
    finally:
        await channel.stop()
