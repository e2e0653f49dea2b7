"""What a proxy in front says about a request, and who is believed."""

from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from web.proxies import Proxies, networks, normal_root

FORWARDED = {
    "x-forwarded-for": "6.6.6.6, 203.0.113.9, 10.0.0.2",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "example.org",
    "x-forwarded-prefix": "/conch",
}


async def seen(peer: str, headers: dict[str, str], path: str = "/chats", root: str = "") -> Scope:
    """The scope that comes through."""
    came: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        came.append(scope)

    pairs = [(name.encode(), value.encode()) for name, value in {"host": "inside", **headers}.items()]
    asked: dict[str, Any] = {"type": "http", "path": path, "root_path": "", "scheme": "http", "client": (peer, 1)}
    await Proxies(app, "10.0.0.0/8", root)({**asked, "headers": pairs}, None, None)  # type: ignore[arg-type]
    return came[0]


async def test_a_trusted_proxy_is_believed() -> None:
    scope = await seen("10.0.0.1", FORWARDED)

    assert scope["client"][0] == "203.0.113.9"
    assert (scope["scheme"], scope["root_path"], scope["path"]) == ("https", "/conch", "/conch/chats")
    assert [value for name, value in scope["headers"] if name == b"host"] == [b"example.org"]


async def test_nobody_else_is_believed() -> None:
    scope = await seen("203.0.113.9", FORWARDED)

    assert scope["client"] == ("203.0.113.9", 1)
    assert (scope["scheme"], scope["root_path"], scope["path"]) == ("http", "", "/chats")
    assert [value for name, value in scope["headers"] if name == b"host"] == [b"inside"]


@pytest.mark.parametrize("path", ["/chats", "/conch/chats"])
async def test_a_proxy_may_take_the_prefix_off_or_leave_it(path: str) -> None:
    scope = await seen("203.0.113.9", {}, path, root="/conch/")

    assert (scope["root_path"], scope["path"]) == ("/conch", "/conch/chats")


@pytest.mark.parametrize("odd", ["//evil.example", "/a//b", "/a b", "/a\\b", "/..", "conch", "/" + "a" * 200])
async def test_an_odd_prefix_is_left_alone(odd: str) -> None:
    scope = await seen("10.0.0.1", {"x-forwarded-prefix": odd})

    assert scope["root_path"] == ""
    with pytest.raises(ValueError, match="a path such as"):
        normal_root(odd)


@pytest.mark.parametrize(
    "odd", [{"x-forwarded-for": "unknown"}, {"x-forwarded-for": "203.0.113.9, <script>"}, {"x-forwarded-proto": "wss"}]
)
async def test_what_no_browser_can_be_is_left_out(odd: dict[str, str]) -> None:
    scope = await seen("10.0.0.1", odd)

    assert (scope["client"][0], scope["scheme"]) == ("10.0.0.1", "http")


async def test_a_proxy_is_known_by_its_address_whichever_way_it_comes() -> None:
    scope = await seen("::ffff:10.0.0.1", FORWARDED)

    assert scope["client"][0] == "203.0.113.9"


@pytest.mark.parametrize("odd", ["*", "proxy.example", "10.0.0.0/99", ""])
def test_only_addresses_and_networks_can_be_trusted(odd: str) -> None:
    with pytest.raises(ValueError, match="does not appear"):
        networks([odd])


def test_addresses_and_networks_are_trusted() -> None:
    assert networks(["10.0.0.1", "fd00::/8"]) == "10.0.0.1/32,fd00::/8"
