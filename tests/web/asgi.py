"""A browser that speaks ASGI: requests without a socket, answers as they would go over the wire."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp, Message

ORIGIN = "http://127.0.0.1:7654"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Browser:
    """Sends what a browser on the page would send; a header given as None is left out."""

    app: ASGIApp
    headers: dict[str, str | None] = field(default_factory=dict)
    more: tuple[tuple[bytes, bytes], ...] = ()

    async def get(self, path: str, **headers: str | None) -> Answer:
        return await self.send("GET", path, headers=headers)

    async def post(self, path: str, body: object = None, **headers: str | None) -> Answer:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.send("POST", path, content, {"origin": ORIGIN, "content_type": "application/json"} | headers)

    async def send(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str | None] | None = None
    ) -> Answer:
        given = {"host": "127.0.0.1:7654", "content_length": str(len(body))} | self.headers | dict(headers or {})
        parts = urlsplit(path)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [
                *(
                    (name.replace("_", "-").encode(), value.encode())
                    for name, value in given.items()
                    if value is not None
                ),
                *self.more,
            ],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 7654),
        }
        sent: list[Message] = []
        requests: list[Message] = [{"type": "http.request", "body": body}]

        async def receive() -> Message:
            return requests.pop() if requests else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        try:
            await self.app(scope, receive, send)
        except Exception:
            if not sent:
                raise
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(sent[0]["status"], {k.decode(): v.decode() for k, v in sent[0]["headers"]}, content)
