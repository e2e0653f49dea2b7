"""The web side below a path, as a proxy in front may have it."""

import pytest

from web.security import path_in


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
