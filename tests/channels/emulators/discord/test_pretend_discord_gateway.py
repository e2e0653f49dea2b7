"""The gateway: who gets in, what they are told, and coming back without having missed anything."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
import pytest

from channels.emulators.discord import limits
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.screen import Player, Screen
from channels.emulators.discord.server import Server
from channels.emulators.discord.sessions import DIRECT_MESSAGES, GUILD_MEMBERS, GUILD_MESSAGES, GUILDS, MESSAGE_CONTENT
from core.clock import ManualClock
from tests.channels.emulators.discord.conftest import Online, SdkBot, Wire

EVERYTHING = GUILDS | GUILD_MESSAGES | DIRECT_MESSAGES | MESSAGE_CONTENT


class Socket:
    """The bare gateway, without any SDK."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, token: str) -> None:
        self._socket = socket
        self._token = token

    async def say(self, op: int, data: object = None) -> None:
        await self._socket.send_str(json.dumps({"op": op, "d": data}))

    async def identify(self, intents: int = EVERYTHING, token: str | None = None) -> None:
        await self.say(2, {"token": token or self._token, "intents": intents, "properties": {}})

    async def resume(self, session_id: str, seq: int) -> None:
        await self.say(6, {"token": self._token, "session_id": session_id, "seq": seq})

    async def hear(self) -> Any:
        async with asyncio.timeout(5):
            return json.loads((await self._socket.receive()).data)

    async def hear_op(self, op: int) -> Any:
        while (heard := await self.hear())["op"] != op:
            pass
        return heard

    async def hear_event(self, name: str) -> Any:
        while (heard := await self.hear())["t"] != name:
            pass
        return heard["d"]

    async def closed_with(self) -> int | None:
        async with asyncio.timeout(5):
            while (await self._socket.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
        return self._socket.close_code


@asynccontextmanager
async def connected(pretend: PretendDiscord) -> AsyncIterator[Socket]:
    async with aiohttp.ClientSession() as session, session.ws_connect(pretend.gateway_url) as socket:
        bare = Socket(socket, pretend.bot.token)
        assert (await bare.hear_op(10))["d"]["heartbeat_interval"] == 41250
        yield bare


@pytest.fixture
async def socket(pretend: PretendDiscord) -> AsyncIterator[Socket]:
    async with connected(pretend) as socket:
        yield socket


async def test_the_sdk_gets_in_and_knows_its_servers(team: Server, bot: SdkBot, pretend: PretendDiscord) -> None:
    assert bot.user is not None

    assert (str(bot.user.id), bot.user.name) == (pretend.bot.id, "pretend_bot")
    assert [(guild.name, [channel.name for channel in guild.text_channels]) for guild in bot.guilds] == [
        ("Team", ["general"])
    ]


async def test_the_sdk_hears_private_chats_and_servers(bot: SdkBot, chat: Screen, team: Server, ada: Player) -> None:
    await chat.say("hello")
    private = await bot.next("message")
    await team.screen(ada).say("hello all")
    shared = await bot.next("message")

    assert (private.content, private.guild, private.author.display_name) == ("hello", None, "Ada")
    assert (shared.content, shared.guild.name, shared.channel.name) == ("hello all", "Team", "general")


@pytest.mark.parametrize(
    ("intents", "token", "code"),
    [
        (EVERYTHING, "not a token", 4004),
        (1 << 40, None, 4013),
        (EVERYTHING | GUILD_MEMBERS, None, 4014),
    ],
)
async def test_who_does_not_get_in(socket: Socket, intents: int, token: str | None, code: int) -> None:
    await socket.identify(intents, token)

    assert await socket.closed_with() == code


async def test_the_sdk_says_which_intent_is_not_switched_on(pretend: PretendDiscord, online: Online) -> None:
    pretend.bot.allowed_intents = 0

    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with online():
            pass


async def test_the_sdk_says_that_a_token_is_wrong(pretend: PretendDiscord, online: Online) -> None:
    pretend.bot.token = "wrong"

    with pytest.raises(discord.LoginFailure):
        async with online():
            pass


async def test_a_bot_identifies_so_often_a_day(pretend: PretendDiscord, socket: Socket, wire: Wire) -> None:
    pretend.bot.identifies_left = 1

    await socket.identify()
    await socket.hear_event("READY")
    told = await wire("GET", "/gateway/bot")

    assert told.body["session_start_limit"]["remaining"] == 0
    assert told.body["url"] == pretend.gateway_url
    async with connected(pretend) as second:
        await second.identify()
        assert await second.closed_with() == 4004


async def test_logins_can_be_held_apart(pretend: PretendDiscord, socket: Socket, clock: ManualClock) -> None:
    pretend.gateway.spaces_identifies = True
    await socket.identify()
    await socket.hear_event("READY")

    async with connected(pretend) as second:
        await second.identify()
        told = await second.hear_op(9)
        await clock.advance(limits.IDENTIFY_SECONDS)
        await second.identify()
        ready = await second.hear_event("READY")

    assert (told["d"], ready["user"]["id"]) == (False, pretend.bot.id)


async def test_people_see_whether_a_bot_is_there(pretend: PretendDiscord, socket: Socket) -> None:
    before = pretend.bot.online
    await socket.identify()
    await socket.hear_event("READY")
    connected_now = pretend.bot.online
    pretend.gateway.drop()
    await socket.closed_with()

    assert (before, connected_now, pretend.bot.online) == (False, True, False)


async def test_a_second_identify_is_one_too_many(socket: Socket) -> None:
    await socket.identify()
    await socket.identify()

    assert await socket.closed_with() == 4005


async def test_nonsense_ends_the_connection(pretend: PretendDiscord) -> None:
    found = []
    nonsense: list[tuple[int, object]] = [(77, None), (3, {}), (1, "x" * limits.GATEWAY_PAYLOAD)]
    for op, data in nonsense:
        async with connected(pretend) as socket:
            await socket.say(op, data)
            found.append(await socket.closed_with())

    assert found == [4001, 4003, 4002]


async def test_too_much_said_in_a_minute_ends_the_connection(socket: Socket) -> None:
    for _ in range(limits.GATEWAY_SENDS + 1):
        await socket.say(1)

    assert await socket.closed_with() == 4008


async def test_a_heartbeat_is_answered_unless_the_connection_is_dead(pretend: PretendDiscord, socket: Socket) -> None:
    await socket.say(1)
    await socket.hear_op(11)

    pretend.gateway.acknowledges = False
    await socket.say(1)
    await socket.identify()

    assert (await socket.hear())["t"] == "READY"
    assert pretend.gateway.heartbeats == 2


async def test_what_was_said_meanwhile_is_told_after_a_resume(
    pretend: PretendDiscord, socket: Socket, chat: Screen
) -> None:
    await socket.identify()
    session = (await socket.hear_event("READY"))["session_id"]
    pretend.gateway.drop(4000)
    await socket.closed_with()
    await chat.say("are you there")

    async with connected(pretend) as again:
        await again.resume(session, 1)
        told, then = await again.hear(), await again.hear()

    assert (told["t"], told["d"]["content"], told["s"]) == ("MESSAGE_CREATE", "are you there", 2)
    assert then["t"] == "RESUMED"


@pytest.mark.parametrize(("session", "seq"), [("unknown", 1), (None, 99)])
async def test_what_cannot_be_resumed_is_invalid(
    pretend: PretendDiscord, socket: Socket, session: str | None, seq: int
) -> None:
    await socket.identify()
    known = (await socket.hear_event("READY"))["session_id"]

    async with connected(pretend) as again:
        await again.resume(session or known, seq)
        told = await again.hear_op(9)

    assert told["d"] is False


async def test_the_sdk_resumes_after_a_cut_and_misses_nothing(
    pretend: PretendDiscord, bot: SdkBot, chat: Screen
) -> None:
    pretend.gateway.drop(0)
    await chat.say("in the gap")

    assert await bot.heard() == "in the gap"
    assert len(pretend.gateway.resumed) == 1
    assert len(pretend.gateway.identified) == 1


async def test_the_sdk_gives_up_a_connection_that_does_not_answer(
    pretend: PretendDiscord, online: Online, chat: Screen
) -> None:
    pretend.gateway.heartbeat_seconds = 0.05
    async with online(patience=0.2) as bot:
        pretend.gateway.acknowledges = False
        async with asyncio.timeout(5):
            while not pretend.gateway.resumed:
                await pretend.world.journal.changed(pretend.world.journal.last)
        pretend.gateway.acknowledges = True
        await chat.say("still there")

        assert await bot.heard() == "still there"


async def test_the_sdk_comes_back_when_it_is_asked_to(pretend: PretendDiscord, bot: SdkBot, chat: Screen) -> None:
    pretend.gateway.reconnect()

    await bot.next("resumed")
    await chat.say("again")
    assert await bot.heard() == "again"


async def test_a_forgotten_session_hears_nothing_of_the_gap(
    pretend: PretendDiscord, socket: Socket, chat: Screen
) -> None:
    await socket.identify()
    await socket.hear_event("READY")
    pretend.gateway.invalidate()
    told = await socket.hear_op(9)
    await chat.say("in the gap")
    await socket.identify()
    await socket.hear_event("READY")
    await chat.say("after")

    assert told["d"] is False
    assert (await socket.hear_event("MESSAGE_CREATE"))["content"] == "after"


async def test_a_bot_hears_where_it_joins_and_leaves(bot: SdkBot, pretend: PretendDiscord, ada: Player) -> None:
    server = pretend.guild("New", [ada], bots=[])

    await server.add_bot(pretend.bot)
    joined = await bot.next("joined")
    await server.remove_bot(pretend.bot)
    left = await bot.next("left")

    assert (joined.name, left.id) == ("New", joined.id)


async def test_a_session_that_said_goodbye_cannot_be_resumed(pretend: PretendDiscord) -> None:
    async with connected(pretend) as socket:
        await socket.identify()
        session = (await socket.hear_event("READY"))["session_id"]

    async with connected(pretend) as again:
        await again.resume(session, 1)
        told = await again.hear_op(9)

    assert told["d"] is False


async def test_only_the_last_sessions_can_be_resumed(pretend: PretendDiscord) -> None:
    for _ in range(limits.SESSIONS_KEPT + 2):
        async with connected(pretend) as socket:
            await socket.identify()
            await socket.hear_event("READY")
            pretend.gateway.drop()
            await socket.closed_with()

    assert len(pretend.bot.sessions) <= limits.SESSIONS_KEPT + 1


async def test_a_bot_hears_what_becomes_of_a_server(team: Server, bot: SdkBot, wire: Wire, room: Screen) -> None:
    await team.add_channel("plans")
    await team.rename("Crew")
    await team.delete_channel("general")
    await team.screen(room.person, "plans").say("moved")

    assert await bot.heard() == "moved"
    assert [(guild.name, [c.name for c in guild.text_channels]) for guild in bot.guilds] == [("Crew", ["plans"])]
    assert (await wire.say(room, content="x")).code == 10003


async def test_without_the_intent_only_what_is_meant_for_the_bot_has_words(
    online: Online, chat: Screen, room: Screen
) -> None:
    async with online(content=False) as bot:
        await room.say("not for you")
        hidden = await bot.heard()
        await room.mention("for you")
        named = await bot.heard()
        await chat.say("in private")
        private = await bot.heard()

    assert hidden == ""
    assert named.endswith(" for you")
    assert private == "in private"


async def test_while_away_nobody_can_connect(pretend: PretendDiscord) -> None:
    async with pretend.unreachable(), aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectionError):
            await session.ws_connect(pretend.gateway_url)

    async with connected(pretend) as socket:
        await socket.identify()
        assert (await socket.hear())["t"] == "READY"
