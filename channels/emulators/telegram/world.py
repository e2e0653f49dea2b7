"""The pretend Telegram's state: who there is, which chats, and what happens when something is said or changed.

Belongs here: finding bots, people and chats with Telegram's refusals, and the few ways in which a chat changes. Every
change is journalled for whoever watches a screen, and every bot that may hear of it gets its update. How a bot asks for
it belongs to `methods`, how a person does to `screen`.
"""

import itertools
import secrets
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from channels.emulators.clock import Clock
from channels.emulators.journal import Journal
from channels.emulators.telegram.chats import Chat, ChatKind, Draft, Message, Standing, Thread, Topic
from channels.emulators.telegram.content import Content
from channels.emulators.telegram.errors import ApiError, bad_request, forbidden
from channels.emulators.telegram.files import FileStore
from channels.emulators.telegram.hearing import hears
from channels.emulators.telegram.members import standing_json
from channels.emulators.telegram.people import Account, Bot, Person, bot_id
from channels.emulators.telegram.presses import Press, Presses
from channels.emulators.telegram.updates import UpdateQueue

FIRST_PERSON_ID = 5_000_000_001
FIRST_GROUP_ID = -4_000_000_001
FIRST_SUPERGROUP_ID = -1_002_000_000_001
JOURNAL_ENTRIES = 20_000


Detail = str | Draft | Press | Bot | None
"""What an event is about besides a message: the emoji, the action, the draft, the press, the bot with a new menu."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that changed on a screen. `content` is what `message` said at that moment."""

    kind: str
    chat: Chat | None = None
    message: Message | None = None
    content: Content | None = None
    detail: Detail = None


class About(TypedDict, total=False):
    """What can be said about a new message besides its content; see `Message`."""

    reply_to: Message | None
    quote: dict[str, Any] | None
    thread: Thread
    forward_origin: dict[str, Any] | None
    album: str | None
    silent: bool
    protected: bool


class World:
    """Everything that there is. One event loop, no locks."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.files = FileStore(clock)
        self.presses = Presses(clock)
        self.journal: Journal[Event] = Journal(JOURNAL_ENTRIES)
        self.bots: dict[str, Bot] = {}
        self.accounts: dict[int, Account] = {}
        self.groups: dict[int, Chat] = {}
        self._private: dict[tuple[int, int], Chat] = {}
        self.deactivated: set[int] = set()
        self.slows_repeats = False
        self._person_ids = itertools.count(FIRST_PERSON_ID)
        self._group_ids = itertools.count(FIRST_GROUP_ID, -1)
        self._supergroup_ids = itertools.count(FIRST_SUPERGROUP_ID, -1)

    # ---- who there is ----------------------------------------------------------------------------------------------

    def add_bot(self, token: str, first_name: str, username: str, *, reads_all: bool = False) -> Bot:
        """A bot as BotFather would make it.

        Raises:
            ValueError: the token has not the shape of one, or the bot is there already.
        """
        if bot_id(token) in self.accounts:
            raise ValueError(f"there is an account {bot_id(token)} already")
        bot = Bot(token, first_name, username, UpdateQueue(self.clock), reads_all)
        bot.queue.slows_repeats = self.slows_repeats
        self.bots[token] = self.accounts[bot.id] = bot
        return bot

    def next_person_id(self) -> int:
        """An id that nobody has."""
        return next(self._person_ids)

    def add_person(self, person: Person) -> None:
        """Someone new."""
        self.accounts[person.id] = person

    def private_chat(self, person: Person, bot: Bot) -> Chat:
        """Their private chat; the bot knows it by the person's id."""
        key = (bot.id, person.id)
        if key not in self._private:
            self._private[key] = Chat(person.id, ChatKind.PRIVATE, self.accounts, person=person, bot=bot)
        return self._private[key]

    def add_group(self, title: str, *, forum: bool = False, basic: bool = False) -> Chat:
        """An empty group: a supergroup unless `basic`."""
        kind = ChatKind.GROUP if basic else ChatKind.SUPERGROUP
        chat_id = next(self._group_ids if basic else self._supergroup_ids)
        chat = self.groups[chat_id] = Chat(chat_id, kind, self.accounts, title=title, forum=forum)
        return chat

    # ---- what a bot can reach --------------------------------------------------------------------------------------

    def chat_to_read(self, bot: Bot, chat_id: int) -> Chat:
        """The chat that a bot names.

        Raises:
            ApiError: the bot cannot know it, or is not in it any more.
        """
        group = self.groups.get(chat_id)
        if group is None:
            return self._private_to_read(bot, chat_id)
        if group.upgraded_to is not None:
            raise _upgraded(group.upgraded_to)
        standing = group.bots.get(bot.id)
        if standing is None:
            raise bad_request("chat not found")
        name = "supergroup chat" if group.kind is ChatKind.SUPERGROUP else "group chat"
        if standing is Standing.KICKED:
            raise forbidden(f"bot was kicked from the {name}")
        if standing is Standing.LEFT:
            raise forbidden(f"bot is not a member of the {name}")
        return group

    def chat_to_write(self, bot: Bot, chat_id: int) -> Chat:
        """The same, for saying something in it.

        Raises:
            ApiError: also where the person blocked the bot or is gone.
        """
        chat = self.chat_to_read(bot, chat_id)
        if chat.person is not None:
            if chat.person.id in self.deactivated:
                raise forbidden("user is deactivated")
            if chat.blocked:
                raise forbidden("bot was blocked by the user")
        return chat

    def _private_to_read(self, bot: Bot, chat_id: int) -> Chat:
        account = self.accounts.get(chat_id)
        if isinstance(account, Bot):
            raise forbidden("bots can't send messages to bots")
        chat = self._private.get((bot.id, chat_id))
        if chat is not None and chat.started:
            return chat
        if account is not None and self._has_met(bot, account):
            raise forbidden("bot can't initiate conversation with a user")
        raise bad_request("chat not found")

    def _has_met(self, bot: Bot, person: Person) -> bool:
        return any(person.id in group.people and bot.id in group.bots for group in self.groups.values())

    # ---- what happens ----------------------------------------------------------------------------------------------

    def post(self, chat: Chat, sender: Account, content: Content, **about: Unpack[About]) -> Message:
        """Say something; `about` are the other fields of `Message`. Bots hear what people say, never one another."""
        date = int(self.clock.now().timestamp())
        message = Message(chat.next_id(), chat, sender, date, content, **about)
        chat.messages[message.id] = message
        if isinstance(sender, Bot):
            chat.quiet(message.thread)
            chat.last_bot = sender.id
        elif chat.private:
            chat.started = True
        self.journal.append(Event("message", chat, message, content))
        if isinstance(sender, Person):
            self.tell("message", chat, message)
        return message

    def edit(self, message: Message, content: Content) -> None:
        """Change what a message says."""
        message.history.append(message.content)
        message.content = content
        message.edit_date = int(self.clock.now().timestamp())
        self.journal.append(Event("edited", message.chat, message, content))
        if isinstance(message.sender, Person):
            self.tell("edited_message", message.chat, message)

    def delete(self, message: Message) -> None:
        """Take a message off everyone's screen; bots are not told."""
        message.deleted = True
        self.journal.append(Event("deleted", message.chat, message, message.content))

    def react(self, message: Message, account: Account, emoji: str | None) -> None:
        """Put a reaction under a message, or take one's own away. A bot that asked hears of a person's where it may."""
        old = message.reactions.pop(account.id, None)
        if emoji is not None:
            message.reactions[account.id] = emoji
        self.journal.append(Event("reaction", message.chat, message, message.content, emoji))
        if isinstance(account, Person):
            self._tell_reaction(message, account, old, emoji)

    def show_menu(self, bot: Bot) -> None:
        """Journal that a bot's menus changed, in every chat that it is in."""
        self.journal.append(Event("menu", detail=bot))

    def show(self, kind: str, chat: Chat, detail: Detail = None) -> None:
        """Journal what is on a screen without being a message: a draft, "typing", an answer to a press."""
        self.journal.append(Event(kind, chat, detail=detail))

    def tell(self, kind: str, chat: Chat, message: Message) -> None:
        """Give the update about a message to every bot that may hear it."""
        json: dict[str, Any] | None = None
        for bot in self.bots_in(chat):
            if hears(bot, message):
                json = json if json is not None else message.to_json()
                bot.queue.push(kind, json, chat.id)

    def tell_standing(self, chat: Chat, bot: Bot, by: Person, old: Standing, new: Standing) -> None:
        """Give a bot the update about its own standing in a chat."""
        bot.queue.push(
            "my_chat_member",
            {
                "chat": chat.json,
                "from": by.user,
                "date": int(self.clock.now().timestamp()),
                "old_chat_member": {"user": bot.user} | standing_json(old),
                "new_chat_member": {"user": bot.user} | standing_json(new),
            },
            chat.id,
        )

    def _tell_reaction(self, message: Message, person: Person, old: str | None, new: str | None) -> None:
        """In a group only an admin hears of reactions [Bot API, MessageReactionUpdated]."""
        chat = message.chat
        content = {
            "chat": chat.json,
            "message_id": message.id,
            "user": person.user,
            "date": int(self.clock.now().timestamp()),
            "old_reaction": _reaction(old),
            "new_reaction": _reaction(new),
        }
        for bot in self.bots_in(chat):
            if chat.private or chat.bots.get(bot.id) is Standing.ADMINISTRATOR:
                bot.queue.push("message_reaction", content, chat.id)

    def tell_press(self, press: Press) -> None:
        """Give a bot the press of one of its buttons."""
        chat, message = press.message.chat, press.message
        gone = {"chat": chat.json, "message_id": message.id, "date": 0}
        content = {
            "id": press.id,
            "from": press.person.user,
            "message": gone if message.deleted else message.to_json(),
            "chat_instance": f"{chat.id}{press.bot.id}",
            "data": press.data,
        }
        press.bot.queue.push("callback_query", content, chat.id)

    def bots_in(self, chat: Chat) -> list[Bot]:
        """The bots that hear something of a chat."""
        if chat.bot is not None:
            return [chat.bot] if chat.has_bot(chat.bot) else []
        found = (self.accounts[account_id] for account_id in chat.bots)
        return [bot for bot in found if isinstance(bot, Bot) and chat.has_bot(bot)]

    def service(self, chat: Chat, by: Account, what: dict[str, Any], *, opens: bool = False) -> Message:
        """Post what happened rather than was said; every bot in the chat hears it. `opens`: in a topic of its own."""
        thread = chat.upcoming_id if opens else None
        message = self.post(chat, by, Content(service=what), thread=thread)
        if isinstance(by, Bot):
            for bot in self.bots_in(chat):
                if bot is not by:
                    bot.queue.push("message", message.to_json(), chat.id)
        return message

    def open_topic(self, chat: Chat, by: Account, name: str, icon_color: int) -> Topic:
        """A new topic of a forum. The message that opens it stands in it, and its id is the topic's."""
        opened = self.service(chat, by, {"forum_topic_created": {"name": name, "icon_color": icon_color}}, opens=True)
        topic = chat.topics[opened.id] = Topic(opened.id, name, icon_color)
        return topic

    def upgrade(self, group: Chat, by: Person) -> Chat:
        """Turn a basic group into a supergroup, as Telegram does by itself when a group grows: the id changes."""
        new = self.add_group(group.title or "")
        new.people, new.admins, new.bots = group.people, group.admins, group.bots
        self.service(group, by, {"migrate_to_chat_id": new.id})
        group.upgraded_to = new.id
        self.service(new, by, {"migrate_from_chat_id": group.id})
        return new

    def new_album(self) -> str:
        """An id for messages that belong together."""
        return str(secrets.randbits(62))


def _reaction(emoji: str | None) -> list[dict[str, str]]:
    return [{"type": "emoji", "emoji": emoji}] if emoji is not None else []


def _upgraded(chat_id: int) -> ApiError:
    error = bad_request("group chat was upgraded to a supergroup chat")
    error.parameters = {"migrate_to_chat_id": chat_id}
    return error
