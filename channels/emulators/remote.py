"""The other end of a control address: asking a pretend app in another process.

Belongs here: requests, and what every app is asked for in the same way. People and places are the app's own.
"""

from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import aiohttp


class ControlError(Exception):
    """The control address refused; `status` is the HTTP status."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(f"{status}: {words}")
        self.status = status


class RemoteApp:
    """The client. Use as an async context manager."""

    def __init__(self, control_url: str, secret: str) -> None:
        self._url = control_url
        self._headers = {"Authorization": f"Bearer {secret}"}
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(headers=self._headers)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    @property
    def session(self) -> aiohttp.ClientSession:
        """The connection; there is one only within the context."""
        if self._session is None:
            raise RuntimeError("enter the remote app first")
        return self._session

    async def ask(self, method: str, path: str, given: dict[str, Any]) -> Any:  # noqa: ANN401 JSON is anything
        """One request to the control address; what is None is left out.

        Raises:
            ControlError: it refused.
        """
        said = {name: value for name, value in given.items() if value is not None}
        if method == "GET":
            query = {name: str(value) for name, value in said.items()}
            request = self.session.get(f"{self._url}/{path}", params=query)
        else:
            request = self.session.post(f"{self._url}/{path}", json=said)
        async with request as response:
            answer = await response.json()
            if response.status != 200:
                raise ControlError(response.status, answer["error"])
            return answer

    async def state(self) -> dict[str, Any]:
        """Addresses, bots, people, groups, waiting faults, the number of the last event."""
        state: dict[str, Any] = await self.ask("GET", "state", {})
        return state

    async def add_fault(self, kind: str, **about: Any) -> int:  # noqa: ANN401 see `Faults.add`
        """Let calls go wrong; `about` as for `Faults.add`. Returns the fault's id."""
        fault_id: int = (await self.ask("POST", "faults", {"kind": kind, **about}))["id"]
        return fault_id

    async def clear_faults(self) -> None:
        """Let everything work again."""
        await self.ask("POST", "faults/clear", {})

    async def set_flood_control(self, *, on: bool) -> None:
        """Switch the app's rate limits."""
        await self.ask("POST", "flood", {"on": on})

    async def set_reachable(self, *, on: bool) -> None:
        """Let the app refuse connections, or be back."""
        await self.ask("POST", "reachable", {"on": on})

    async def file(self, file_id: str) -> bytes:
        """The bytes of a file that stands in a chat; one whose size is only claimed has fewer.

        Raises:
            ControlError: there is no such file.
        """
        async with self.session.get(f"{self._url}/files/{quote(file_id, safe='')}") as response:
            if response.status != 200:
                raise ControlError(response.status, (await response.json())["error"])
            return await response.read()

    async def events(self, after: int, *, wait: float = 0.0) -> tuple[list[dict[str, Any]], int]:
        """What changed on any screen after a number, waiting up to `wait` seconds for it; and the newest number."""
        answer = await self.ask("GET", "events", {"after": after, "wait": wait})
        return answer["events"], answer["last"]
