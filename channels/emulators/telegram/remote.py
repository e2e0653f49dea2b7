"""A pretend Telegram in another process, driven from here: the same people, the same verbs, over its control address.

Belongs here: the client. Where the one in process is looked at directly (`chat.messages`), this one is asked
(`await chat.messages()`); what people do is the same on both.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import aiohttp

from channels.emulators.telegram.menus import Command
from channels.emulators.telegram.pictures import TINY_PNG
from channels.emulators.telegram.screen import PATIENCE, Which
from channels.emulators.telegram.seen import SeenAnswer, SeenDraft, SeenMessage
from channels.emulators.telegram.text import Entity

T = TypeVar("T")


class ControlError(Exception):
    """The control address refused; `status` is the HTTP status."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(f"{status}: {words}")
        self.status = status


class RemoteTelegram:
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

    async def ask(self, method: str, path: str, given: dict[str, Any]) -> Any:  # noqa: ANN401 JSON is anything
        """One request to the control address.

        Raises:
            ControlError: it refused.
        """
        if self._session is None:
            raise RuntimeError("enter the remote Telegram first")
        if method == "GET":
            query = {name: str(value) for name, value in given.items() if value is not None}
            request = self._session.get(f"{self._url}/{path}", params=query)
        else:
            body = {name: value for name, value in given.items() if value is not None}
            request = self._session.post(f"{self._url}/{path}", json=body)
        async with request as response:
            answer = await response.json()
            if response.status != 200:
                raise ControlError(response.status, answer["error"])
            return answer

    async def state(self) -> dict[str, Any]:
        """Addresses, bots, people, groups, waiting faults, the number of the last event."""
        state: dict[str, Any] = await self.ask("GET", "state", {})
        return state

    async def person(self, first_name: str, **names: str | None) -> "RemotePerson":
        """Someone new; `names` are `last_name`, `username` and `language_code`."""
        user = await self.ask("POST", "people", {"first_name": first_name, **names})
        return RemotePerson(self, user["id"], user["first_name"])

    async def add_bot(self, token: str, first_name: str, username: str, *, reads_all: bool = False) -> int:
        """A further bot; returns its id."""
        given = {"token": token, "first_name": first_name, "username": username, "reads_all": reads_all}
        bot_id: int = (await self.ask("POST", "bots", given))["id"]
        return bot_id

    async def group(
        self,
        title: str,
        members: Iterable["RemotePerson"],
        *,
        bots: Iterable[int] | None = None,
        forum: bool = False,
        basic: bool = False,
    ) -> "RemoteGroup":
        """A group that exists already; the first member is its owner."""
        given: dict[str, Any] = {"title": title, "members": [m.id for m in members], "forum": forum, "basic": basic}
        if bots is not None:
            given["bots"] = list(bots)
        return RemoteGroup(self, (await self.ask("POST", "groups", given))["id"])

    async def add_fault(self, kind: str, **about: Any) -> int:  # noqa: ANN401 see `Faults.add`
        """Let calls go wrong; `about` as for `Faults.add`. Returns the fault's id."""
        fault_id: int = (await self.ask("POST", "faults", {"kind": kind, **about}))["id"]
        return fault_id

    async def clear_faults(self) -> None:
        """Let everything work again."""
        await self.ask("POST", "faults/clear", {})

    async def set_flood_control(self, *, on: bool) -> None:
        """Switch Telegram's flood control."""
        await self.ask("POST", "flood", {"on": on})

    async def set_reachable(self, *, on: bool) -> None:
        """Let the Bot API refuse connections, or be back."""
        await self.ask("POST", "reachable", {"on": on})

    async def calls(self, method: str | None = None) -> list[dict[str, Any]]:
        """The calls so far: number, bot, method, parameters, status, answer."""
        calls: list[dict[str, Any]] = await self.ask("GET", "calls", {"method": method})
        return calls

    async def file(self, file_id: str) -> bytes:
        """The bytes of a file that stands in a chat; one whose size is only claimed has fewer.

        Raises:
            ControlError: there is no such file.
        """
        if self._session is None:
            raise RuntimeError("enter the remote Telegram first")
        async with self._session.get(f"{self._url}/files/{quote(file_id, safe='')}") as response:
            if response.status != 200:
                raise ControlError(response.status, (await response.json())["error"])
            return await response.read()

    async def events(self, after: int, *, wait: float = 0.0) -> tuple[list[dict[str, Any]], int]:
        """What changed on any screen after a number, waiting up to `wait` seconds for it; and the newest number."""
        answer = await self.ask("GET", "events", {"after": after, "wait": wait})
        return answer["events"], answer["last"]


@dataclass(frozen=True, slots=True)
class RemotePerson:
    """Someone who is played over there."""

    telegram: RemoteTelegram
    id: int
    first_name: str

    def private_chat(self, bot: int | None = None) -> "RemoteScreen":
        """Their chat with a bot, by its id, or with the one that is always there."""
        return RemoteScreen(self.telegram, {"person": self.id, "bot": bot})


@dataclass(frozen=True, slots=True)
class RemoteGroup:
    """A group over there."""

    telegram: RemoteTelegram
    id: int

    def screen(self, person: RemotePerson) -> "RemoteScreen":
        """The group as one of its members has it open."""
        return RemoteScreen(self.telegram, {"person": person.id, "chat": self.id})

    async def add_bot(self, bot: int | None = None, *, admin: bool = False) -> None:
        """Bring a bot in."""
        await self._act("add_bot", bot=bot, admin=admin)

    async def remove_bot(self, bot: int | None = None) -> None:
        """Throw a bot out."""
        await self._act("remove_bot", bot=bot)

    async def open_topic(self, name: str) -> int:
        """Open a topic of a forum and return its id."""
        thread: int = (await self._act("open_topic", name=name))["thread"]
        return thread

    async def _act(self, do: str, **given: Any) -> Any:  # noqa: ANN401 JSON is anything
        return await self.telegram.ask("POST", "act", {"do": do, "chat": self.id, **given})


@dataclass(frozen=True, slots=True)
class RemoteScreen:
    """A chat as one person over there has it open."""

    telegram: RemoteTelegram
    where: dict[str, Any]

    async def messages(self) -> list[SeenMessage]:
        """What is there now, oldest first."""
        return [SeenMessage.from_json(message) for message in (await self._look())["messages"]]

    async def draft(self) -> SeenDraft | None:
        """The answer that is being written."""
        draft = (await self._look())["draft"]
        if draft is None:
            return None
        return SeenDraft(draft["id"], draft["text"], tuple(Entity(**entity) for entity in draft["entities"]))

    async def action(self) -> str | None:
        """What the bot is doing: `typing` …"""
        action: str | None = (await self._look())["action"]
        return action

    async def menu(self) -> tuple[Command, ...]:
        """The commands behind the menu button."""
        return tuple(Command(**command) for command in (await self._look())["menu"])

    async def say(self, text: str, *, thread: int | None = None) -> SeenMessage:
        """Write a message."""
        return await self._post("say", text=text, thread=thread)

    async def paste(self, text: str) -> list[SeenMessage]:
        """Write more than fits into one message."""
        return [SeenMessage.from_json(sent) for sent in await self._act("paste", text=text)]

    async def start(self, payload: str = "") -> SeenMessage:
        """Press Start, or follow a start link."""
        return await self._post("start", payload=payload)

    async def mention(self, text: str, *, thread: int | None = None) -> SeenMessage:
        """Write to the bot of a group by its name."""
        return await self._post("mention", text=text, thread=thread)

    async def reply(self, message: Which, text: str, *, quote: str | None = None) -> SeenMessage:
        """Answer a message, or a part of it."""
        return await self._post("reply", message=_id(message), text=text, quote=quote)

    async def forward(self, text: str, *, of: RemotePerson | str) -> SeenMessage:
        """Pass on what someone else wrote."""
        return await self._post("forward", text=text, of=of if isinstance(of, str) else of.id)

    async def edit(self, message: Which, text: str) -> SeenMessage:
        """Change one's own words."""
        return await self._post("edit", message=_id(message), text=text)

    async def delete(self, message: Which) -> None:
        """Take a message away for everyone."""
        await self._act("delete", message=_id(message))

    async def photo(self, data: bytes = TINY_PNG, caption: str = "") -> SeenMessage:
        """Send a picture."""
        return await self._post("photo", data=_base64(data), caption=caption)

    async def file(self, name: str, data: bytes = b"", caption: str = "", *, size: int | None = None) -> SeenMessage:
        """Send a file; `size` claims more bytes than there are."""
        return await self._post("file", name=name, data=_base64(data), caption=caption, size=size)

    async def voice(self, data: bytes, *, duration: int = 1) -> SeenMessage:
        """Send a voice note; `duration` in seconds."""
        return await self._post("voice", data=_base64(data), duration=duration)

    async def album(self, files: Sequence[tuple[str, bytes]], caption: str = "") -> list[SeenMessage]:
        """Send several pictures or files as one."""
        given = [{"name": name, "data": _base64(data)} for name, data in files]
        return [SeenMessage.from_json(sent) for sent in await self._act("album", files=given, caption=caption)]

    async def press(self, message: Which, label: str, *, stale: bool = False) -> None:
        """Press a button that sends something to the bot."""
        await self._act("press", message=_id(message), label=label, stale=stale)

    async def press_and_see(self, message: Which, label: str, *, timeout: float = PATIENCE) -> SeenAnswer:
        """Press a button and wait for what it brings.

        Raises:
            ControlError: no such button, or no answer within `timeout` seconds.
        """
        answer = (await self._act("press", message=_id(message), label=label, wait=timeout))["answer"]
        return SeenAnswer(answer["text"], answer["alert"])

    async def react(self, message: Which, emoji: str | None) -> None:
        """Put an emoji under a message, or take one's own away."""
        await self._act("react", message=_id(message), emoji=emoji)

    async def block(self) -> None:
        """Stop the bot of a private chat."""
        await self._act("block")

    async def unblock(self) -> None:
        """Let it write again."""
        await self._act("unblock")

    async def wait_for(self, condition: Callable[[list[SeenMessage]], T], *, timeout: float = PATIENCE) -> T:
        """Come back once `condition` holds of the messages, with what it gave.

        Raises:
            TimeoutError: naming what was seen instead.
        """
        until = monotonic() + timeout
        while True:
            look = await self._look()
            messages = [SeenMessage.from_json(message) for message in look["messages"]]
            if value := condition(messages):
                return value
            left = until - monotonic()
            if left <= 0:
                raise TimeoutError("waited in vain; seen: " + " | ".join(m.text for m in messages))
            await self.telegram.events(look["last_event"], wait=left)

    async def wait_for_answer(self, *, timeout: float = PATIENCE) -> SeenMessage:
        """The newest message of a bot, once there is one since the person last said something."""

        def answer(messages: list[SeenMessage]) -> SeenMessage | None:
            own = [message.id for message in messages if message.sender_id == self.where["person"]]
            since = [m for m in messages if m.by_bot and m.service is None and m.id > max(own, default=0)]
            return since[-1] if since else None

        found = await self.wait_for(answer, timeout=timeout)
        if found is None:
            raise TimeoutError("no answer")
        return found

    async def _look(self) -> dict[str, Any]:
        look: dict[str, Any] = await self.telegram.ask("GET", "screen", self.where)
        return look

    async def _act(self, do: str, **given: Any) -> Any:  # noqa: ANN401 JSON is anything
        return await self.telegram.ask("POST", "act", {"do": do, **self.where, **given})

    async def _post(self, do: str, **given: Any) -> SeenMessage:  # noqa: ANN401 JSON is anything
        return SeenMessage.from_json(await self._act(do, **given))


def _id(message: Which) -> int:
    return message.id if isinstance(message, SeenMessage) else message


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
