"""The pretend Slack's state: who there is, which rooms, and what happens when something is said or changed.

Belongs here: finding people and rooms with Slack's refusals, and the few ways in which a room changes. Every change is
journalled for whoever watches a screen, and every app that may hear of it is told. How a bot asks for it belongs to
`methods`, how a person does to `screen`.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from channels.emulators.clock import Clock
from channels.emulators.faults import Faults
from channels.emulators.journal import Journal
from channels.emulators.slack import events
from channels.emulators.slack.chats import Chat, ChatKind, Content, Message
from channels.emulators.slack.deliveries import Deliveries
from channels.emulators.slack.envelopes import Order
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.files import FileStore
from channels.emulators.slack.interactions import Interactions
from channels.emulators.slack.people import Account, Bot, Person

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

    def __init__(self, clock: Clock, faults: Faults, *, strict: bool = True) -> None:
        self.clock = clock
        self.strict = strict
        self.order = Order()
        self.files = FileStore()
        self.interactions = Interactions(clock)
        self.journal: Journal[Change] = Journal(JOURNAL_ENTRIES)
        self.deliveries = Deliveries(clock, self.order, faults, self.journal.wake)
        self.accounts: dict[str, Account] = {}
        self.chats: dict[str, Chat] = {}
        self._private: dict[tuple[str, str], Chat] = {}
        self._ids = itertools.count(1)
        self._last_ts = 0

    # ---- who there is ----------------------------------------------------------------------------------------------

    @property
    def bots(self) -> list[Bot]:
        """Every app."""
        return [account for account in self.accounts.values() if isinstance(account, Bot)]

    @property
    def people(self) -> list[Person]:
        """Every person."""
        return [account for account in self.accounts.values() if isinstance(account, Person)]

    def new_id(self, letter: str) -> str:
        """An id that nothing has: `U`, `C`, `D` …"""
        return f"{letter}0{next(self._ids):08d}"

    def new_ts(self) -> str:
        """The time in microseconds, later than every one before."""
        self._last_ts = max(self._last_ts + 1, int(self.clock.now().timestamp() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def name_of(self, account_id: str) -> str:
        """The name that belongs to an id of a person, an app or a channel."""
        account, chat = self.accounts.get(account_id), self.chats.get(account_id)
        if account is not None:
            return account.name
        return chat.title if chat is not None else account_id

    def bot_with(self, token: str) -> Bot | None:
        """The app that has this token, of either kind."""
        return next((bot for bot in self.bots if token in (bot.token, bot.app_token)), None)

    def private_chat(self, person: Person, bot: Bot) -> Chat:
        """Their direct messages."""
        key = (bot.id, person.id)
        if key not in self._private:
            chat = Chat(self.new_id("D"), ChatKind.IM, members={person.id: person, bot.id: bot})
            self._private[key] = self.chats[chat.id] = chat
        return self._private[key]

    def add_channel(self, title: str, *, private: bool = False) -> Chat:
        """An empty channel."""
        chat = Chat(self.new_id("C"), ChatKind.GROUP if private else ChatKind.CHANNEL, title)
        self.chats[chat.id] = chat
        return chat

    # ---- what a bot can reach --------------------------------------------------------------------------------------

    def chat_to_read(self, bot: Bot, name: str) -> Chat:
        """The room that a bot names, by id or by `#name`.

        Raises:
            ApiError: the bot cannot know it.
        """
        chat = self.chats.get(name) or next((c for c in self.chats.values() if f"#{c.title}" == name), None)
        hidden = chat is not None and chat.kind is not ChatKind.CHANNEL and bot.id not in chat.members
        if chat is None or hidden:
            raise ApiError("channel_not_found")
        return chat

    def chat_to_write(self, bot: Bot, name: str) -> Chat:
        """The same, for saying something in it.

        Raises:
            ApiError: also where the bot is not in it, or nothing is said any more.
        """
        chat = self.chat_to_read(bot, name)
        if chat.archived:
            raise ApiError("is_archived")
        if bot.id not in chat.members:
            raise ApiError("not_in_channel")
        if chat.read_only:
            raise ApiError("restricted_action_read_only_channel")
        return chat

    # ---- what happens ----------------------------------------------------------------------------------------------

    def post(
        self,
        chat: Chat,
        sender: Account,
        content: Content,
        *,
        thread: str | None = None,
        subtype: str | None = None,
        only_for: str | None = None,
        broadcast: bool = False,
        streaming: bool = False,
    ) -> Message:
        """Say something. Apps in the room hear it, also the one that said it."""
        message = Message(self.new_ts(), chat, sender, content, thread, subtype, only_for, broadcast)
        message.streaming = streaming
        chat.messages[message.ts] = message
        if isinstance(sender, Bot):
            chat.statuses.pop(message.root, None)
            if thread is not None:
                chat.statuses.pop(thread, None)
        self.journal.append(Change("message", chat, message, content))
        if only_for is None:
            self.tell(chat, events.said(message))
            self._tell_mentioned(message)
        return message

    def edit(self, message: Message, content: Content, *, mark: bool = True) -> None:
        """Change what a message says; `mark` shows that it was."""
        before = message.to_json()
        message.history.append(message.content)
        message.content = content
        ts = self.new_ts()
        if mark:
            message.edited = ts
        self.journal.append(Change("edited", message.chat, message, content))
        if message.only_for is None:
            self.tell(message.chat, events.changed(message, before, ts))

    def write_on(self, message: Message, content: Content) -> None:
        """Show more of a message that is being written; apps are told when it is done."""
        message.content = content
        self.journal.append(Change("edited", message.chat, message, content))

    def delete(self, message: Message) -> None:
        """Take a message away."""
        message.deleted = True
        self.journal.append(Change("deleted", message.chat, message, message.content))
        if message.only_for is None:
            self.tell(message.chat, events.deleted(message, self.new_ts()))

    def react(self, message: Message, account: Account, name: str, *, added: bool) -> bool:
        """Put an emoji under a message or take one's own away; False where that changes nothing."""
        who = message.reactions.get(name, [])
        if (account.id in who) is added:
            return False
        left = [*who, account.id] if added else [user for user in who if user != account.id]
        message.reactions[name] = left
        if not left:
            del message.reactions[name]
        self.journal.append(Change("reaction", message.chat, message, message.content, {"name": name, "added": added}))
        self.tell(message.chat, events.reacted(message, account.id, name, self.new_ts(), added=added))
        return True

    def join(self, chat: Chat, account: Account, *, by: Account | None = None) -> None:
        """Somebody comes into a channel, and it says so."""
        chat.members[account.id] = account
        self.post(chat, account, Content(f"<@{account.id}> has joined the channel"), subtype="channel_join")
        self.tell(chat, events.came(chat, account.id, by.id if by is not None else None, self.new_ts()))

    def leave(self, chat: Chat, account: Account) -> None:
        """Somebody goes; an app that goes is still told of that."""
        event = events.went(chat, account.id, self.new_ts())
        self.tell(chat, event)
        del chat.members[account.id]
        self.show("left", chat)

    def open_home(self, chat: Chat, person: Person, bot: Bot, tab: str) -> None:
        """Somebody opens an app's Home tab."""
        event = events.home_opened(chat, person.id, self.new_ts(), tab)
        if events.is_told(bot, event, None):
            self.deliveries.tell(bot, event)

    def show(self, kind: str, chat: Chat | None = None, **detail: Any) -> None:  # noqa: ANN401 JSON is anything
        """Journal what is on a screen without being a message: a status, a form, an answer to a press."""
        self.journal.append(Change(kind, chat, detail=detail or None))

    def tell(self, chat: Chat, event: events.Event) -> None:
        """Tell every app in the room that may hear it."""
        for bot in chat.bots:
            if events.is_told(bot, event, chat.kind):
                self.deliveries.tell(bot, event)

    def _tell_mentioned(self, message: Message) -> None:
        if message.chat.private or message.subtype is not None:
            return
        for bot in message.chat.bots:
            event = events.mentioned(message)
            named = f"<@{bot.id}>" in message.content.text or f"<@{bot.id}|" in message.content.text
            if named and bot is not message.sender and events.is_told(bot, event, message.chat.kind):
                self.deliveries.tell(bot, event)
