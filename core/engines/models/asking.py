"""The HTTP client that a model server is reached with, and asking it for something small, such as a list of models."""

from collections.abc import Mapping
from math import inf
from typing import Any, Final

import httpx2
from pydantic_ai.models import create_async_httpx2_client

from core.engines.models.addresses import is_near
from core.engines.models.patience import Patience

BIGGEST_LIST: Final = 20 * 1024 * 1024
"""Bytes of an answer that are read: OpenRouter's list of all its models is about 1 MiB."""

MOST_AT_ONCE: Final = 1_000
"""Requests that go on at once. An answer takes one for as long as it is written, and how many a service takes at once
it says itself; here nobody should wait for another chat's answer."""

KEPT_OPEN: Final = 50
"""Connections that wait for the next request, so that it need not open one: over TLS that takes two round trips."""

LONGEST_WAIT: Final = 5.0
"""Seconds that a server may ask for before it is asked once more. Where it wants longer, the turn ends with that: the
person hears how long, or another engine answers at once."""


def client_for(address: str, patience: Patience) -> httpx2.AsyncClient:
    """A client for one server. It follows no redirect, which would take the key along to another host.

    A proxy from the environment is used for what is out in the world, never for what is near: a transport of one's own
    turns proxies off. Made by the library, because its clients keep a vendor's long timeout off the connecting.
    """
    near = is_near(address)
    limits = httpx2.Limits(max_connections=MOST_AT_ONCE, max_keepalive_connections=KEPT_OPEN, keepalive_expiry=60)
    client = create_async_httpx2_client(
        timeout=httpx2.Timeout(
            connect=patience.connect, read=patience.read_near if near else patience.read, write=60, pool=60
        ),
        limits=limits,
        transport=httpx2.AsyncHTTPTransport(limits=limits) if near else None,
    )
    client.event_hooks["response"].append(_not_much_later)
    return client


async def _not_much_later(response: httpx2.Response) -> None:
    """Keep the vendors' libraries from waiting: they do for two minutes if they are told to, and heed this header."""
    waits = [response.headers.get("retry-after-ms", "0"), response.headers.get("retry-after", "0")]
    if not (_number(waits[0]) <= LONGEST_WAIT * 1000 and _number(waits[1]) <= LONGEST_WAIT):
        response.headers["x-should-retry"] = "false"


def _number(value: str) -> float:
    """Endless where it is none, such as a date."""
    try:
        return float(value)
    except ValueError:
        return inf


async def ask_for_json(
    client: httpx2.AsyncClient,
    url: str,
    headers: Mapping[str, str],
    *,
    seconds: float,
    send: Mapping[str, Any] | None = None,
) -> object:
    """What the server answers a GET with (a POST where there is something to `send`), as JSON.

    Raises:
        httpx2.HTTPError: it could not be reached, or answered with an error status.
        ValueError: what it answers is not JSON, or is endless.
    """
    method = "GET" if send is None else "POST"
    async with client.stream(method, url, headers=dict(headers), json=send, timeout=seconds) as response:
        content = bytearray()
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > BIGGEST_LIST:
                raise ValueError("the answer does not end")
    # Built anew, so that an error has the words of the answer with it.
    whole = httpx2.Response(response.status_code, content=bytes(content), request=response.request)
    answer: object = whole.raise_for_status().json()
    return answer
