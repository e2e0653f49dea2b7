"""A chat as one person has it open: what they see, what they do, and waiting for what comes.

Belongs here: everything that a person can do in a chat with a bot. Nothing a bot does, and no HTTP.
"""

import asyncio
import base64
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from channels.emulators.slack import acting, limits, picking
from channels.emulators.slack.chats import Chat, Content, Message
from channels.emulators.slack.filling import answers_of, seen_form
from channels.emulators.slack.interactions import Press, View
from channels.emulators.slack.mrkdwn import escaped
from channels.emulators.slack.people import Bot, Person
from channels.emulators.slack.seen import SeenAnswer, SeenForm, SeenMessage, seen_message
from channels.emulators.slack.world import World

T = TypeVar("T")
Which = SeenMessage | str
"""A message on the screen, or its id."""

TINY_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""The smallest picture."""

PATIENCE = 5.0
"""Seconds of real time that a wait lasts unless it says otherwise."""

A_MOMENT = 0.1
"""Seconds of real time that a line may come after other signs of an answer."""


class Screen:
    """One person looking at one chat. What they do is a coroutine, as it is for the remote one; looking is not."""

    def __init__(self, world: World, chat: Chat, person: Person) -> None:
        self.world = world
        self.chat = chat
        self.person = person

    # ---- looking ---------------------------------------------------------------------------------------------------

    @property
    def messages(self) -> list[SeenMessage]:
        """What is there now, oldest first, threads among it; also what only this person sees."""
        return [self._seen(m) for m in self.chat.messages.values() if not m.deleted and self._sees(m)]

    @property
    def answers(self) -> list[SeenMessage]:
        """What bots said."""
        return [message for message in self.messages if message.by_bot]

    def in_thread(self, message: Which) -> list[SeenMessage]:
        """A thread: the message that it is under, and what was answered to it."""
        root = self._message(message).root
        return [seen for seen in self.messages if root in (seen.id, seen.thread)]

    def status_in(self, message: Which) -> str | None:
        """What the bot says that it is doing, in the thread of a message."""
        return self.statuses.get(self._message(message).root)

    @property
    def statuses(self) -> dict[str, str]:
        """The same by thread; each is gone after two minutes."""
        now = self.world.clock.monotonic()
        return {ts: words for ts, (words, at) in self.chat.statuses.items() if now - at < limits.STATUS_SECONDS}

    @property
    def home(self) -> SeenForm | None:
        """The Home tab of the bot."""
        view = self.world.interactions.homes.get((self._bot().app_id, self.person.id))
        return seen_form(view, self.world.name_of) if view is not None else None

    # ---- saying ----------------------------------------------------------------------------------------------------

    async def say(self, text: str, *, thread: str | None = None) -> SeenMessage:
        """Write a message; `@Name` of who is here names them."""
        return self._post(Content(self._typed(text)), thread)

    async def paste(self, text: str) -> SeenMessage:
        """Write something long; Slack keeps up to 12,000 characters in one message."""
        return await self.say(text)

    async def mention(self, text: str, *, thread: str | None = None) -> SeenMessage:
        """Write to the bot by its name."""
        return self._post(Content(f"<@{self._bot().id}> {self._typed(text)}"), thread)

    async def reply(self, message: Which, text: str) -> SeenMessage:
        """Answer in the thread of a message."""
        return self._post(Content(self._typed(text)), self._message(message).root)

    async def edit(self, message: Which, text: str) -> SeenMessage:
        """Change one's own words."""
        own = self._own(message)
        self.world.edit(own, Content(self._typed(text), files=own.content.files))
        return self._seen(own)

    async def delete(self, message: Which) -> None:
        """Take one's own message away."""
        self.world.delete(self._own(message))

    async def file(
        self, name: str, data: bytes = b"", caption: str = "", *, size: int | None = None, thread: str | None = None
    ) -> SeenMessage:
        """Send a file; `size` claims another length than it has."""
        kept = self.world.files.put(name, data, self.person.id, size=size)
        return self._post(Content(self._typed(caption), files=[kept]), thread)

    async def photo(self, data: bytes = TINY_PNG, caption: str = "", *, thread: str | None = None) -> SeenMessage:
        """Send a picture."""
        return await self.file("photo.png", data, caption, thread=thread)

    async def album(self, files: Sequence[tuple[str, bytes]], caption: str = "") -> SeenMessage:
        """Send several files with one message."""
        kept = [self.world.files.put(name, data, self.person.id) for name, data in files]
        return self._post(Content(self._typed(caption), files=kept), None)

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def command(self, words: str) -> None:
        """Give a command of the bot's: `goal x` is `/conch goal x`. Nothing of it stands in the chat."""
        await self.slash(sorted(self._bot().commands)[0], words)

    async def slash(self, name: str, words: str = "") -> Press:
        """Type any command, with its slash.

        Raises:
            LookupError: no app here has it; Slack says so itself.
        """
        for bot in self.world.bots:
            if name in bot.commands and (self.chat.private is False or bot.id in self.chat.members):
                self.chat.acts[self.person.id] = self.world.new_ts()
                return acting.command(self.world, self.person, self.chat, bot, name, escaped(words))
        raise LookupError(f"{name} is not a valid command")

    async def press(self, message: Which, label: str, *, stale: bool = False) -> Press:
        """Press what has this label, or pick it in a list. `stale`: also one that an edit took away, on a slow phone.

        Raises:
            LookupError: there is none, or it only opens a link.
        """
        shown = self._message(message, stale=stale)
        contents = [shown.content, *reversed(shown.history)] if stale else [shown.content]
        action = picking.action(contents, [label])
        if action is None:
            raise LookupError(f"nothing {label!r} under {self._seen(shown).labels}")
        return acting.press(self.world, self.person, shown, action)

    async def pick(self, message: Which, labels: Sequence[str]) -> Press:
        """Pick several in a list at once.

        Raises:
            LookupError: no list has them all.
        """
        shown = self._message(message)
        action = picking.action([shown.content], labels)
        if action is None:
            raise LookupError(f"nothing {labels!r} under {self._seen(shown).labels}")
        return acting.press(self.world, self.person, shown, action)

    async def react(self, message: Which, name: str, *, remove: bool = False) -> None:
        """Put an emoji under a message by its name, or take one's own away."""
        self.world.react(self._message(message), self.person, name, added=not remove)

    async def open_home(self, tab: str = "home") -> None:
        """Open the bot's Home tab, or its messages."""
        self.world.open_home(self.chat, self.person, self._bot(), tab)

    async def press_home(self, label: str) -> Press:
        """Press a button of the Home tab.

        Raises:
            LookupError: there is none.
        """
        view = self.world.interactions.homes.get((self._bot().app_id, self.person.id))
        return self._press_in(view, label)

    async def answer_to(self, press: Press, *, timeout: float = PATIENCE) -> SeenAnswer:
        """What a press, a form or a command brought: the line that only this person sees, or what is wrong in a form.

        Comes back once the app has acknowledged it and something came of it, or nothing does for `timeout` seconds. A
        line may be on its way while a message is changed already, so that there is a moment for it.

        Raises:
            LookupError: the app did not acknowledge it; in the words that Slack shows.
        """
        try:
            await self.wait_until(lambda: press.failed or (press.acked and self._came_of(press)), timeout=timeout)
            if press.failed is None and not press.notes and press.view is None:
                await self._line_for(press)
        except TimeoutError:
            if not press.acked:
                raise
        if press.failed is not None:
            raise LookupError(press.failed)
        errors = answers_of(press.view) if press.view is not None else {}
        return SeenAnswer("\n".join(press.notes), errors)

    async def form_of(self, press: Press, *, timeout: float = PATIENCE) -> SeenForm:
        """The form that a press or a command opened.

        Raises:
            TimeoutError: none was opened.
        """
        view = await self.wait_until(lambda: press.view if press.view and press.view.open else None, timeout=timeout)
        return seen_form(view, self.world.name_of)

    async def fill_in(self, form: SeenForm, values: Mapping[str, str | Sequence[str]]) -> Press:
        """Send a form with these values by the fields' labels; what is picked by its label, several as a list.

        Raises:
            LookupError: no such field or option, or the form is not open.
            ValueError: Slack itself would not send it: a field is empty, too long, or no number.
        """
        view = self._open(form)
        return acting.submit(self.world, view, picking.state(view.json, values), self.chat)

    async def press_in(self, form: SeenForm, label: str) -> Press:
        """Press a button in a form.

        Raises:
            LookupError: there is none.
        """
        return self._press_in(self._open(form), label)

    async def close(self, form: SeenForm) -> None:
        """Close a form without sending it."""
        acting.close(self.world, self._open(form))

    # ---- waiting ---------------------------------------------------------------------------------------------------

    async def wait_for(self, condition: Callable[[list[SeenMessage]], T], *, timeout: float = PATIENCE) -> T:
        """Come back once `condition` holds of the messages, with what it gave.

        Raises:
            TimeoutError: naming what was seen instead.
        """
        return await self.wait_until(lambda: condition(self.messages), timeout=timeout)

    async def wait_until(self, condition: Callable[[], T | None], *, timeout: float = PATIENCE) -> T:
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
        """The newest message of a bot, once there are `count` of them since the person last said something.

        A command is something said; an answer that is still being written does not count.
        """

        def answers(messages: list[SeenMessage]) -> list[SeenMessage]:
            last = self.chat.acts.get(self.person.id, "")
            since = [m for m in messages if m.is_answer and m.id > last]
            return since if len(since) >= count else []

        return (await self.wait_for(answers, timeout=timeout))[-1]

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _post(self, content: Content, thread: str | None) -> SeenMessage:
        if len(content.text) > limits.MARKDOWN:
            raise ValueError(f"Slack's app sends no message over {limits.MARKDOWN} characters")
        posted = self.world.post(self.chat, self.person, content, thread=thread)
        self.chat.acts[self.person.id] = posted.ts
        return self._seen(posted)

    def _typed(self, text: str) -> str:
        """What Slack makes of typed words: names become mentions, three signs are escaped."""
        named = {f"@{account.name}": account.id for account in self.chat.members.values()}
        if not named or "@" not in text:
            return escaped(text)
        pattern = re.compile("|".join(re.escape(name) + r"\b" for name in sorted(named, key=len, reverse=True)))
        return pattern.sub(lambda match: f"<@{named[match[0]]}>", escaped(text))

    def _seen(self, message: Message) -> SeenMessage:
        return seen_message(message, self.world.name_of)

    def _sees(self, message: Message) -> bool:
        return message.only_for in (None, self.person.id)

    def _message(self, message: Which, *, stale: bool = False) -> Message:
        found = self.chat.messages.get(message.id if isinstance(message, SeenMessage) else message)
        if found is None or not self._sees(found) or (found.deleted and not stale):
            raise LookupError("that message is not on the screen")
        return found

    def _own(self, message: Which) -> Message:
        found = self._message(message)
        if found.sender.id != self.person.id:
            raise LookupError("one's own messages only")
        return found

    def _bot(self) -> Bot:
        if not self.chat.bots:
            raise LookupError("no bot is here")
        return self.chat.bots[0]

    def _open(self, form: SeenForm) -> View:
        view = self.world.interactions.views.get(form.id)
        if view is None or not view.open or view.person.id != self.person.id:
            raise LookupError("that form is not open")
        return view

    def _press_in(self, view: View | None, label: str) -> Press:
        action = picking.action([Content(blocks=view.json["blocks"])], [label]) if view is not None else None
        if view is None or action is None:
            raise LookupError(f"nothing {label!r} there")
        return acting.press_in_view(self.world, view, action)

    async def _line_for(self, press: Press) -> None:
        with suppress(TimeoutError):
            await self.wait_until(lambda: press.notes, timeout=A_MOMENT)

    def _came_of(self, press: Press) -> bool:
        """Whether its bot said or changed anything since."""
        if press.notes or press.view is not None:
            return True
        since = self.world.journal.after(press.since)
        return any(change.message is not None and change.message.sender is press.bot for _, change in since)


@dataclass(frozen=True)
class Player(Person):
    """Someone whom a test or a playground plays. `bot` is whom they write to unless another is named."""

    world: World = field(kw_only=True, repr=False, compare=False)
    bot: Bot = field(kw_only=True, repr=False, compare=False)

    def private_chat(self, bot: Bot | None = None) -> Screen:
        """Their direct messages with a bot."""
        return Screen(self.world, self.world.private_chat(self, bot or self.bot), self)
