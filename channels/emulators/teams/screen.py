"""A chat as one person has it open: what they see, what they do, and waiting for what comes.

Belongs here: everything that a person can do in a chat with a bot. Nothing a bot does, and no HTTP.
"""

import asyncio
import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from channels.emulators.teams import acting, cards, limits
from channels.emulators.teams.chats import Chat, ChatKind, Content, Message
from channels.emulators.teams.filling import Values
from channels.emulators.teams.people import Bot, Person
from channels.emulators.teams.presses import Press
from channels.emulators.teams.seen import SeenAnswer, SeenForm, SeenMessage, seen_form, seen_message
from channels.emulators.teams.world import World

T = TypeVar("T")
Which = SeenMessage | str
"""A message on the screen, or its id."""

TINY_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""The smallest picture."""

PATIENCE = 5.0
"""Seconds of real time that a wait lasts unless it says otherwise."""


class Screen:
    """One person looking at one chat. What they do is a coroutine, as it is for the remote one; looking is not."""

    def __init__(self, world: World, chat: Chat, person: Person) -> None:
        self.world = world
        self.chat = chat
        self.person = person

    # ---- looking ---------------------------------------------------------------------------------------------------

    @property
    def messages(self) -> list[SeenMessage]:
        """What is there now, oldest first, threads among it."""
        there = [message for message in self.chat.messages.values() if not message.deleted]
        last = there[-1] if there else None
        return [seen_message(m, self.person, chips=m is last and not m.streaming) for m in there]

    @property
    def answers(self) -> list[SeenMessage]:
        """What bots said."""
        return [message for message in self.messages if message.by_bot]

    def in_thread(self, message: Which) -> list[SeenMessage]:
        """A thread of a channel: the message that it is under, and what was answered to it."""
        found = self._message(message)
        root = found.root or found.id
        return [seen for seen in self.messages if root in (seen.id, seen.thread)]

    @property
    def typing(self) -> bool:
        """Whether the bot is shown as typing."""
        since = self.chat.typing_since
        return since is not None and self.world.clock.monotonic() - since < limits.TYPING_SECONDS

    # ---- saying ----------------------------------------------------------------------------------------------------

    async def say(self, text: str, *, thread: str | None = None) -> SeenMessage:
        """Write a message; `@Name` of who is here names them."""
        return self._post(*self._typed(text), thread=thread)

    async def paste(self, text: str) -> SeenMessage:
        """Write something long; Teams takes some 28 KB."""
        return await self.say(text)

    async def command(self, words: str) -> SeenMessage:
        """Give a command as people do: its words, as the command list puts them into the box."""
        return await self.say(words) if self.chat.private else await self.mention(words)

    async def mention(self, text: str, *, thread: str | None = None) -> SeenMessage:
        """Write to the bot by its name."""
        return await self.say(f"@{self._bot().name} {text}", thread=thread)

    async def reply(self, message: Which, text: str) -> SeenMessage:
        """Answer a message: in its thread in a channel, quoting it elsewhere."""
        found = self._message(message)
        if self.chat.kind is ChatKind.CHANNEL:
            return self._post(*self._typed(text), thread=found.root or found.id)
        return self._post(*self._typed(text), reply_to=found.id)

    async def edit(self, message: Which, text: str) -> SeenMessage:
        """Change one's own words."""
        own = self._own(message)
        words, entities = self._typed(text)
        self.world.edit(own, Content(words, own.content.attachments, entities=entities))
        return self._seen(own)

    async def delete(self, message: Which) -> None:
        """Take one's own message away."""
        self.world.delete(self._own(message))

    async def file(self, name: str, data: bytes = b"", caption: str = "", *, size: int | None = None) -> SeenMessage:
        """Send a file; `size` claims another length than it has.

        Raises:
            ValueError: not in a private chat, where bots get no files (bots/how-to/bots-filesv4).
        """
        if not self.chat.private:
            raise ValueError("bots get files in private chats only")
        files = self.world.files
        return self._post(caption, attachments=[files.sent(files.put(name, data, size=size))])

    async def photo(self, data: bytes = TINY_PNG, caption: str = "") -> SeenMessage:
        """Paste a picture."""
        files = self.world.files
        return self._post(caption, attachments=[files.picture(files.put("picture.png", data))])

    async def album(self, files: Sequence[tuple[str, bytes]], caption: str = "") -> SeenMessage:
        """Send several files with one message."""
        store = self.world.files
        return self._post(caption, attachments=[store.sent(store.put(name, data)) for name, data in files])

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Add the bot, which hears of it; there is no other beginning."""
        self.world.act(self.chat, self.person)
        self.world.install(self.chat, self.person, self._bot(), added=True)

    async def remove(self) -> None:
        """Take the bot away."""
        self.world.install(self.chat, self.person, self._bot(), added=False)

    async def block(self, *, blocked: bool = True) -> None:
        """Block the bot, of which it hears only when it writes; or no more."""
        self.chat.blocked = blocked
        self.world.show("blocked" if blocked else "unblocked", self.chat)

    async def press(self, message: Which, label: str, *, stale: bool = False) -> Press:
        """Press what has this label. `stale`: also one that an edit took away, on a slow phone.

        Raises:
            LookupError: there is none, or it only opens a page.
            ValueError: a field of the card must be filled in first; in the words that stand under it.
        """
        shown = self._message(message, stale=stale)
        made = acting.press(self.world, self.person, shown, shown.content_for(self.person), label)
        made = made or self._tap(shown, label)
        for earlier in reversed(shown.history if stale and made is None else ()):
            made = made or acting.press(self.world, self.person, shown, earlier, label)
        if made is None:
            raise LookupError(f"nothing {label!r} under {self._seen(shown).labels}")
        return made

    async def stop_stream(self, message: Which) -> None:
        """Stop an answer that is being written; what stands there stays, and the bot hears of it with its next piece.

        Raises:
            LookupError: it is not being written.
        """
        self.world.stop(self._message(message))

    async def react(self, message: Which, kind: str = "like", *, remove: bool = False) -> None:
        """Put a reaction under a message, or take one's own away."""
        self.world.react(self._message(message), self.person, kind, added=not remove)

    async def answer_to(self, press: Press, *, timeout: float = PATIENCE) -> SeenAnswer:
        """What a press brought: a line that only this person sees, empty where a card came or nothing was said.

        Raises:
            LookupError: the bot did not answer well; in the words that Teams shows.
            TimeoutError: it has not answered yet, and Teams is still waiting.
        """
        await self.wait_until(lambda: press.acked or press.failed, timeout=timeout)
        if press.failed is not None:
            raise LookupError(press.failed)
        return SeenAnswer("\n".join(press.notes))

    async def form_of(self, press: Press, *, timeout: float = PATIENCE) -> SeenForm:
        """The form that a press brought: a card with fields in the message itself, in a later one, or in the card.

        Raises:
            TimeoutError: none came.
        """
        return await self.wait_until(lambda: self._form_since(press), timeout=timeout)

    def form_in(self, message: Which, inside: str = "") -> SeenForm:
        """The card of a message as a form; `inside` is the button that shows a card within it.

        Raises:
            LookupError: there is nothing to fill in.
        """
        found = self._message(message)
        card = self._card(found, inside)
        if card is None or not cards.inputs(card):
            raise LookupError("there is nothing to fill in")
        return seen_form(found, card, inside)

    async def fill_in(self, form: SeenForm, values: Values, *, label: str = "") -> Press:
        """Send a form with these values by the fields' labels; what is picked by its label, several as a list.

        `label` is the button to press instead of the one that sends it.

        Raises:
            LookupError: no such field or option, or the form is not there any more.
            ValueError: Teams itself would not send it; in the words that stand under the field.
        """
        found = self._message(form.id)
        card = self._card(found, form.inside)
        action = cards.main_action(card) if card is not None else None
        if card is not None and label:
            named = cards.action_named(card, label)
            action, card = named if named is not None else (None, card)
        if card is None or action is None:
            raise LookupError("that form is not there any more")
        return acting.act(self.world, self.person, found, action, card, values)

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
        """The newest message of a bot, once there are `count` of them since the person last said or did something.

        An answer that is still being written does not count.
        """

        def answers(messages: list[SeenMessage]) -> list[SeenMessage]:
            last = self.chat.acts.get(self.person.id, 0)
            since = [m for m in messages if m.is_answer and m.number > last]
            return since if len(since) >= count else []

        return (await self.wait_for(answers, timeout=timeout))[-1]

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _post(
        self,
        text: str,
        entities: Sequence[Mapping[str, object]] = (),
        *,
        attachments: Sequence[Mapping[str, object]] = (),
        thread: str | None = None,
        reply_to: str | None = None,
    ) -> SeenMessage:
        content = Content(text, attachments, entities=entities, text_format="plain")
        return self._seen(self.world.post(self.chat, self.person, content, root=thread, reply_to=reply_to))

    def _typed(self, text: str) -> tuple[str, list[dict[str, object]]]:
        """What Teams makes of typed words: names become mentions with an entity each."""
        named = {f"@{account.name}": account for account in self.chat.members.values()}
        if self.chat.private or "@" not in text:
            return text, []
        found: list[dict[str, object]] = []

        def at(match: re.Match[str]) -> str:
            account = named[match[0]]
            words = f"<at>{account.name}</at>"
            found.append({"type": "mention", "text": words, "mentioned": {"id": account.id, "name": account.name}})
            return words

        pattern = re.compile("|".join(re.escape(name) + r"\b" for name in sorted(named, key=len, reverse=True)))
        return pattern.sub(at, text), found

    def _tap(self, shown: Message, label: str) -> Press | None:
        """A suggested action, which is there only under the last message."""
        last = [message for message in self.chat.messages.values() if not message.deleted][-1]
        for action in shown.content.suggested if shown is last else ():
            if action.get("title") == label:
                return acting.suggested(self.world, self.person, shown, action)
        return None

    def _form_since(self, press: Press) -> SeenForm | None:
        """The newest card with fields, if it came or changed after the press."""
        if press.failed is not None:
            raise LookupError(press.failed)
        if press.shown and press.message is not None:
            return self.form_in(press.message.id, press.shown)
        for _, change in reversed(self.world.journal.after(press.since)):
            message = change.message
            if message is None or message.chat is not self.chat or message.deleted or not message.by_bot:
                continue
            card = self._card(message, "")
            if card is not None and cards.inputs(card):
                return seen_form(message, card)
        return None

    def _card(self, message: Message, inside: str) -> Mapping[str, object] | None:
        card = next(iter(cards.cards_of(message.content_for(self.person).attachments)), None)
        if card is None or not inside:
            return card
        found = cards.action_named(card, inside)
        inner: Mapping[str, object] | None = found[0].get("card") if found is not None else None
        return inner

    def _seen(self, message: Message) -> SeenMessage:
        return seen_message(message, self.person)

    def _message(self, message: Which, *, stale: bool = False) -> Message:
        found = self.chat.messages.get(message.id if isinstance(message, SeenMessage) else message)
        if found is None or (found.deleted and not stale):
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


@dataclass(frozen=True)
class Player(Person):
    """A person with a phone in hand, who writes to `bot` unless another is named."""

    world: World = field(kw_only=True, repr=False, compare=False)
    bot: Bot = field(kw_only=True, repr=False, compare=False)

    def private_chat(self, bot: Bot | None = None) -> Screen:
        """Their private chat with a bot, which is added without a word if it is not there yet."""
        chat = self.world.private_chat(self, bot or self.bot)
        chat.installed = True
        return Screen(self.world, chat, self)

    def new_chat(self, bot: Bot | None = None) -> Screen:
        """The same, with a bot that was not added yet: see `Screen.start`."""
        return Screen(self.world, self.world.private_chat(self, bot or self.bot), self)
