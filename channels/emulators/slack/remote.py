"""A pretend Slack in another process, driven from here: the same people, the same verbs, over its control address.

Belongs here: the client. Where the one in process is looked at directly (`screen.messages`), this one is asked
(`await screen.messages()`); what people do is the same on both.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from channels.emulators.remote import RemoteApp
from channels.emulators.slack.screen import PATIENCE, TINY_PNG, Which
from channels.emulators.slack.seen import SeenAnswer, SeenForm, SeenMessage

T = TypeVar("T")


class RemoteSlack(RemoteApp):
    """The client. Use as an async context manager."""

    async def person(self, name: str, *, handle: str | None = None) -> "RemotePerson":
        """Someone new."""
        user = await self.ask("POST", "people", {"name": name, "handle": handle})
        return RemotePerson(self, user["id"], name)

    async def add_bot(self, name: str, **about: Any) -> str:  # noqa: ANN401 see `PretendSlack.add_bot`
        """A further app; returns its bot user's id."""
        bot_id: str = (await self.ask("POST", "bots", {"name": name, **about}))["id"]
        return bot_id

    async def channel(
        self,
        title: str,
        members: Iterable["RemotePerson"],
        *,
        bots: Iterable[str] | None = None,
        private: bool = False,
    ) -> "RemoteRoom":
        """A channel that exists already."""
        given: dict[str, Any] = {"title": title, "members": [member.id for member in members], "private": private}
        if bots is not None:
            given["bots"] = list(bots)
        return RemoteRoom(self, (await self.ask("POST", "groups", given))["id"])

    async def disconnect(self, reason: str = "refresh_requested", *, bot: str | None = None) -> None:
        """Tell the connections of an app to go."""
        await self.ask("POST", "disconnect", {"reason": reason, "bot": bot})

    async def set_request_url(self, url: str | None, *, bot: str | None = None) -> None:
        """Post everything to an address from now on; None is Socket Mode again."""
        await self.ask("POST", "request_url", {"url": url, "bot": bot})

    async def calls(self, method: str | None = None) -> list[dict[str, Any]]:
        """The calls so far: number, bot, method, parameters, status, answer."""
        calls: list[dict[str, Any]] = await self.ask("GET", "calls", {"method": method})
        return calls


@dataclass(frozen=True, slots=True)
class RemotePerson:
    """Someone who is played over there."""

    slack: RemoteSlack
    id: str
    name: str

    def private_chat(self, bot: str | None = None) -> "RemoteScreen":
        """Their direct messages with an app, by its bot user's id, or with the one that is always there."""
        return RemoteScreen(self.slack, {"person": self.id, "bot": bot})


@dataclass(frozen=True, slots=True)
class RemoteRoom:
    """A channel over there."""

    slack: RemoteSlack
    id: str

    def screen(self, person: RemotePerson) -> "RemoteScreen":
        """The channel as one of its members has it open."""
        return RemoteScreen(self.slack, {"person": person.id, "chat": self.id})

    async def join(self, person: RemotePerson) -> None:
        """Somebody comes in."""
        await self._act("join", person=person.id)

    async def leave(self, person: RemotePerson) -> None:
        """Somebody goes."""
        await self._act("leave", person=person.id)

    async def add_bot(self, bot: str | None = None) -> None:
        """Invite an app."""
        await self._act("add_bot", bot=bot)

    async def remove_bot(self, bot: str | None = None) -> None:
        """Throw an app out."""
        await self._act("remove_bot", bot=bot)

    async def archive(self, *, archived: bool = True) -> None:
        """Close the channel, or open it again."""
        await self._act("archive", archived=archived)

    async def _act(self, do: str, **given: Any) -> Any:  # noqa: ANN401 JSON is anything
        return await self.slack.ask("POST", "act", {"do": do, "chat": self.id, **given})


@dataclass(frozen=True, slots=True)
class RemoteScreen:
    """A chat as one person over there has it open. What `press` gives is the press's id."""

    slack: RemoteSlack
    where: dict[str, Any]

    async def messages(self) -> list[SeenMessage]:
        """What is there now, oldest first."""
        return [SeenMessage.from_json(message) for message in (await self._look())["messages"]]

    async def answers(self) -> list[SeenMessage]:
        """What bots said."""
        return [message for message in await self.messages() if message.by_bot]

    async def statuses(self) -> dict[str, str]:
        """What the bot says that it is doing, by the thread."""
        statuses: dict[str, str] = (await self._look())["statuses"]
        return statuses

    async def home(self) -> SeenForm | None:
        """The Home tab of the bot."""
        home = (await self._look())["home"]
        return SeenForm.from_json(home) if home is not None else None

    async def say(self, text: str, *, thread: str | None = None) -> SeenMessage:
        """Write a message."""
        return await self._post("say", text=text, thread=thread)

    async def mention(self, text: str, *, thread: str | None = None) -> SeenMessage:
        """Write to the bot by its name."""
        return await self._post("mention", text=text, thread=thread)

    async def reply(self, message: Which, text: str) -> SeenMessage:
        """Answer in the thread of a message."""
        return await self._post("reply", message=_id(message), text=text)

    async def edit(self, message: Which, text: str) -> SeenMessage:
        """Change one's own words."""
        return await self._post("edit", message=_id(message), text=text)

    async def delete(self, message: Which) -> None:
        """Take one's own message away."""
        await self._act("delete", message=_id(message))

    async def photo(self, data: bytes = TINY_PNG, caption: str = "") -> SeenMessage:
        """Send a picture."""
        return await self._post("photo", data=_base64(data), caption=caption)

    async def file(self, name: str, data: bytes = b"", caption: str = "", *, size: int | None = None) -> SeenMessage:
        """Send a file; `size` claims another length than it has."""
        return await self._post("file", name=name, data=_base64(data), caption=caption, size=size)

    async def album(self, files: Sequence[tuple[str, bytes]], caption: str = "") -> SeenMessage:
        """Send several files with one message."""
        given = [{"name": name, "data": _base64(data)} for name, data in files]
        return await self._post("album", files=given, caption=caption)

    async def command(self, words: str) -> None:
        """Give a command of the bot's."""
        await self._act("command", words=words)

    async def slash(self, name: str, words: str = "") -> str:
        """Type any command, with its slash."""
        return await self._pressed("slash", name=name, words=words)

    async def press(self, message: Which, label: str, *, stale: bool = False) -> str:
        """Press what has this label, or pick it."""
        return await self._pressed("press", message=_id(message), label=label, stale=stale)

    async def pick(self, message: Which, labels: Sequence[str]) -> str:
        """Pick several in a list at once."""
        return await self._pressed("pick", message=_id(message), labels=list(labels))

    async def answer_to(self, press: str, *, timeout: float = PATIENCE) -> SeenAnswer:
        """What a press brought.

        Raises:
            ControlError: the app did not answer.
        """
        answer = await self._act("answer_to", press=press, wait=timeout)
        return SeenAnswer(answer["text"], answer["errors"])

    async def form_of(self, press: str, *, timeout: float = PATIENCE) -> SeenForm:
        """The form that a press opened.

        Raises:
            ControlError: none was opened.
        """
        return SeenForm.from_json(await self._act("form_of", press=press, wait=timeout))

    async def fill_in(self, form: SeenForm, values: Mapping[str, str | Sequence[str]]) -> str:
        """Send a form."""
        given = {label: value if isinstance(value, str) else list(value) for label, value in values.items()}
        return await self._pressed("fill_in", form=form.id, values=given)

    async def close(self, form: SeenForm) -> None:
        """Close a form without sending it."""
        await self._act("close", form=form.id)

    async def react(self, message: Which, name: str, *, remove: bool = False) -> None:
        """Put an emoji under a message, or take one's own away."""
        await self._act("react", message=_id(message), name=name, remove=remove)

    async def open_home(self, tab: str = "home") -> None:
        """Open the bot's Home tab, or its messages."""
        await self._act("open_home", tab=tab)

    async def press_home(self, label: str) -> str:
        """Press a button of the Home tab."""
        return await self._pressed("press_home", label=label)

    async def wait_for(self, condition: Callable[[list[SeenMessage]], T], *, timeout: float = PATIENCE) -> T:
        """Come back once `condition` holds of the messages, with what it gave.

        Raises:
            TimeoutError: naming what was seen instead.
        """
        return await self._wait(lambda messages, _: condition(messages), timeout)

    async def wait_for_answer(self, count: int = 1, *, timeout: float = PATIENCE) -> SeenMessage:
        """The newest message of a bot, once there are `count` of them since the person last said something."""

        def answers(messages: list[SeenMessage], last: str) -> list[SeenMessage]:
            since = [m for m in messages if m.is_answer and m.id > last]
            return since if len(since) >= count else []

        return (await self._wait(answers, timeout))[-1]

    async def _wait(self, condition: Callable[[list[SeenMessage], str], T], timeout: float) -> T:
        until = monotonic() + timeout
        while True:
            look = await self._look()
            messages = [SeenMessage.from_json(message) for message in look["messages"]]
            if value := condition(messages, look["last_act"]):
                return value
            left = until - monotonic()
            if left <= 0:
                raise TimeoutError("waited in vain; seen: " + " | ".join(m.text for m in messages))
            await self.slack.events(look["last_event"], wait=left)

    async def _look(self) -> dict[str, Any]:
        look: dict[str, Any] = await self.slack.ask("GET", "screen", self.where)
        return look

    async def _act(self, do: str, **given: Any) -> Any:  # noqa: ANN401 JSON is anything
        return await self.slack.ask("POST", "act", {"do": do, **self.where, **given})

    async def _post(self, do: str, **given: Any) -> SeenMessage:  # noqa: ANN401 JSON is anything
        return SeenMessage.from_json(await self._act(do, **given))

    async def _pressed(self, do: str, **given: Any) -> str:  # noqa: ANN401 JSON is anything
        press: str = (await self._act(do, **given))["press"]
        return press


def _id(message: Which) -> str:
    return message.id if isinstance(message, SeenMessage) else message


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
