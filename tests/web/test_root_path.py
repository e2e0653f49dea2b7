"""The web side below a path, as a proxy in front may have it."""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount

from core.clock import SystemClock
from tests.web.asgi import Browser
from web.security import Gate, Guarded, path_in
from web.sessions import Sessions


@pytest.mark.parametrize(
    ("root", "path", "judged"),
    [
        ("", "/chats", "/chats"),
        ("/conch", "/conch/chats", "/chats"),
        ("/conch", "/conch", "/"),
        ("/conch", "/conch/", "/"),
        ("/conch", "/concha/healthz", "/concha/healthz"),
        ("/conch", "/conch/conch/healthz", "/conch/healthz"),
    ],
)
def test_the_gate_judges_the_path_below_the_root(root: str, path: str, judged: str) -> None:
    scope = {"type": "http", "path": path, "root_path": root}

    assert path_in(scope) == judged


async def test_a_mount_below_does_not_change_what_browsers_may_keep() -> None:
    static = Starlette(routes=[Mount("/static", PlainTextResponse("body"))])
    app = Guarded(static, Gate(Sessions(SystemClock()), 7654))

    answer = await Browser(app).get("/static/base.css")

    assert answer.status == 200
    assert "cache-control" not in answer.headers
