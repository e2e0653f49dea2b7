"""A pretend Teams in another process, driven from here: the same people, the same verbs, over its control address.

Belongs here: the client. Where the one in process is looked at directly (`screen.messages`), this one is asked
(`await screen.messages()`); what people do is the same on both.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from channels.emulators.remote import RemoteApp
from channels.emulators.teams.screen import PATIENCE, TINY_PNG, Which
from channels.emulators.teams.seen import SeenAnswer, SeenForm, SeenMessage

T = TypeVar("T")


class RemoteTeams(RemoteApp):
    """The client. Use as an async context manager."""

    async def person(self, name: str, *, email: str | None = None) -> "RemotePerson":
        """Someone new."""
        member = await self.ask("POST", "people", {"name": name, "email": email})
        return RemotePerson(self, member["id"], name)

    async def add_bot(self, name: str, **about: Any) -> str:  # noqa: ANN401 see `PretendTeams.add_bot`
        """A further bot; returns its id."""
        bot_id: str = (await self.ask("POST", "bots", {"name": name, **about}))["id"]
        return bot_id

    async def team(
        self, title: str, members: Iterable["RemotePerson"], *, bots: Iterable[str] | None = None
    ) -> "RemoteRoom":
        """A channel of a team that exists already."""
        return await self._room(title, members, bots, private=False)

    async def group(
        self, title: str, members: Iterable["RemotePerson"], *, bots: Iterable[str] | None = None
    ) -> "RemoteRoom":
        """A group chat that exists already."""
        return await self._room(title, members, bots, private=True)

    async def set_endpoint(self, url: str, *, bot: str | None = None) -> None:
        """Say where a bot listens."""
        await self.ask("POST", "endpoint", {"url": url, "bot": bot})

    async def roll_over(self, *, keep_old: bool = True) -> str:
        """Sign with a new key from now on; returns its id."""
        kid: str = (await self.ask("POST", "keys", {"keep_old": keep_old}))["kid"]
        return kid

    async def calls(self, method: str | None = None) -> list[dict[str, Any]]:
        """The calls so far: number, bot, method, path, parameters, status, answer."""
        calls: list[dict[str, Any]] = await self.ask("GET", "calls", {"method": method})
        return calls

    async def _room(
        self, title: str, members: Iterable["RemotePerson"], bots: Iterable[str] | None, *, private: bool
    ) -> "RemoteRoom":
        given: dict[str, Any] = {"title": title, "members": [member.id for member in members], "private": private}
        if bots is not None:
            given["bots"] = list(bots)
        return RemoteRoom(self, (await self.ask("POST", "groups", given))["id"])


@dataclass(frozen=True, slots=True)
class RemotePerson:
    """Someone who is played over there."""

    teams: RemoteTeams
    id: str
    name: str

    def private_chat(self, bot: str | None = None) -> "RemoteScreen":
        """Their private chat with a bot by its id, or with the one that is always there."""
        return RemoteScreen(self.teams, {"person": self.id, "bot": bot})

    async def forge(self, text: str, kind: str) -> int:
        """Have somebody post in their name with a bad token of a kind; the status that the bot answered with."""
        status: int = (await self.teams.ask("POST", "act", _act("forge", person=self.id, text=text, kind=kind)))[
            "status"
        ]
        return status


@dataclass(frozen=True, slots=True)
class RemoteRoom:
    """A group chat or a channel over there."""

    teams: RemoteTeams
    id: str

    def screen(self, person: RemotePerson) -> "RemoteScreen":
        """The room as one of its members has it open."""
        return RemoteScreen(self.teams, {"person": person.id, "chat": self.id})

    async def join(self, person: RemotePerson) -> None:
        """Somebody comes in."""
        await self.teams.ask("POST", "act", _act("join", chat=self.id, person=person.id))

    async def leave(self, person: RemotePerson) -> None:
        """Somebody goes."""
        await self.teams.ask("POST", "act", _act("leave", chat=self.id, person=person.id))

    async def add_bot(self, bot: str | None = None) -> None:
        """Put a bot there."""
        await self.teams.ask("POST", "act", _act("add_bot", chat=self.id, bot=bot))

    async def remove_bot(self, bot: str | None = None) -> None:
        """Throw a bot out."""
        await self.teams.ask("POST", "act", _act("remove_bot", chat=self.id, bot=bot))


@dataclass(frozen=True, slots=True)
class RemoteScreen:
    """A chat as one person over there has it open. What `press` gives is the press's id."""

    teams: RemoteTeams
    where: dict[str, Any]

    async def messages(self) -> list[SeenMessage]:
        """What is there now, oldest first."""
        return [SeenMessage.from_json(message) for message in (await self._look())["messages"]]

    async def answers(self) -> list[SeenMessage]:
        """What bots said."""
        return [message for message in await self.messages() if message.by_bot]

    async def typing(self) -> bool:
        """Whether the bot is shown as typing."""
        return bool((await self._look())["typing"])

    async def say(self, text: str, *, thread: str | None = None) -> SeenMessage:
        """Write a message."""
        return await self._post("say", text=text, thread=thread)

    async def command(self, words: str) -> SeenMessage:
        """Give a command."""
        return await self._post("command", words=words)

    async def mention(self, text: str, *, thread: str | None = None) -> SeenMessage:
        """Write to the bot by its name."""
        return await self._post("mention", text=text, thread=thread)

    async def reply(self, message: Which, text: str) -> SeenMessage:
        """Answer a message: in its thread in a channel, quoting it elsewhere."""
        return await self._post("reply", message=_id(message), text=text)

    async def edit(self, message: Which, text: str) -> SeenMessage:
        """Change one's own words."""
        return await self._post("edit", message=_id(message), text=text)

    async def delete(self, message: Which) -> None:
        """Take one's own message away."""
        await self._do("delete", message=_id(message))

    async def photo(self, data: bytes = TINY_PNG, caption: str = "") -> SeenMessage:
        """Paste a picture."""
        return await self._post("photo", data=_base64(data), caption=caption)

    async def file(self, name: str, data: bytes = b"", caption: str = "", *, size: int | None = None) -> SeenMessage:
        """Send a file; `size` claims another length than it has."""
        return await self._post("file", name=name, data=_base64(data), caption=caption, size=size)

    async def album(self, files: Sequence[tuple[str, bytes]], caption: str = "") -> SeenMessage:
        """Send several files with one message."""
        given = [{"name": name, "data": _base64(data)} for name, data in files]
        return await self._post("album", files=given, caption=caption)

    async def start(self) -> None:
        """Add the bot."""
        await self._do("start")

    async def remove(self) -> None:
        """Take the bot away."""
        await self._do("remove")

    async def block(self, *, blocked: bool = True) -> None:
        """Block the bot, or no more."""
        await self._do("block", blocked=blocked)

    async def press(self, message: Which, label: str, *, stale: bool = False) -> str:
        """Press what has this label."""
        return await self._pressed("press", message=_id(message), label=label, stale=stale)

    async def answer_to(self, press: str, *, timeout: float = PATIENCE) -> SeenAnswer:
        """What a press brought.

        Raises:
            ControlError: the bot did not answer well.
        """
        return SeenAnswer((await self._do("answer_to", press=press, wait=timeout))["text"])

    async def form_of(self, press: str, *, timeout: float = PATIENCE) -> SeenForm:
        """The form that a press brought.

        Raises:
            ControlError: none came.
        """
        return SeenForm.from_json(await self._do("form_of", press=press, wait=timeout))

    async def form_in(self, message: Which, inside: str = "") -> SeenForm:
        """The card of a message as a form."""
        return SeenForm.from_json(await self._do("form_in", message=_id(message), inside=inside))

    async def fill_in(self, form: SeenForm, values: Mapping[str, str | Sequence[str]], *, label: str = "") -> str:
        """Send a form."""
        given = {name: value if isinstance(value, str) else list(value) for name, value in values.items()}
        return await self._pressed("fill_in", form=form.id, inside=form.inside, values=given, label=label)

    async def react(self, message: Which, kind: str = "like", *, remove: bool = False) -> None:
        """Put a reaction under a message, or take one's own away."""
        await self._do("react", message=_id(message), name=kind, remove=remove)

    async def stop_stream(self, message: Which) -> None:
        """Stop an answer that is being written."""
        await self._do("stop_stream", message=_id(message))

    async def wait_for(self, condition: Callable[[list[SeenMessage]], T], *, timeout: float = PATIENCE) -> T:
        """Come back once `condition` holds of the messages, with what it gave.

        Raises:
            TimeoutError: naming what was seen instead.
        """
        return await self._wait(lambda messages, _: condition(messages), timeout)

    async def wait_for_answer(self, count: int = 1, *, timeout: float = PATIENCE) -> SeenMessage:
        """The newest message of a bot, once there are `count` of them since the person last said something."""

        def answers(messages: list[SeenMessage], last: int) -> list[SeenMessage]:
            since = [m for m in messages if m.is_answer and m.number > last]
            return since if len(since) >= count else []

        return (await self._wait(answers, timeout))[-1]

    async def _wait(self, condition: Callable[[list[SeenMessage], int], T], timeout: float) -> T:
        until = monotonic() + timeout
        while True:
            look = await self._look()
            messages = [SeenMessage.from_json(message) for message in look["messages"]]
            if value := condition(messages, look["last_act"]):
                return value
            left = until - monotonic()
            if left <= 0:
                raise TimeoutError("waited in vain; seen: " + " | ".join(m.text for m in messages))
            await self.teams.events(look["last_event"], wait=left)

    async def _look(self) -> dict[str, Any]:
        look: dict[str, Any] = await self.teams.ask("GET", "screen", self.where)
        return look

    async def _do(self, do: str, **given: Any) -> Any:  # noqa: ANN401 JSON is anything
        return await self.teams.ask("POST", "act", {"do": do, **self.where, **given})

    async def _post(self, do: str, **given: Any) -> SeenMessage:  # noqa: ANN401 JSON is anything
        return SeenMessage.from_json(await self._do(do, **given))

    async def _pressed(self, do: str, **given: Any) -> str:  # noqa: ANN401 JSON is anything
        press: str = (await self._do(do, **given))["press"]
        return press


def _act(do: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401 JSON is anything
    return {"do": do, **given}


def _id(message: Which) -> str:
    return message.id if isinstance(message, SeenMessage) else message


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
