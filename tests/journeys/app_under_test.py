"""What a journey needs of a chat app, whichever it is, and how what its people see is looked at.

Belongs here: the shape of an app under test, of its people and of its groups. What one app has of its own is in
`tests.journeys.apps`; what people do is `channels.emulators.phone`.
"""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from channels.base import ChannelKind, HealthState
from channels.emulators.phone import Phone
from channels.threads import MENTION_ME
from commands import registry
from commands.menus import native_menu
from commands.parsing import slash_in
from conch.admin import Admin
from conch.app import App
from core.checkpoints import NO_CHECKPOINTS, Checkpoints
from core.clock import Clock
from core.engines.base import Engine
from core.engines.scripted import Script
from tests.journeys.living import echo, living, until

Seen = Any
"""A message as an app's phone shows it: `channels.emulators.phone.Seen`."""


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in a chat app, with their private chat with the bot. `id` is the app's own."""

    name: str
    id: str
    player: Any
    chat: Any
    """Their private chat: a `Phone`, with files and edits, which all of these apps have."""
    channel_id: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in a group, its answer, and where the two of them stand: a thread where the app opens one."""

    question: Seen
    answer: Seen
    talk: Phone


class Group(ABC):
    """A group with the bot in it. `id` is what the owner turns it on by."""

    id: str

    @abstractmethod
    def screen(self, member: Member) -> Phone:
        """The group as one of its members has it open."""

    @abstractmethod
    def talk(self, member: Member, question: Seen) -> Phone:
        """Where a question at the root is answered, as a member has it open.

        Raises:
            LookupError: it is not there yet.
        """

    @abstractmethod
    async def throw_out(self) -> None:
        """Take the bot out."""

    async def ask(self, member: Member, words: str) -> Asked:
        """Mention the bot at the root of the group, and come back with what it says."""
        screen = self.screen(member)
        question = await screen.mention(words)
        answer = await next_in(screen, lambda: self._answers(member, question), 0)
        return Asked(question, answer, self.talk(member, question))

    async def told(self, member: Member, words: str) -> str:
        """Mention the bot at the root, and come back with the next thing that it says there or in a thread of it."""
        screen = self.screen(member)
        question = await screen.mention(words)

        def answers() -> Sequence[Seen]:
            newer = [one for one in screen.answers if finished(one) and int_of(one.id) > int_of(question.id)]
            return [*newer, *self._answers(member, question)]

        return str((await next_in(screen, answers, 0)).text)

    async def asked_on(self, member: Member, asked: Asked, words: str, *, mention: bool = True) -> Seen:
        """Say more where something was asked before, and come back with what the bot says to it."""
        talk = self.talk(member, asked.question)
        before = len(self._answers(member, asked.question))
        await (talk.mention(words) if mention else talk.say(words))
        return await next_in(talk, lambda: self._answers(member, asked.question), before)

    async def opened(self, member: Member, question: Seen) -> Phone:
        """The place where a question is answered, once it is there."""
        await self.screen(member).wait_for(lambda _: self._is_open(member, question))
        return self.talk(member, question)

    def texts(self, member: Member, question: Seen) -> list[str]:
        """What the bot has said to a question so far, also what is being written."""
        if not self._is_open(member, question):
            return []
        after = int_of(question.id)
        return [one.text for one in self.talk(member, question).answers if one.text and int_of(one.id) > after]

    def _is_open(self, member: Member, question: Seen) -> bool:
        try:
            self.talk(member, question)
        except LookupError:
            return False
        return True

    def _answers(self, member: Member, question: Seen) -> Sequence[Seen]:
        if not self._is_open(member, question):
            return ()
        answers = [one for one in self.talk(member, question).answers if finished(one) and one.text != MENTION_ME]
        return [answer for answer in answers if int_of(answer.id) > int_of(question.id)]


class AppUnderTest(ABC):
    """A chat app, pretended on loopback, with a bot that is not connected yet."""

    kind: str
    opens_threads = True
    """Whether asking in a group opens a thread."""
    reads_on = False
    """Whether what is said in such a thread needs no mention."""
    has_forms = True
    notes_stay = False
    """Whether a line that answers a press is a message like any other."""
    fields_in_message = False
    """Whether what is asked is filled in where it is asked."""
    pretend: Any
    """The pretend app itself, for what only this app has; all have `faults`, `calls`, `problems`, `unreachable`."""

    # ---- Conch -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def kinds(self, clock: Clock) -> Mapping[str, ChannelKind]:
        """The app as Conch connects to it."""

    @property
    @abstractmethod
    def keys(self) -> str:
        """What the owner pastes to connect the bot."""

    def living(
        self,
        folder: Path,
        *,
        engines: Sequence[Engine] | None = None,
        script: Script = echo,
        clock: Clock | None = None,
        checkpoints: Checkpoints = NO_CHECKPOINTS,
        **settings: Any,
    ) -> AbstractAsyncContextManager[App]:
        """A Conch over this data folder that receives from this app; see `tests.journeys.living.living`."""
        return living(
            folder, self.kinds, engines=engines, script=script, clock=clock, checkpoints=checkpoints, **settings
        )

    async def connect(self, app: App) -> str:
        """Connect the bot as by `conch channels add`; come back with its id once it listens."""
        return await self.add(app, self.pretend.bot, self.keys)

    async def add(self, app: App, bot: Any, keys: str) -> str:
        """Connect a bot with its keys; come back with its id once it listens."""
        connected = await app.registry.add(self.kind, keys)
        await self.ready(app, connected.channel_id)
        return connected.channel_id

    async def ready(self, app: App, channel_id: str) -> None:
        """Come back when the bot hears people, and has read what was said before."""
        await until(lambda: app.registry.health()[channel_id].state is HealthState.ONLINE)
        await app.catch_up.settled()

    @abstractmethod
    def another_bot(self) -> tuple[Any, str]:
        """A second bot of the same app, and what the owner pastes to connect it."""

    # ---- people ----------------------------------------------------------------------------------------------------

    async def owner_of(self, app: App, name: str = "Ada") -> Member:
        """Connect the bot and let its owner in, as people do there."""
        channel_id = await self.connect(app)
        return await self.let_in(app, self.person(channel_id, name))

    def person(self, channel_id: str, name: str) -> Member:
        """Somebody whom nobody let in yet."""
        player = self.pretend.person(name)
        return Member(name, str(player.id), player, player.private_chat(), channel_id)

    async def let_in(self, app: App, member: Member) -> Member:
        """They write to the bot, and the owner says who they are; one line was said in their chat after it."""
        await member.chat.say("It's me.")
        await member.chat.wait_for_answer()
        await app.people.let_in(member.channel_id, member.id, by="console")  # nobody is greeted
        return member

    async def another(self, app: App, owner: Member, name: str) -> Member:
        """Somebody else who was let in."""
        return await self.let_in(app, self.person(owner.channel_id, name))

    # ---- commands --------------------------------------------------------------------------------------------------

    def written(self, words: str) -> str:
        """How a command is written there: `goal x` is `/goal x` or `/conch goal x`."""
        name, _, rest = words.partition(" ")
        return slash_in(self.kind, name, rest)

    async def give(self, chat: Phone, words: str) -> None:
        """Give a command: as the app offers it where it does, and typed where it is none of the app's own."""
        if words.split()[0] in {entry.name for entry in native_menu(self.kind).default}:
            await chat.command(words)
        else:
            await self.type(chat, words)

    async def type(self, chat: Phone, words: str) -> None:
        """Type a command that no menu of the app has."""
        await chat.say(f"/{words}")

    async def asked(self, chat: Phone, words: str) -> Seen:
        """Say something, or with a `/` in front give a command, and come back with what the bot says to it."""
        if words.startswith("/"):
            await self.give(chat, words[1:])
        else:
            await chat.say(words)
        return await chat.wait_for_answer()

    async def told_in_group(self, group: Group, member: Member, words: str) -> str:
        """Give a command in a group so that this bot is meant, and come back with what it says."""
        return str((await self.asked(group.screen(member), f"/{words}")).text)

    async def stop_in(self, talk: Phone) -> None:
        """Stop where something is answered in a group."""
        await self.give(talk, "stop")

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def sees(self, chat: Phone, words: str) -> None:
        """Come back when these words are seen, also while they are written."""
        await chat.wait_for(lambda messages: any(seen.by_bot and words in seen.text for seen in messages))

    def everything_said(self) -> Iterator[str]:
        """All that the bot said anywhere, also before an edit, with what stands on buttons."""
        for message in self._messages():
            sender = message.author if hasattr(message, "author") else message.sender
            if sender is self.pretend.bot:
                for content in (message.content, *message.history):
                    yield repr(content).replace("\\n", " ")

    async def takes_files(self, chat: Phone) -> None:  # noqa: B027 - nothing in most apps
        """Do what a person must do to get a file that the bot made."""

    @abstractmethod
    def _messages(self) -> Iterator[Any]:
        """Every message of the pretend app, in its own shape."""

    # ---- groups ----------------------------------------------------------------------------------------------------

    @abstractmethod
    async def new_group(self, title: str, members: Sequence[Member]) -> Group:
        """A group of these people, into which the bot is brought."""

    async def group(self, app: App, members: Sequence[Member], *, on: bool = True, title: str = "Team") -> Group:
        """The same, known to Conch and turned on unless said otherwise; the first of them is the owner."""
        group = await self.new_group(title, members)
        async with asyncio.timeout(10):
            while not await app.groups.list(members[0].channel_id):  # noqa: ASYNC110 - what is looked at is a picture
                await asyncio.sleep(0)
        if on:
            await Admin(app).switch_group(group.id, members[0].channel_id, True)
        return group


# ---- looking -------------------------------------------------------------------------------------------------------


def finished(message: Seen) -> bool:
    """Whether a bot said it, and it is neither being written nor a sign of that."""
    is_sign = getattr(message, "thinking", False) or getattr(message, "service", None) is not None
    is_sign = is_sign or getattr(message, "streaming", False) or _repeats_a_command(message)
    return bool(message.by_bot) and not is_sign


def said(chat: Phone) -> list[str]:
    """What the bot said in a chat, as the person sees it; without a command that Discord repeats to who picked it."""
    said = [message for message in chat.answers if getattr(message, "service", None) is None]
    return [message.text for message in said if not _repeats_a_command(message)]


def _repeats_a_command(message: Seen) -> bool:
    return getattr(message, "ephemeral", False) and message.text.startswith("/")


def labels(message: Seen) -> list[str]:
    """What can be pressed or picked under a message."""
    return [label for row in message.labels for label in row]


def now(chat: Phone, message: Seen) -> Seen:
    """What a message shows now."""
    return next(seen for seen in chat.messages if seen.id == message.id)


async def pressed(chat: Phone, message: Seen, label: str) -> Seen:
    """Press a button, and come back with the next thing that the bot says."""
    before = len(_finished_in(chat))
    await chat.press(message, label)
    return await next_in(chat, lambda: _finished_in(chat), before)


async def told(chat: Phone, press: Any) -> str:
    """The line that answers a press; it may come a moment after the app has heard that the press arrived."""
    async with asyncio.timeout(5):
        while not (words := (await chat.answer_to(press)).text):  # noqa: ASYNC110 - what is looked at is a picture
            await asyncio.sleep(0.01)
    return words


def _finished_in(chat: Phone) -> list[Seen]:
    return [answer for answer in chat.answers if finished(answer)]


async def next_in(chat: Phone, answers: Callable[[], Sequence[Seen]], before: int) -> Seen:
    return await chat.wait_for(lambda _: next(iter(answers()[before:]), None))


_NAMES: Final = "|".join(command.name for command in registry.COMMANDS)
_BARE: Final = re.compile(rf"(?<![\w/])/({_NAMES})\b")


def wrongly_written(kind: str, words: str) -> bool:
    """Whether a command stands in it as this app does not know it: bare in Slack, or behind `/conch` elsewhere."""
    if kind != "slack":
        return "/conch" in words
    return _BARE.search(words.replace("/conch ", "")) is not None


def int_of(message_id: object) -> int:
    """An id by which messages of one app can be put in order."""
    return int(str(message_id).replace(".", ""))
