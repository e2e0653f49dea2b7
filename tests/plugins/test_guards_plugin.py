import pytest

PROGRAM = "import asyncio, os, socket, aiohttp\n"


@pytest.mark.parametrize(
    "call",
    [
        "socket.create_connection(('192.0.2.1', 80), timeout=0.01)",
        "with socket.socket(socket.AF_INET6) as probe: probe.connect_ex(('2001:db8::1', 80))",
        "socket.getaddrinfo('api.example.org', 443)",
    ],
)
def test_a_test_that_reaches_beyond_this_machine_fails(project: pytest.Pytester, call: str) -> None:
    project.makepyfile(f"{PROGRAM}def test_out():\n    {call}")

    run = project.runpytest()

    assert run.ret == pytest.ExitCode.TESTS_FAILED
    run.stdout.fnmatch_lines(["*a test tried to reach*"])


def test_swallowing_the_refusal_does_not_help(project: pytest.Pytester) -> None:
    project.makepyfile(
        f"""{PROGRAM}
def test_out():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=0.01)
    except Exception:
        pass
"""
    )

    run = project.runpytest()

    run.assert_outcomes(passed=1, errors=1)
    run.stdout.fnmatch_lines(["*the test tried to reach 192.0.2.1*"])


def test_this_machine_can_be_reached(project: pytest.Pytester) -> None:
    project.makepyfile(
        f"""{PROGRAM}
async def test_loopback():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("localhost", port, family=socket.AF_INET)
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()
"""
    )

    run = project.runpytest()

    run.assert_outcomes(passed=1)


def test_a_task_left_running_fails_its_test(project: pytest.Pytester) -> None:
    project.makepyfile(
        f"""{PROGRAM}
async def forever(): await asyncio.Event().wait()

async def test_leaves_a_task(): asyncio.create_task(forever(), name="leftover")

async def test_is_not_blamed(): pass
"""
    )

    run = project.runpytest()

    run.assert_outcomes(passed=2, errors=1)
    run.stdout.fnmatch_lines(["*the test left behind: the task leftover of*"])


def test_a_task_that_a_fixture_ends_is_no_leftover(project: pytest.Pytester) -> None:
    project.makepyfile(
        f"""{PROGRAM}
import pytest

@pytest.fixture
async def service():
    task = asyncio.create_task(asyncio.Event().wait())
    yield
    task.cancel()

async def test_serves(service): pass
"""
    )

    run = project.runpytest()

    run.assert_outcomes(passed=1)


def test_an_open_http_session_fails_its_test(project: pytest.Pytester) -> None:
    project.makepyfile(
        f"""{PROGRAM}
kept = []

async def test_leaves_a_session(): kept.append(aiohttp.ClientSession())
"""
    )

    run = project.runpytest()

    run.assert_outcomes(passed=1, errors=1)
    run.stdout.fnmatch_lines(["*the test left behind: an open aiohttp session*"])


def test_the_settings_of_whoever_runs_the_tests_stay_out(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCH_PUBLIC_URL", "https://conch.example.org")
    monkeypatch.setenv("CONCH_TEST_POSTGRES_URL", "postgresql://127.0.0.1/test")
    monkeypatch.delenv("CONCH_PLATFORM_SPECS", raising=False)
    monkeypatch.setenv("https_proxy", "http://192.0.2.1:3128")
    project.makepyfile(
        f"""{PROGRAM}
def test_environment(tmp_path_factory):
    assert [name for name in os.environ if name.startswith("CONCH_")] == ["CONCH_TEST_POSTGRES_URL"]
    assert "https_proxy" not in os.environ
    assert os.environ["XDG_DATA_HOME"].startswith(str(tmp_path_factory.getbasetemp()))
"""
    )

    run = project.runpytest()

    run.assert_outcomes(passed=1)
