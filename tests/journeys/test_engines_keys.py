"""Where the keys of two vendors are seen: each in the headers of requests to its own server, and nowhere else."""

import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from pydantic import SecretStr

from channels.emulators.telegram.pretend import PretendTelegram
from conch import logs, printing_engines
from conch.admin import Admin
from conch.app import App
from core.safety.redaction import Redactor
from core.store.log import EventLog
from tests.core.engines.models.wire.lines import ANTHROPIC, GOOGLE, OPENAI, Api
from tests.core.engines.models.wire.serving import Answer, Cut, End, Refusal, Trouble, WireServer, Words
from tests.journeys.living import Owner, living, owner_of, said, until
from tests.journeys.menus import asked
from web.engines import NewEngine

FIRST, SECOND = "canary-of-the-first-0123456789", "canary-of-the-second-0123456789"
"""Of no shape that a log would take out by itself."""

PAIRS = pytest.mark.parametrize(("first", "second"), [(OPENAI, ANTHROPIC), (GOOGLE, OPENAI)], ids=str)


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Everything that the program logs, as a line would be without anything known to be taken out."""
    root = logging.getLogger()
    before = root.handlers, root.level, {name: logging.getLogger(name).level for name in logs.QUIET}
    stream = io.StringIO()
    logs.configure("debug", "json", Redactor(), stream)
    yield stream
    root.handlers, root.level = before[0], before[1]
    for name, level in before[2].items():
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(False)
    structlog.reset_defaults()


def telling(key: str) -> tuple[Answer, ...]:
    """Every way of a server to come to nothing, with its own key in what it writes."""
    error = {"type": "api_error", "message": f"odd, with {key}", "code": "odd"}
    later = {"retry-after": "20"}
    return (
        Refusal(401, {"error": {**error, "message": f"Incorrect API key provided: {key}"}}),
        Refusal(429, {"error": error}, later),
        Refusal(400, {"error": error}),
        Refusal(503, {"error": error}, later),
        (Words("Half of a sen"), Trouble(error)),
        (Words("Half of a sen"), Cut()),
        (Words("At last."), End()),
    )


async def connect(app: App, server: WireServer, api: Api, name: str, key: str) -> str:
    """Connect a server as the owner does; what is printed."""
    server.models = (api.model, api.other_model)
    new = NewEngine(kind=api.kind, pasted=SecretStr(key), url=server.address, name=name, model=api.model)
    return printing_engines.added(await Admin(app).engines.add(new))


async def everything_printed(app: App) -> str:
    """What the commands about engines, settings and usage print."""
    admin = Admin(app)
    return "\n".join(
        (
            printing_engines.engines(await admin.engines.list()),
            printing_engines.models(await admin.engines.models(None)),
            printing_engines.trial(await admin.engines.test("lovelace")),
            printing_engines.settings(await admin.settings.list()),
            printing_engines.usage(await admin.usage(30)),
            repr(await app.connections.records()),
        )
    )


async def talk(owner: Owner, app: App) -> None:
    """Ask until every way to fail was met, by both."""
    for name in ("lovelace", "turing"):
        await asked(owner.chat, f"/model {name}")
        while said(owner.chat)[-1] != "At last.":
            await owner.chat.say("go on")
            await owner.chat.wait_for_answer(timeout=20)
            await until(lambda: not app.conversations.active)
        await asked(owner.chat, "/status")
    await asked(owner.chat, "/model")
    await asked(owner.chat, "/usage")


async def events_of(app: App) -> str:
    """Everything that stands in any conversation."""
    log = EventLog(app.database)
    return repr([await log.read(found.id) for found in await log.page(100)])


def bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.report("R121", "R113")
@PAIRS
async def test_a_key_is_in_the_headers_to_its_own_server_and_nowhere_else(
    first: Api, second: Api, tmp_path: Path, pretend: PretendTelegram, written: io.StringIO
) -> None:
    async with (
        first.serve(*telling(FIRST)) as one,
        second.serve(*telling(SECOND)) as two,
        living(tmp_path, pretend, gather_ms=0) as app,
    ):
        printed = await connect(app, one, first, "lovelace", FIRST)
        printed += await connect(app, two, second, "turing", SECOND)
        owner = await owner_of(app, pretend)
        await talk(owner, app)
        printed += await everything_printed(app)
        events, shown = await events_of(app), repr(owner.chat.messages)
        shown += repr(app.connections.broken) + repr(app.engines.all())

    places = {
        "a log": written.getvalue(),
        "an event": events,
        "what is printed": printed,
        "the chat": shown,
        "the disk": bytes_in(tmp_path).decode("latin-1"),
        "a body": repr([asked.body for server in (one, two) for asked in server.asked]),
        "the first one's headers": repr([asked.headers for asked in one.asked]).replace(FIRST, ""),
        "the second one's headers": repr([asked.headers for asked in two.asked]).replace(SECOND, ""),
    }
    assert all(FIRST in repr(asked.headers) for asked in one.asked)
    assert all(SECOND in repr(asked.headers) for asked in two.asked)
    assert "a model did not answer" in places["a log"]
    assert {place for place, text in places.items() if FIRST in text or SECOND in text} == set()
