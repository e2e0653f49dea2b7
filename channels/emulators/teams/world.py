"""The pretend Teams's state: who there is, which rooms, and what happens when something is said or changed.

Belongs here: finding people and rooms with Teams's refusals, and the few ways in which a room changes. Every change is
journalled for whoever watches a screen, and a bot that may hear of it is told. How a bot asks for it belongs to
`connector`, how a person does to `screen`.
"""

import itertools
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from channels.emulators.clock import Clock
from channels.emulators.faults import Faults
from channels.emulators.journal import Journal
from channels.emulators.teams import payloads
from channels.emulators.teams.chats import THREAD_MARK, Chat, ChatKind, Content, Message
from channels.emulators.teams.deliveries import Deliveries
from channels.emulators.teams.errors import ApiError
from channels.emulators.teams.files import FileStore
from channels.emulators.teams.keys import Key
from channels.emulators.teams.people import Account, Bot, Person
from channels.emulators.teams.presses import Press, Presses
from channels.emulators.teams.tokens import Tokens

JOURNAL_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class Change:
    """Something that changed on a screen. `content` is what `message` said at that moment."""

    kind: str
    chat: Chat | None = None
    message: Message | None = None
    content: Content | None = None
    detail: Mapping[str, Any] | None = None


class World:
    """Everything that there is. One event loop, no locks."""

    def __init__(self, clock: Clock, faults: Faults, *, strict: bool = True, key: Key | None = None) -> None:
        self.clock = clock
        self.strict = strict
        self.tokens = Tokens(key)
        self.presses = Presses()
        self.files = FileStore()
        self.problems: list[str] = []
        """What was wrong with activities of ours, and with answers to invokes, of which nobody is told in truth."""
        self.journal: Journal[Change] = Journal(JOURNAL_ENTRIES)
        self._order = itertools.count(1)
        self.deliveries = Deliveries(clock, self.tokens, faults, self.next_order)
        self.deliveries.changed = self.journal.wake
        self.accounts: dict[str, Account] = {}
        self.chats: dict[str, Chat] = {}
        self._private: dict[tuple[str, str], Chat] = {}
        self._numbers = itertools.count(1)
        self._last_ms = 0

    # ---- who there is ----------------------------------------------------------------------------------------------

    @property
    def bots(self) -> list[Bot]:
        """Every bot."""
        return [account for account in self.accounts.values() if isinstance(account, Bot)]

    @property
    def people(self) -> list[Person]:
        """Every person."""
        return [account for account in self.accounts.values() if isinstance(account, Person)]

    def next_order(self) -> int:
        """A number later than every one before, for calls and deliveries alike."""
        return next(self._order)

    def new_id(self) -> str:
        """An id of an activity: the time in milliseconds, later than every one before."""
        self._last_ms = max(self._last_ms + 1, int(self.clock.now().timestamp() * 1000))
        return str(self._last_ms)

    def bot_with(self, app_id: str) -> Bot | None:
        """A bot by its app id."""
        return next((bot for bot in self.bots if bot.app_id == app_id), None)

    def private_chat(self, person: Person, bot: Bot) -> Chat:
        """Their private chat; the bot is not installed before somebody says so."""
        key = (bot.id, person.id)
        if key not in self._private:
            chat = Chat(f"a:1{secrets.token_urlsafe(32)}", ChatKind.PERSONAL, members={person.id: person, bot.id: bot})
            self._private[key] = self.chats[chat.id] = chat
        return self._private[key]

    def add_chat(self, title: str, kind: ChatKind) -> Chat:
        """An empty group chat, or a channel of a team of its own."""
        ending = "@thread.tacv2" if kind is ChatKind.CHANNEL else "@thread.v2"
        chat = Chat(f"19:{uuid.uuid4().hex}{ending}", kind, title)
        if kind is ChatKind.CHANNEL:
            chat.team = f"19:{uuid.uuid4().hex}{ending}"
        self.chats[chat.id] = chat
        return chat

    # ---- what a bot can reach --------------------------------------------------------------------------------------

    def chat_to_read(self, bot: Bot, conversation_id: str) -> tuple[Chat, str | None]:
        """The room that a bot names, and the thread in it.

        Raises:
            ApiError: there is none, or the bot is not in it.
        """
        chat_id, _, root = conversation_id.partition(THREAD_MARK)
        chat = self.chats.get(chat_id)
        if chat is None or (chat.private and bot.id not in chat.members):
            raise ApiError("ConversationNotFound")
        if bot.id not in chat.members or not chat.installed:
            raise ApiError("BotNotInConversationRoster")
        if root and root not in chat.messages:
            raise ApiError("ConversationNotFound")
        return chat, root or None

    def chat_to_write(self, bot: Bot, conversation_id: str) -> tuple[Chat, str | None]:
        """The same, for saying something in it.

        Raises:
            ApiError: also where the person blocked the bot.
        """
        chat, root = self.chat_to_read(bot, conversation_id)
        if chat.blocked:
            raise ApiError("ConversationBlockedByUser")
        return chat, root

    # ---- what happens ----------------------------------------------------------------------------------------------

    def post(
        self,
        chat: Chat,
        sender: Account,
        content: Content,
        *,
        root: str | None = None,
        reply_to: str | None = None,
        streaming: bool = False,
    ) -> Message:
        """Say something, or begin to. A bot that may hear it is told, unless a bot said it."""
        message = Message(self.new_id(), next(self._numbers), chat, sender, content, root, reply_to)
        message.streaming = streaming
        chat.messages[message.id] = message
        if isinstance(sender, Bot):
            chat.typing_since = None
        else:
            chat.acts[sender.id] = message.number
        self.journal.append(Change("message", chat, message, content))
        self._tell(message, "message")
        return message

    def act(self, chat: Chat, person: Person) -> None:
        """Somebody did something that leaves no message."""
        chat.acts[person.id] = next(self._numbers)

    def note(self, chat: Chat, sender: Account, words: str) -> Message:
        """What Teams itself says in a room; bots do not hear it."""
        message = Message(self.new_id(), next(self._numbers), chat, sender, Content(words), service="note")
        chat.messages[message.id] = message
        self.journal.append(Change("message", chat, message, message.content))
        return message

    def edit(self, message: Message, content: Content, *, mark: bool = True) -> None:
        """Change what a message says; `mark` shows that it was."""
        message.history.append(message.content)
        message.content = content
        message.cards.clear()
        message.edited = message.edited or mark
        self.journal.append(Change("edited", message.chat, message, content))
        self._tell(message, "messageUpdate")

    def write_on(self, message: Message, content: Content) -> None:
        """Show more of a message that is being written."""
        message.content = content
        self.journal.append(Change("edited", message.chat, message, content))

    def stop(self, message: Message, why: str = "Content stream was canceled by user.") -> None:
        """Take nothing more of a message that is being written; what stands there stays.

        Raises:
            LookupError: it is not being written.
        """
        if not message.streaming:
            raise LookupError("that is not being written")
        message.streaming, message.informative, message.stopped = False, "", why
        self.write_on(message, message.content)

    def replace_card(self, message: Message, person: Person, card: Mapping[str, Any]) -> None:
        """Show one person another card in its place; in a private chat that is everybody."""
        message.history.append(message.content_for(person))
        message.cards[person.id] = card
        self.journal.append(Change("edited", message.chat, message, message.content_for(person)))

    def delete(self, message: Message) -> None:
        """Take a message away."""
        message.deleted = True
        self.journal.append(Change("deleted", message.chat, message, message.content))
        self._tell(message, "messageDelete")

    def react(self, message: Message, person: Person, kind: str, *, added: bool) -> None:
        """Put a reaction under a message or take one's own away; the bot hears of those under its own."""
        who = [user for user in message.reactions.get(kind, []) if user != person.id]
        message.reactions[kind] = [*who, person.id] if added else who
        if not message.reactions[kind]:
            del message.reactions[kind]
        detail = {"message": message.id, "reaction": kind, "added": added}
        self.journal.append(Change("reaction", message.chat, message, message.content_for(person), detail))
        if isinstance(message.sender, Bot):
            bot, at = message.sender, self.clock.now()
            self.deliveries.tell(bot, payloads.reaction(message, person, bot, kind, self.new_id(), at, added=added))

    def install(self, chat: Chat, person: Person, bot: Bot, *, added: bool) -> None:
        """Put a bot into a room, or take it away; it hears of both."""
        at = self.clock.now()
        if added:
            chat.members[bot.id], chat.installed = bot, True
        ids = [bot.id, person.id] if added and chat.private else [bot.id]
        self.deliveries.tell(bot, payloads.members(chat, person, bot, ids, self.new_id(), at, added=added))
        self.deliveries.tell(bot, payloads.installation(chat, person, bot, self.new_id(), at, added=added))
        if not added:
            chat.installed = False
            if not chat.private:
                del chat.members[bot.id]
        self.show("installed" if added else "removed", chat)

    def come(self, chat: Chat, person: Person, *, came: bool) -> None:
        """Somebody comes into a room or goes; bots there hear of it."""
        if came:
            chat.members[person.id] = person
        for bot in chat.bots:
            told = payloads.members(chat, person, bot, [person.id], self.new_id(), self.clock.now(), added=came)
            self.deliveries.tell(bot, told)
        if not came:
            del chat.members[person.id]
        self.show("came" if came else "went", chat)

    def show(self, kind: str, chat: Chat | None = None, **detail: Any) -> None:  # noqa: ANN401 JSON is anything
        """Journal what is on a screen without being a message: typing, an answer to a press."""
        self.journal.append(Change(kind, chat, detail=detail or None))

    def pressed(self, press: Press) -> None:
        """Write down that somebody pressed something."""
        self.act(press.chat, press.person)
        self.presses.keep(press)
        self.show("press", press.chat, press=press.id)

    def _tell(self, message: Message, kind: str) -> None:
        if not isinstance(message.sender, Person):
            return
        for bot in message.chat.bots:
            if message.chat.installed and (message.chat.private or _names(message, bot)):
                at = self.clock.now()
                self.deliveries.tell(bot, payloads.message(message, message.sender, bot, at, kind=kind))


def _names(message: Message, bot: Bot) -> bool:
    """In rooms with others, a bot hears what names it and nothing else."""
    return any(entity.get("mentioned", {}).get("id") == bot.id for entity in message.content.entities)
