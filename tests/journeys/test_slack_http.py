"""Messages that Slack brings to an address of ours: answered once, and refused from anybody else."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import aiohttp
import pytest

from channels.base import ChannelKind
from channels.slack.kind import SlackKind
from conch.app import App
from conch.health import HealthLook
from core.clock import Clock, SystemClock
from core.engines.base import TurnInput
from core.engines.script import CallTool, Steps
from tests.journeys.apps import SlackUnderTest, said, under_test
from tests.journeys.living import living, until
from tests.web.fakes import FakeAdministration
from web.app import Backend, create_app
from web.security import Gate
from web.serving import listen, serving
from web.sessions import Sessions


class SlackByHttp(SlackUnderTest):
    """Connected by its signing secret, with the web side that Slack brings messages to."""

    where = ""

    @property
    def keys(self) -> str:
        return f"{self.pretend.bot.token} {self.pretend.bot.signing_secret}"

    def kinds(self, clock: Clock) -> Mapping[str, ChannelKind]:
        return {self.kind: SlackKind(clock, base_url=self.pretend.base_url, webhooks=self.where)}

    async def ready(self, app: App, channel_id: str) -> None:
        await until(lambda: app.registry.health()[channel_id].state.value == "online")
        await self.pretend.set_request_url(f"{self.where}/{channel_id}")


@pytest.fixture
async def slack() -> AsyncIterator[SlackByHttp]:
    async with under_test("slack") as app:
        yield SlackByHttp(app.pretend)


@asynccontextmanager
async def hooked(folder: Path, slack: SlackByHttp, **more: object) -> AsyncIterator[App]:
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(closing(listen("127.0.0.1", 0)))
        slack.where = f"http://127.0.0.1:{listener.getsockname()[1]}/channels/slack"
        app = await stack.enter_async_context(living(folder, slack.kinds, **more))  # type: ignore[arg-type]
        health = HealthLook(app.database, app.registry, app.clock)
        backend = Backend(FakeAdministration(), health, push=app.registry.pushed)
        web = create_app(Gate(Sessions(SystemClock()), 0), backend)
        await stack.enter_async_context(serving(web, [listener]))
        yield app


async def test_messages_and_commands_are_answered_without_any_connection(tmp_path: Path, slack: SlackByHttp) -> None:
    async with hooked(tmp_path, slack) as app:
        ada = await slack.owner_of(app)
        elsewhere = slack.pretend.channel("elsewhere", [ada.player], bots=[]).screen(ada.player)
        await ada.chat.say("hello")
        await ada.chat.wait_for_answer()
        await elsewhere.slash("/conch", "what's on today?")
        alone = await elsewhere.wait_for_answer()

    assert said(ada.chat)[1:] == ["echo: hello"]
    assert (alone.text, alone.ephemeral) == ("echo: what's on today?", True)
    assert slack.pretend.calls("apps.connections.open") == []


def asks(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    fields = [{"id": "day", "label": "Which day?", "kind": "date", "min": "2026-12-01"}, {"id": "who", "label": "Who?"}]
    yield CallTool("1", "ask", {"title": "Dinner", "fields": [fields[0], fields[1] | {"kind": "text"}]})


async def test_a_form_opens_and_says_at_its_field_what_is_wrong(tmp_path: Path, slack: SlackByHttp) -> None:
    async with hooked(tmp_path, slack, script=asks) as app:
        ada = await slack.owner_of(app)
        await ada.chat.say("dinner")
        card = await ada.chat.wait_for_answer()
        form = await ada.chat.form_of(await ada.chat.press(card, "Answer…"))
        told = await ada.chat.answer_to(await ada.chat.fill_in(form, {"Which day?": "2020-01-01", "Who?": "me"}))

    assert set(told.errors) == {"Which day?"}


@pytest.mark.parametrize("forged", ["nothing", "secret", "old", "body"])
async def test_what_slack_did_not_sign_is_refused_and_never_kept(
    tmp_path: Path, slack: SlackByHttp, forged: str
) -> None:
    async with hooked(tmp_path, slack) as app:
        ada = await slack.owner_of(app)
        status = await bring(slack, ada.id, forged)
        good = await bring(slack, ada.id, "")
        await until(lambda: len(said(ada.chat)) > 1)
        await ada.chat.say("and now")
        await until(lambda: "echo: and now" in said(ada.chat))

    assert (status, good) == (403, 200)
    assert said(ada.chat)[1:] == ["echo: by hand", "echo: and now"]


async def bring(slack: SlackByHttp, person_id: str, forged: str) -> int:
    """Bring a message by hand, with this of its signature forged; returns the status."""
    bot, at = slack.pretend.bot, SystemClock().now().timestamp()
    at -= 301 if forged == "old" else 0
    ts = "5.000100" if forged else "6.000100"
    room = next(chat.id for chat in slack.pretend.world.chats.values() if person_id in chat.members)
    event = {"type": "message", "channel": room, "channel_type": "im", "user": person_id, "text": "by hand", "ts": ts}
    body = json.dumps({"type": "event_callback", "event_id": f"Ev{ts}", "event": event}).encode()
    secret = "f" * 32 if forged == "secret" else bot.signing_secret
    signature = "v0=" + hmac.new(secret.encode(), b"v0:%d:%b" % (at, body), hashlib.sha256).hexdigest()
    headers = {"content-type": "application/json"}
    if forged != "nothing":
        headers |= {"x-slack-request-timestamp": str(int(at)), "x-slack-signature": signature}
    sent = body.replace(b"by hand", b"as hand") if forged == "body" else body
    async with aiohttp.ClientSession() as session, session.post(bot.request_url, data=sent, headers=headers) as answer:
        return answer.status
