"""A chat as one person has it open: what they see, what they do, and waiting for what comes.

Belongs here: everything that a person can do in a chat with a bot. Nothing a bot does, and no HTTP.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, Unpack

from channels.emulators.telegram import limits
from channels.emulators.telegram.chats import Chat, Message, Standing, Thread
from channels.emulators.telegram.content import Content, Media
from channels.emulators.telegram.detection import found
from channels.emulators.telegram.media import media_of
from channels.emulators.telegram.menus import Command
from channels.emulators.telegram.people import Bot, Person
from channels.emulators.telegram.pictures import TINY_PNG
from channels.emulators.telegram.presses import Press
from channels.emulators.telegram.seen import (
    DATA,
    SeenAnswer,
    SeenButton,
    SeenDraft,
    SeenMessage,
    seen_draft,
    seen_message,
)
from channels.emulators.telegram.text import Entity, Formatted, settle, units
from channels.emulators.telegram.world import About, World

T = TypeVar("T")
Which = SeenMessage | int
"""A message on the screen, or its id."""

PATIENCE = 5.0
"""Seconds of real time that a wait lasts unless it says otherwise."""

_PAYLOAD = re.compile(r"[A-Za-z0-9_-]{0,64}")


class Screen:
    """One person looking at one chat. What they do is a coroutine, as it is for the remote one; looking is not."""

    def __init__(self, world: World, chat: Chat, person: Person) -> None:
        self.world = world
        self.chat = chat
        self.person = person

    # ---- looking ---------------------------------------------------------------------------------------------------

    @property
    def messages(self) -> list[SeenMessage]:
        """What is there now, oldest first; without what was deleted."""
        return [seen_message(message) for message in self.chat.messages.values() if not message.deleted]

    def in_topic(self, thread: Thread) -> list[SeenMessage]:
        """The same, of one topic; None is the general one."""
        return [message for message in self.messages if message.thread == thread]

    @property
    def answers(self) -> list[SeenMessage]:
        """What bots said."""
        return [message for message in self.messages if message.by_bot]

    @property
    def draft(self) -> SeenDraft | None:
        """The answer that is being written."""
        return self.draft_in(None)

    def draft_in(self, thread: Thread) -> SeenDraft | None:
        """The same, in a topic; gone 30 seconds after its last word."""
        draft = self.chat.drafts.get(thread)
        if draft is None or self.world.clock.monotonic() - draft.at >= limits.DRAFT_SECONDS:
            return None
        return seen_draft(draft)

    @property
    def action(self) -> str | None:
        """What the bot is doing: `typing`, `upload_photo` …; gone after 5 seconds."""
        return self.action_in(None)

    def action_in(self, thread: Thread) -> str | None:
        """The same, in a topic."""
        action, since = self.chat.actions.get(thread, ("", float("-inf")))
        fresh = self.world.clock.monotonic() - since < limits.ACTION_SECONDS
        return action if fresh else None

    @property
    def menu(self) -> tuple[Command, ...]:
        """The commands that the person finds behind the menu button; of the first bot that has any."""
        for bot in self._bots():
            commands = bot.menus.seen_by(
                self.person.id,
                self.chat.id,
                private=self.chat.private,
                admin=self.person.id in self.chat.admins,
                language=self.person.language_code or "",
            )
            if commands:
                return commands
        return ()

    def button(self, message: Which, label: str, *, stale: bool = False) -> SeenButton:
        """A button by what stands on it. `stale`: also one that an edit took away, as on a slow phone.

        Raises:
            LookupError: no such button.
        """
        shown = self._message(message, stale=stale)
        contents = [shown.content, *reversed(shown.history)] if stale else [shown.content]
        for content in contents:
            for row in seen_message(shown, content).buttons:
                for button in row:
                    if button.label == label:
                        return button
        raise LookupError(f"no button {label!r} under {seen_message(shown).labels}")

    # ---- saying ----------------------------------------------------------------------------------------------------

    async def say(self, text: str, *, thread: Thread = None, entities: Sequence[Entity] = ()) -> SeenMessage:
        """Write a message; `entities` are what the person formatted."""
        return self._post(Content(_written(text, entities)), thread=thread)

    async def paste(self, text: str) -> list[SeenMessage]:
        """Write more than fits into one message; the app sends it in pieces of 4096 units."""
        return [self._post(Content(_written(piece))) for piece in _pieces(text)]

    async def start(self, payload: str = "") -> SeenMessage:
        """Press Start, or follow a link `t.me/bot?start=payload`.

        Raises:
            ValueError: a payload that Telegram does not carry (over 64 characters, or others than A-Z a-z 0-9 _ -).
        """
        if not _PAYLOAD.fullmatch(payload):
            raise ValueError("a start link carries at most 64 of A-Z a-z 0-9 _ -")
        return await self.say(f"/start {payload}".rstrip())

    async def command(self, words: str) -> SeenMessage:
        """Type a command: `goal Learn Spanish` as `/goal Learn Spanish`."""
        return await self.say(f"/{words}")

    async def mention(self, text: str, *, thread: Thread = None) -> SeenMessage:
        """Write to the bot of a group by its name, in front of the text."""
        return await self.say(f"@{self._bots()[0].username} {text}", thread=thread)

    async def reply(self, message: Which, text: str, *, quote: str | None = None) -> SeenMessage:
        """Answer a message, or a part of it.

        Raises:
            ValueError: the quote is not in the message.
        """
        replied = self._message(message)
        quoted = None
        if quote is not None:
            place = replied.content.text.text.index(quote)
            position = units(replied.content.text.text[:place])
            quoted = {"text": quote, "position": position, "is_manual": True}
        return self._post(Content(_written(text)), reply_to=replied, quote=quoted, thread=replied.thread)

    async def forward(self, text: str, *, of: "Person | str") -> SeenMessage:
        """Pass on what someone else wrote: a person, or someone who hides behind their name."""
        date = int(self.world.clock.now().timestamp())
        origin: dict[str, object] = {"date": date}
        if isinstance(of, Person):
            origin |= {"type": "user", "sender_user": of.user}
        else:
            origin |= {"type": "hidden_user", "sender_user_name": of}
        return self._post(Content(_written(text)), forward_origin=origin)

    async def edit(self, message: Which, text: str) -> SeenMessage:
        """Change one's own words."""
        shown = self._message(message)
        self.world.edit(shown, Content(_written(text), media=shown.content.media))
        return seen_message(shown)

    async def delete(self, message: Which) -> None:
        """Take a message away for everyone."""
        self.world.delete(self._message(message))

    async def photo(self, data: bytes = TINY_PNG, caption: str = "", *, thread: Thread = None) -> SeenMessage:
        """Send a picture."""
        return self._post(self._with_file("photo", "photo.jpg", data, caption), thread=thread)

    async def file(
        self, name: str, data: bytes = b"", caption: str = "", *, size: int | None = None, thread: Thread = None
    ) -> SeenMessage:
        """Send a file; `size` claims more bytes than there are, for one too large to hold."""
        return self._post(self._with_file("document", name, data, caption, size=size), thread=thread)

    async def voice(self, data: bytes, *, duration: int = 1) -> SeenMessage:
        """Send a voice note; `duration` in seconds."""
        return self._post(Content(media=self._media("voice", "voice.ogg", data, duration=duration)))

    async def music(self, name: str, data: bytes, caption: str = "") -> SeenMessage:
        """Send a piece of music."""
        return self._post(self._with_file("audio", name, data, caption))

    async def video(self, name: str, data: bytes, caption: str = "") -> SeenMessage:
        """Send a film."""
        return self._post(self._with_file("video", name, data, caption))

    async def album(self, files: Sequence[tuple[str, bytes]], caption: str = "") -> list[SeenMessage]:
        """Send several pictures or files as one; the words stand under the first."""
        album = self.world.new_album()
        sent = []
        for place, (name, data) in enumerate(files):
            kind = "photo" if name.lower().endswith((".png", ".jpg", ".jpeg")) else "document"
            content = self._with_file(kind, name, data, caption if place == 0 else "")
            sent.append(self._post(content, album=album))
        return sent

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def press(self, message: Which, label: str, *, stale: bool = False) -> Press:
        """Press a button that sends something to the bot.

        Raises:
            LookupError: no such button, or one that opens a link or copies.
        """
        button = self.button(message, label, stale=stale)
        if button.does != DATA:
            raise LookupError(f"{label!r} sends nothing; it would {button.does} {button.value!r}")
        pressed = self._message(message, stale=stale)
        bot = pressed.sender
        if not isinstance(bot, Bot):
            raise LookupError("buttons stand under a bot's messages")
        press = self.world.presses.add(self.person, pressed, bot, button.value)
        self.world.tell_press(press)
        return press

    async def answer_to(self, press: Press, *, timeout: float = PATIENCE) -> SeenAnswer:
        """What the bot's answer to a press showed.

        Raises:
            TimeoutError: the bot did not answer.
        """
        async with asyncio.timeout(timeout):
            await press.answered.wait()
        answer = press.answer
        return SeenAnswer(answer.text, answer.alert) if answer is not None else SeenAnswer("", alert=False)

    async def react(self, message: Which, emoji: str | None) -> None:
        """Put an emoji under a message, or take one's own away."""
        self.world.react(self._message(message), self.person, emoji)

    async def block(self) -> None:
        """Stop the bot of a private chat."""
        self._set_blocked(blocked=True)

    async def unblock(self) -> None:
        """Let it write again."""
        self._set_blocked(blocked=False)

    # ---- waiting ---------------------------------------------------------------------------------------------------

    async def wait_for(self, condition: Callable[[list[SeenMessage]], T], *, timeout: float = PATIENCE) -> T:
        """Come back once `condition` holds of the messages, with what it gave.

        Raises:
            TimeoutError: naming what was seen instead.
        """
        return await self.wait_until(lambda: condition(self.messages), timeout=timeout)

    async def wait_until(self, condition: Callable[[], T], *, timeout: float = PATIENCE) -> T:
        """The same for anything on the screen; looked at again with every change anywhere."""
        try:
            async with asyncio.timeout(timeout):
                while True:
                    since = self.world.journal.last
                    if value := condition():
                        return value
                    await self.world.journal.changed(since)
        except TimeoutError:
            shown = [f"{message.sender}: {message.text!r} {message.labels or ''}" for message in self.messages]
            raise TimeoutError("waited in vain; seen: " + " | ".join(shown)) from None

    async def wait_for_answer(self, count: int = 1, *, timeout: float = PATIENCE) -> SeenMessage:
        """The newest message of a bot, once there are `count` of them since the person last said something."""

        def answers(messages: list[SeenMessage]) -> list[SeenMessage]:
            own = [message.id for message in messages if message.sender_id == self.person.id]
            since = [m for m in messages if m.by_bot and m.service is None and m.id > max(own, default=0)]
            return since if len(since) >= count else []

        return (await self.wait_for(answers, timeout=timeout))[-1]

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _post(self, content: Content, **about: Unpack[About]) -> SeenMessage:
        return seen_message(self.world.post(self.chat, self.person, content, **about))

    def _message(self, message: Which, *, stale: bool = False) -> Message:
        found_message = self.chat.messages.get(message.id if isinstance(message, SeenMessage) else message)
        if found_message is None or (found_message.deleted and not stale):
            raise LookupError("that message is not on the screen")
        return found_message

    def _bots(self) -> list[Bot]:
        bots = self.world.bots_in(self.chat)
        if not bots and self.chat.bot is not None:
            return [self.chat.bot]
        return bots

    def _with_file(self, kind: str, name: str, data: bytes, caption: str, *, size: int | None = None) -> Content:
        return Content(_written(caption), media=self._media(kind, name, data, size=size))

    def _media(self, kind: str, name: str, data: bytes, *, size: int | None = None, duration: int = 0) -> Media:
        stored = self.world.files.put(kind, name, data, size=size)
        return media_of(self.world.files, stored, {"duration": duration})

    def _set_blocked(self, *, blocked: bool) -> None:
        bot = self.chat.bot
        if bot is None:
            raise LookupError("a bot is blocked in its private chat")
        if self.chat.blocked == blocked:
            return
        self.chat.blocked = blocked
        standings = (Standing.MEMBER, Standing.KICKED)
        old, new = standings if blocked else reversed(standings)
        self.world.tell_standing(self.chat, bot, self.person, old, new)
        self.world.show("blocked" if blocked else "unblocked", self.chat)


@dataclass(frozen=True)
class Player(Person):
    """Someone whom a test or a playground plays. `bot` is whom they write to unless another is named."""

    world: World = field(kw_only=True, repr=False, compare=False)
    bot: Bot = field(kw_only=True, repr=False, compare=False)

    def private_chat(self, bot: Bot | None = None) -> Screen:
        """Their chat with a bot. Before they wrote in it, the bot cannot."""
        return Screen(self.world, self.world.private_chat(self, bot or self.bot), self)


def _pieces(text: str) -> list[str]:
    encoded = text.encode("utf-16-le")
    pieces: list[str] = []
    place = 0
    while place < len(encoded):
        end = min(place + 2 * limits.TEXT_UNITS, len(encoded))
        if 0xD8 <= encoded[end - 1] <= 0xDB and end < len(encoded):
            end -= 2
        pieces.append(encoded[place:end].decode("utf-16-le"))
        place = end
    return pieces


def _written(text: str, entities: Sequence[Entity] = ()) -> Formatted:
    settled = settle(text, entities)
    if units(settled.text) > limits.TEXT_UNITS:
        raise ValueError(f"an app splits what is longer than {limits.TEXT_UNITS} before it sends it")
    return Formatted(settled.text, (*settled.entities, *found(settled.text, settled.entities)))
