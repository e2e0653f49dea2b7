"""A pretend Discord in another process, driven from here: the same people, the same verbs, over its control address.

Belongs here: the client. Where the one in process is looked at directly (`screen.messages`), this one is asked
(`await screen.messages()`); what people do is the same on both.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from channels.emulators.discord.files import TINY_PNG
from channels.emulators.discord.menus import Command
from channels.emulators.discord.modals import Given
from channels.emulators.discord.seen import SeenAnswer, SeenForm, SeenMessage
from channels.emulators.discord.view import PATIENCE, Which
from channels.emulators.remote import RemoteApp

T = TypeVar("T")


class RemoteDiscord(RemoteApp):
    """The client. Use as an async context manager."""

    async def person(self, name: str, **about: str | None) -> "RemotePerson":
        """Someone new; `about` are `username` and `locale`."""
        user = await self.ask("POST", "people", {"name": name, **about})
        return RemotePerson(self, user["id"], name)

    async def add_bot(self, name: str, username: str, *, token: str | None = None) -> str:
        """A further bot; returns its id."""
        bot_id: str = (await self.ask("POST", "bots", {"name": name, "username": username, "token": token}))["id"]
        return bot_id

    async def guild(
        self, title: str, members: Iterable["RemotePerson"], *, bots: Iterable[str] | None = None
    ) -> "RemoteServer":
        """A server that exists already; the first member is its owner."""
        given: dict[str, Any] = {"title": title, "members": [member.id for member in members]}
        if bots is not None:
            given["bots"] = list(bots)
        return RemoteServer(self, (await self.ask("POST", "groups", given))["id"])

    async def break_gateway(self, what: str, **about: Any) -> None:  # noqa: ANN401 see `Gateway`
        """`reconnect`, `drop` (with a `code`), `invalidate` (`resumable`), `acknowledges` (`on`)."""
        await self.ask("POST", "gateway", {"what": what, **about})

    async def calls(self, route: str | None = None) -> list[dict[str, Any]]:
        """The calls so far: number, route, place, query, body, files, status, answer."""
        calls: list[dict[str, Any]] = await self.ask("GET", "calls", {"method": route})
        return calls


@dataclass(frozen=True, slots=True)
class RemotePerson:
    """Someone who is played over there."""

    discord: RemoteDiscord
    id: str
    name: str

    def private_chat(self, bot: str | None = None) -> "RemoteScreen":
        """Their chat with a bot, by its id, or with the one that is always there."""
        return RemoteScreen(self.discord, {"person": self.id, "bot": bot})


@dataclass(frozen=True, slots=True)
class RemoteServer:
    """A server over there."""

    discord: RemoteDiscord
    id: str

    def screen(self, person: RemotePerson, channel: str = "general") -> "RemoteScreen":
        """A channel as one of the members has it open."""
        return RemoteScreen(self.discord, {"person": person.id, "group": self.id, "channel": channel})

    async def add_bot(self, bot: str | None = None) -> None:
        """Bring a bot in."""
        await self._act("add_bot", bot=bot)

    async def remove_bot(self, bot: str | None = None) -> None:
        """Throw a bot out."""
        await self._act("remove_bot", bot=bot)

    async def take_away(self, *names: str, bot: str | None = None, channel: str | None = None) -> None:
        """Take permissions from a bot."""
        await self._act("take_away", permissions=list(names), bot=bot, channel=channel)

    async def give_back(self, *names: str, bot: str | None = None, channel: str | None = None) -> None:
        """Give permissions back."""
        await self._act("give_back", permissions=list(names), bot=bot, channel=channel)

    async def _act(self, do: str, **given: Any) -> Any:  # noqa: ANN401 JSON is anything
        return await self.discord.ask("POST", "act", {"do": do, "group": self.id, **given})


@dataclass(frozen=True, slots=True)
class RemoteScreen:
    """A channel as one person over there has it open."""

    discord: RemoteDiscord
    where: dict[str, Any]

    async def messages(self) -> list[SeenMessage]:
        """What is there now, oldest first."""
        return _messages(await self._look())

    async def answers(self) -> list[SeenMessage]:
        """What bots said."""
        return [message for message in await self.messages() if message.by_bot]

    async def typing(self) -> bool:
        """Whether a bot is shown as typing."""
        return bool((await self._look())["typing"])

    async def menu(self) -> tuple[Command, ...]:
        """The commands behind the slash."""
        found = (await self._look())["menu"]
        return tuple(Command(c["name"], c["description"], tuple(c["options"])) for c in found)

    def in_thread(self, message: Which) -> "RemoteScreen":
        """The thread under a message."""
        return RemoteScreen(self.discord, self.where | {"thread": _id(message)})

    async def say(self, text: str) -> SeenMessage:
        """Write a message."""
        return await self._post("say", text=text)

    async def open_thread(self, message: Which, name: str) -> "RemoteScreen":
        """Open a thread under a message."""
        await self._act("open_thread", message=_id(message), name=name)
        return self.in_thread(message)

    async def mention(self, text: str) -> SeenMessage:
        """Write to the bot of a server by its name."""
        return await self._post("mention", text=text)

    async def reply(self, message: Which, text: str, *, ping: bool = True) -> SeenMessage:
        """Answer a message."""
        return await self._post("reply", message=_id(message), text=text, ping=ping)

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

    async def album(self, files: Sequence[tuple[str, bytes]], caption: str = "") -> SeenMessage:
        """Send several files under one message."""
        given = [{"name": name, "data": _base64(data)} for name, data in files]
        return await self._post("album", files=given, caption=caption)

    async def command(self, words: str) -> None:
        """Pick a command and fill it in from the words after its name."""
        await self._act("command", words=words)

    async def pick(self, name: str, **options: object) -> str:
        """The same with each option by its name; gives what `answer_to` takes."""
        return await self._pressed("pick", name=name, options=options)

    async def press(self, message: Which, label: str, *, stale: bool = False) -> str:
        """Press a button, or pick an option; gives what `answer_to` takes."""
        return await self._pressed("press", message=_id(message), label=label, stale=stale)

    async def press_and_see(self, message: Which, label: str, *, timeout: float = PATIENCE) -> SeenAnswer:
        """Press and wait for what it brings.

        Raises:
            ControlError: nothing like that to press, or no answer within `timeout` seconds.
        """
        answer = (await self._act("press", message=_id(message), label=label, wait=timeout))["answer"]
        return SeenAnswer(answer["text"])

    async def choose(self, message: Which, labels: Sequence[str]) -> str:
        """Pick several options of one list."""
        return await self._pressed("choose", message=_id(message), labels=list(labels))

    async def answer_to(self, press: str, *, timeout: float = PATIENCE) -> SeenAnswer:
        """What the bot's answer showed to this person alone."""
        return SeenAnswer((await self._act("answer_to", press=press, wait=timeout))["text"])

    async def form_of(self, press: str, *, timeout: float = PATIENCE) -> SeenForm:
        """The form that a press opened."""
        return SeenForm(**(await self._act("form_of", press=press, wait=timeout)))

    async def fill_in(self, form: SeenForm, values: Mapping[str, Given]) -> str:
        """Send a form with these values by the fields' labels."""
        given = {name: value if isinstance(value, str) else list(value) for name, value in values.items()}
        return await self._pressed("fill_in", press=form.id, values=given)

    async def react(self, message: Which, emoji: str, *, on: bool = True) -> None:
        """Put an emoji under a message, or take one's own away."""
        await self._act("react", message=_id(message), emoji=emoji, on=on)

    async def block(self) -> None:
        """Take no private messages of the bot any more."""
        await self._act("block")

    async def unblock(self) -> None:
        """Take them again."""
        await self._act("unblock")

    async def wait_for(self, condition: Callable[[list[SeenMessage]], T], *, timeout: float = PATIENCE) -> T:
        """Come back once `condition` holds of the messages, with what it gave.

        Raises:
            TimeoutError: naming what was seen instead.
        """
        return await self._wait(lambda look: condition(_messages(look)), timeout)

    async def wait_for_answer(self, count: int = 1, *, timeout: float = PATIENCE) -> SeenMessage:
        """The newest message of a bot, once there are `count` of them since the person last said something."""

        def answers(look: dict[str, Any]) -> list[SeenMessage]:
            command, last = look["last_command"], int(look["last_act"])
            since = [m for m in _messages(look) if m.answers(command) and int(m.id) > last]
            return since if len(since) >= count else []

        return (await self._wait(answers, timeout))[-1]

    async def _wait(self, condition: Callable[[dict[str, Any]], T], timeout: float) -> T:
        until = monotonic() + timeout
        while True:
            look = await self._look()
            if value := condition(look):
                return value
            left = until - monotonic()
            if left <= 0:
                raise TimeoutError("waited in vain; seen: " + " | ".join(m.text for m in _messages(look)))
            await self.discord.events(look["last_event"], wait=left)

    async def _look(self) -> dict[str, Any]:
        look: dict[str, Any] = await self.discord.ask("GET", "screen", self.where)
        return look

    async def _act(self, do: str, **given: Any) -> Any:  # noqa: ANN401 JSON is anything
        said = {name: value for name, value in given.items() if value is not None}
        return await self.discord.ask("POST", "act", {"do": do, **self.where, **said})

    async def _post(self, do: str, **given: Any) -> SeenMessage:  # noqa: ANN401 JSON is anything
        return SeenMessage.from_json(await self._act(do, **given))

    async def _pressed(self, do: str, **given: Any) -> str:  # noqa: ANN401 JSON is anything
        press: str = (await self._act(do, **given))["press"]
        return press


def _messages(look: dict[str, Any]) -> list[SeenMessage]:
    return [SeenMessage.from_json(message) for message in look["messages"]]


def _id(message: Which) -> str:
    return message.id if isinstance(message, SeenMessage) else message


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
