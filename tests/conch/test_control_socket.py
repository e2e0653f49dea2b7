import stat
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from conch.control import RemoteAdministration, reach
from core.errors import (
    Busy,
    ConchError,
    MaybeDone,
    NotFound,
    Refused,
    RefusedReason,
    StoreUnavailable,
    TryLater,
    UsageError,
)
from tests.web.fakes import (
    ENGINE,
    MODELS,
    REMOVED,
    SHELL,
    TRIAL,
    USAGE,
    VOICE,
    FakeAdministration,
    diagnosis,
    group,
    hello,
    person,
)
from web.control import create_control_app
from web.engines import AddedView, EnginesView, NewEngine
from web.serving import fits_a_socket, listen_locally, serving


@pytest.fixture
def socket_path(tmp_path: Path) -> Path:
    return tmp_path / "control.sock"


@pytest.fixture
def server() -> FakeAdministration:
    return FakeAdministration()


@pytest.fixture
async def remote(server: FakeAdministration, socket_path: Path) -> AsyncIterator[RemoteAdministration]:
    with listen_locally(socket_path) as listener:
        async with serving(create_control_app(server), [listener]), reach(socket_path) as administration:
            yield administration


async def test_every_command_reaches_the_server_and_its_answer_comes_back(
    remote: RemoteAdministration, server: FakeAdministration
) -> None:
    answers = [
        await remote.channels(),
        (await remote.add_channel("telegram", "a key")).hello,
        await remote.link_channel("shell_bot"),
        await remote.switch_channel(None, False),
        await remote.remove_channel("shell_bot"),
        (await remote.people("c 1")).people,
        await remote.let_in("77", None),
        await remote.block("77", "c1"),
        await remote.remove_person("77", None),
        await remote.groups("c 1"),
        await remote.switch_group("-1001", None, True),
        await remote.diagnose(),
        await remote.console_link(),
    ]

    assert answers[0] == (SHELL,)
    assert answers[1] == answers[2] == hello()
    assert answers[5] == (person("owner"),)
    assert answers[9] == (group(on=False),)
    assert answers[10] == group(on=True)
    assert answers[11] == diagnosis()
    assert answers[12] == "http://127.0.0.1:7654/?token=new"
    assert server.asked == [
        ("channels",),
        ("add", "telegram", "a key"),
        ("link", "shell_bot"),
        ("switch", None, False),
        ("remove", "shell_bot"),
        ("people", "c 1"),
        ("let in", "77", None),
        ("block", "77", "c1"),
        ("remove person", "77", None),
        ("groups", "c 1"),
        ("switch group", "-1001", None, True),
        ("diagnose",),
        ("console link",),
    ]


async def test_every_command_about_engines_reaches_the_server(
    remote: RemoteAdministration, server: FakeAdministration
) -> None:
    new = NewEngine(kind="openai", pasted=SecretStr("a key"), url="http://127.0.0.1:1", name="mine")

    answers = [
        await remote.engines.list(),
        await remote.engines.add(new),
        await remote.engines.remove("mine"),
        await remote.engines.models(None),
        await remote.engines.models("mine"),
        await remote.engines.make_default("mine", "gpt-6"),
        await remote.engines.make_fallback("mine"),
        await remote.engines.make_fallback(None),
        await remote.engines.test("mine"),
    ]

    assert answers == [
        EnginesView(engines=(ENGINE,)),
        AddedView(engine=ENGINE, updated=False),
        REMOVED,
        (MODELS,),
        (MODELS,),
        ENGINE,
        ENGINE,
        None,
        TRIAL,
    ]
    assert server.asked == [
        ("engines",),
        ("add engine", "openai", "a key", "http://127.0.0.1:1", "mine"),
        ("remove engine", "mine"),
        ("models", None),
        ("models", "mine"),
        ("default", "mine", "gpt-6"),
        ("fallback", "mine"),
        ("fallback", None),
        ("test", "mine"),
    ]


async def test_every_command_about_settings_and_usage_reaches_the_server(
    remote: RemoteAdministration, server: FakeAdministration
) -> None:
    answers = [
        await remote.settings.list(),
        await remote.settings.set("voice", "kind"),
        await remote.settings.unset("voice"),
        await remote.usage(7),
    ]

    assert answers == [(VOICE,), VOICE, VOICE, USAGE]
    assert server.asked == [("settings",), ("set", "voice", "kind"), ("unset", "voice"), ("usage", 7)]


@pytest.mark.parametrize(
    "error",
    [
        UsageError("There is no key in it."),
        NotFound("There is no such bot."),
        Refused("Telegram does not know the key.", RefusedReason.AUTH),
        TryLater("Telegram does not answer.", retry_after=3.0),
        StoreUnavailable("The disk is full."),
        Busy("One moment."),
        MaybeDone("Nobody knows."),
        ConchError("Something else."),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_error_arrives_as_what_it_was(
    remote: RemoteAdministration, server: FakeAdministration, error: ConchError
) -> None:
    server.error = error

    with pytest.raises(ConchError) as raised:
        await remote.add_channel("telegram", "a key")

    assert (type(raised.value), str(raised.value)) == (type(error), str(error))
    assert vars(raised.value) == vars(error)


async def test_an_error_of_a_finer_kind_arrives_as_the_nearest_of_ours(
    remote: RemoteAdministration, server: FakeAdministration
) -> None:
    class OwnUsageError(UsageError):
        pass

    server.error = OwnUsageError("Off.")

    with pytest.raises(UsageError, match="Off"):
        await remote.channels()


async def test_a_fault_of_the_server_is_told_plainly(remote: RemoteAdministration, server: FakeAdministration) -> None:
    server.error = RuntimeError("canary")

    with pytest.raises(ConchError, match="stands in its log") as raised:
        await remote.channels()

    assert "canary" not in str(raised.value)


async def test_a_server_that_is_gone_is_a_matter_of_time(socket_path: Path) -> None:
    async with reach(socket_path) as remote:
        with pytest.raises(TryLater, match="starting or ending"):
            await remote.channels()


def test_only_its_owner_may_open_the_socket(socket_path: Path) -> None:
    with listen_locally(socket_path):
        mode = stat.S_IMODE(socket_path.stat().st_mode)

    assert mode == 0o600
    assert not socket_path.exists()


def test_a_socket_that_a_killed_server_left_is_replaced(socket_path: Path) -> None:
    socket_path.touch()

    with listen_locally(socket_path):
        assert stat.S_ISSOCK(socket_path.stat().st_mode)


async def test_more_than_a_command_ever_sends_is_refused(remote: RemoteAdministration, socket_path: Path) -> None:
    connector = aiohttp.UnixConnector(path=str(socket_path))
    async with (
        aiohttp.ClientSession("http://conch", connector=connector) as session,
        session.post("/channels/add", json={"kind": "telegram", "pasted": "x" * 100_000}) as answer,
    ):
        pass

    assert answer.status == 413


def test_the_systems_limit_on_a_sockets_path_is_known() -> None:
    assert fits_a_socket(Path("/" + "d" * 102))
    assert not fits_a_socket(Path("/" + "d" * 103))
    assert not fits_a_socket(Path("/" + "ä" * 60))
