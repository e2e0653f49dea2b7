"""A channel as one person has it open: what they do there, beside what they see.

Belongs here: everything that a person can do in a channel with a bot. Nothing a bot does, and no HTTP. Looking and
waiting belong to `view`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

from channels.emulators.discord import components as parts
from channels.emulators.discord import limits
from channels.emulators.discord.files import TINY_PNG, stored
from channels.emulators.discord.interactions import (
    AUTOCOMPLETE,
    COMMAND,
    COMPONENT,
    MODAL,
    OPEN_FORM,
    SUGGEST,
    Interaction,
)
from channels.emulators.discord.menus import filled, option_value, typed
from channels.emulators.discord.modals import Given, seen_form, submission
from channels.emulators.discord.people import Bot, Person
from channels.emulators.discord.places import HAS_THREAD, LOADING, TEXT, Attachment, Content, Message
from channels.emulators.discord.seen import PICK, URL, SeenAnswer, SeenButton, SeenForm, SeenMessage
from channels.emulators.discord.view import PATIENCE, View, Which
from channels.emulators.discord.world import About, World


class Screen(View):
    """One person using one channel. What they do is a coroutine, as it is for the remote one; looking is not."""

    def in_thread(self, message: Which) -> "Screen":
        """The thread under a message, opened.

        Raises:
            LookupError: there is none.
        """
        thread = self.world.channels.get(self._message(message).id)
        if thread is None:
            raise LookupError("no thread hangs under that message")
        return Screen(self.world, thread, self.person)

    # ---- saying ----------------------------------------------------------------------------------------------------

    async def say(self, text: str) -> SeenMessage:
        """Write a message; `<@id>` names someone.

        Raises:
            ValueError: over 2000 characters, which the app does not send.
        """
        return self._post(Content(text.strip()))

    async def mention(self, text: str) -> SeenMessage:
        """Write to the bot of a server by its name, in front of the text."""
        return await self.say(f"<@{self._bots()[0].id}> {text}")

    async def reply(self, message: Which, text: str, *, ping: bool = True) -> SeenMessage:
        """Answer a message; with `ping`, as the app has it from the start, its author's phone rings."""
        allowed = {"parse": ["users", "roles", "everyone"], "replied_user": ping}
        return self._post(Content(text.strip()), allowed, reply_to=self._message(message))

    async def open_thread(self, message: Which, name: str) -> "Screen":
        """Open a thread under a message of a server.

        Raises:
            LookupError: there is one, or this is a private chat or a thread itself.
        """
        shown = self._message(message)
        if self.channel.kind != TEXT or shown.flags & HAS_THREAD:
            raise LookupError("no thread can be opened there")
        return Screen(self.world, self.world.open_thread(shown, name, self.person), self.person)

    async def edit(self, message: Which, text: str) -> SeenMessage:
        """Change one's own words."""
        shown = self._message(message)
        self.world.edit(shown, Content(text.strip(), attachments=shown.content.attachments))
        return self._seen(shown)

    async def delete(self, message: Which) -> None:
        """Take a message away for everyone."""
        self.world.delete(self._message(message))

    async def photo(self, data: bytes = TINY_PNG, caption: str = "") -> SeenMessage:
        """Send a picture."""
        return await self.file("photo.png", data, caption)

    async def file(self, name: str, data: bytes = b"", caption: str = "", *, size: int | None = None) -> SeenMessage:
        """Send a file; `size` claims more bytes than there are, for one too large to hold."""
        return self._post(Content(caption.strip(), attachments=(self._file(name, data, size),)))

    async def album(self, files: Sequence[tuple[str, bytes]], caption: str = "") -> SeenMessage:
        """Send several files under one message."""
        attachments = tuple(self._file(name, data) for name, data in files)
        return self._post(Content(caption.strip(), attachments=attachments))

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def command(self, words: str) -> None:
        """Pick a command and fill in what it asks for from the words after its name: `goal Learn Spanish`.

        Raises:
            LookupError: there is no such command, or it cannot be sent like this.
        """
        name, _, rest = words.partition(" ")
        bot, command = self._command(name)
        self._send_command(bot, command, filled(command, rest.strip()))

    async def pick(self, name: str, **options: object) -> Interaction:
        """The same with each option by its name; gives what `answer_to` takes.

        Raises:
            LookupError: there is no such command or option.
        """
        bot, command = self._command(name)
        known = {option["name"]: option for option in command.get("options") or []}
        for option in options:
            if option not in known:
                raise LookupError(f"/{name} has no {option!r}")
        values = [option_value(known[option], value) for option, value in options.items()]
        return self._send_command(bot, command, values)

    async def suggestions(self, name: str, option: str, typed: str, *, timeout: float = PATIENCE) -> list[str]:
        """What a bot suggests for an option while it is typed.

        Raises:
            LookupError: there is no such command, or the bot did not answer in time.
        """
        bot, command = self._command(name)
        known = {o["name"]: o for o in command.get("options") or []}
        focused = {"name": option, "type": known[option]["type"], "value": typed, "focused": True}
        data = {"id": command["id"], "name": name, "type": 1, "options": [focused]}
        asked = self._interact(AUTOCOMPLETE, bot, data)
        await self._answered(asked, timeout)
        return [choice["name"] for choice in asked.suggestions] if asked.answer == SUGGEST else []

    async def press(self, message: Which, label: str, *, stale: bool = False) -> Interaction:
        """Press a button, or pick an option of a list.

        Raises:
            LookupError: there is none, it is grey, or it opens a link.
        """
        button = self.button(message, label, stale=stale)
        if button.does == URL:
            raise LookupError(f"{label!r} sends nothing; it would open {button.value!r}")
        values = [button.value] if button.does == PICK else None
        return self._press(self._message(message, stale=stale), button, values)

    async def choose(self, message: Which, labels: Sequence[str]) -> Interaction:
        """Pick several options of one list.

        Raises:
            LookupError: they are not all in one list.
        """
        buttons = [self.button(message, label) for label in labels]
        if len({button.custom_id for button in buttons}) != 1 or buttons[0].does != PICK:
            raise LookupError(f"{list(labels)} are not of one list")
        return self._press(self._message(message), buttons[0], [button.value for button in buttons])

    async def answer_to(self, press: Interaction, *, timeout: float = PATIENCE) -> SeenAnswer:
        """What the bot's answer showed to this person alone.

        Raises:
            LookupError: the bot did not answer within 3 seconds: "This interaction failed".
            TimeoutError: `timeout` was over before that.
        """
        await self._answered(press, timeout)
        said = press.original
        if said is not None and said.flags & LOADING:
            await self.wait_until(lambda: said.deleted or not said.flags & LOADING, timeout=timeout)
        whispers = press.whispers or ([said] if said is not None and said.only_for is self.person else [])
        shown = [m for m in whispers if not m.deleted and m is not press.message]
        return SeenAnswer("\n".join(self._seen(message).text for message in shown))

    async def form_of(self, press: Interaction, *, timeout: float = PATIENCE) -> SeenForm:
        """The form that a press or command opened.

        Raises:
            TimeoutError: none was opened.
        """
        try:
            await self._answered(press, timeout)
        except LookupError as error:
            raise TimeoutError(str(error)) from None
        if press.answer != OPEN_FORM:
            raise TimeoutError("the answer was no form")
        return seen_form(press)

    async def fill_in(self, form: SeenForm | Interaction, values: Mapping[str, Given]) -> Interaction:
        """Send a form with these values by the fields' labels.

        Raises:
            LookupError: no such field, or the app would not send it like this.
        """
        opened = form if isinstance(form, Interaction) else self.world.interactions.known(form.id)
        data = submission(opened, values)
        return self._interact(MODAL, opened.bot, data, opened.message)

    async def react(self, message: Which, emoji: str, *, on: bool = True) -> None:
        """Put an emoji under a message, or take one's own away."""
        self.world.react(self._message(message), self.person, emoji, on=on)

    async def block(self) -> None:
        """Take no private messages of the bot any more."""
        self.person.closed_to.update(bot.id for bot in self._bots())

    async def unblock(self) -> None:
        """Take them again."""
        self.person.closed_to.difference_update(bot.id for bot in self._bots())

    # ---- inside ----------------------------------------------------------------------------------------------------

    def _post(self, content: Content, allowed: Mapping[str, Any] | None = None, **about: Unpack[About]) -> SeenMessage:
        if len(content.text) > limits.CONTENT:
            raise ValueError(f"the app sends at most {limits.CONTENT} characters")
        message = self.world.post(self.channel, self.person, content, allowed, **about)
        self.channel.acts[self.person.id] = message.id
        return self._seen(message)

    def _file(self, name: str, data: bytes, size: int | None = None) -> Attachment:
        return stored(self.world.ids, name, data, size=size)

    def _send_command(self, bot: Bot, command: dict[str, Any], options: list[dict[str, Any]]) -> Interaction:
        data: dict[str, Any] = {"id": command["id"], "name": command["name"], "type": command["type"]}
        if options:
            data["options"] = options
        if "guild_id" in command:
            data["guild_id"] = command["guild_id"]
        sent = self._interact(COMMAND, bot, data)
        self.channel.acts[self.person.id] = sent.id
        self.channel.asked[self.person.id] = typed(command, options)
        return sent

    def _press(self, message: Message, button: SeenButton, values: list[str] | None) -> Interaction:
        if button.disabled:
            raise LookupError(f"{button.label!r} is grey")
        bot = message.author
        if not isinstance(bot, Bot):
            raise LookupError("buttons stand under a bot's messages")
        kind = parts.BUTTON if values is None else parts.SELECT
        data: dict[str, Any] = {"custom_id": button.custom_id, "component_type": kind, "id": 1}
        if values is not None:
            data["values"] = values
        return self._interact(COMPONENT, bot, data, message)

    def _interact(self, kind: int, bot: Bot, data: dict[str, Any], message: Message | None = None) -> Interaction:
        made = self.world.interactions.add(self.world.ids.next(), kind, bot, self.person, self.channel, data, message)
        self.world.interact(made)
        return made


@dataclass(eq=False)
class Player(Person):
    """Someone whom a test or a playground plays. `bot` is whom they write to unless another is named."""

    world: World = field(kw_only=True, repr=False)
    bot: Bot = field(kw_only=True, repr=False)

    def private_chat(self, bot: Bot | None = None) -> Screen:
        """Their private chat with a bot."""
        return Screen(self.world, self.world.private_chat(self, bot or self.bot), self)
