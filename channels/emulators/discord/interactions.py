"""What people do that asks a bot for an answer: commands, buttons, lists, forms, and typing that wants suggestions.

Belongs here: the life of an interaction: answered once within 3 seconds, its token good for 15 minutes.
"""

import asyncio
import secrets
from dataclasses import dataclass, field
from typing import Any

from channels.emulators.clock import Clock
from channels.emulators.discord import limits, permissions
from channels.emulators.discord.errors import ApiError, already_acknowledged, unknown, wrong_token
from channels.emulators.discord.people import Bot, Person
from channels.emulators.discord.places import Channel, Message

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 2, 3, 4, 5
"""Kinds of interaction, by Discord's numbers."""

SAY, SAY_LATER, CHANGE_LATER, CHANGE, SUGGEST, OPEN_FORM = 4, 5, 6, 7, 8, 9
"""Kinds of first answer."""

ALLOWED = {
    COMMAND: frozenset({SAY, SAY_LATER, OPEN_FORM}),
    COMPONENT: frozenset({SAY, SAY_LATER, CHANGE_LATER, CHANGE, OPEN_FORM}),
    AUTOCOMPLETE: frozenset({SUGGEST}),
    MODAL: frozenset({SAY, SAY_LATER, CHANGE_LATER, CHANGE}),
}
"""Which first answers a kind of interaction takes; a form from a command has no message to change."""


@dataclass(eq=False)
class Interaction:
    """One thing that somebody did. `answer` is the kind of first answer, 0 while there is none. `at` is monotonic."""

    id: str
    token: str
    kind: int
    bot: Bot
    person: Person
    channel: Channel
    data: dict[str, Any]
    at: float
    message: Message | None = None
    answer: int = 0
    original: Message | None = None
    form: dict[str, Any] | None = None
    suggestions: list[dict[str, Any]] = field(default_factory=list)
    whispers: list[Message] = field(default_factory=list)
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    def allows(self, answer: int) -> bool:
        """Whether this kind of answer fits what was done."""
        if self.kind == MODAL and self.message is None and answer in (CHANGE, CHANGE_LATER):
            return False
        return answer in ALLOWED[self.kind]


class Interactions:
    """All interactions by id and by token."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._by_id: dict[str, Interaction] = {}
        self._by_token: dict[str, Interaction] = {}

    def add(
        self,
        id_: str,
        kind: int,
        bot: Bot,
        person: Person,
        channel: Channel,
        data: dict[str, Any],
        message: Message | None = None,
    ) -> Interaction:
        """Somebody did something."""
        token, at = secrets.token_urlsafe(40), self._clock.monotonic()
        interaction = Interaction(id_, token, kind, bot, person, channel, data, at, message)
        self._by_id[id_] = self._by_token[token] = interaction
        return interaction

    def to_answer(self, id_: str, token: str) -> Interaction:
        """The one that waits for its first answer.

        Raises:
            ApiError: 404 for one that is unknown or older than 3 seconds, 400 for one that has its answer.
        """
        interaction = self._by_id.get(id_)
        if interaction is None or interaction.token != token:
            raise unknown("interaction")
        if interaction.answer:
            raise already_acknowledged()
        if self._clock.monotonic() - interaction.at > limits.FIRST_ANSWER_SECONDS:
            raise unknown("interaction")
        return interaction

    def by_token(self, application_id: str, token: str) -> Interaction:
        """The one whose token it is, once it has its first answer.

        Raises:
            ApiError: 404 before that, 401 after 15 minutes.
        """
        interaction = self._by_token.get(token)
        if interaction is None or interaction.bot.application_id != application_id or not interaction.answer:
            raise unknown("Webhook")
        if self._clock.monotonic() - interaction.at > limits.TOKEN_SECONDS:
            raise wrong_token()
        return interaction

    def known(self, id_: str) -> Interaction:
        """Any interaction by its id.

        Raises:
            LookupError: there is none.
        """
        interaction = self._by_id.get(id_)
        if interaction is None:
            raise LookupError(f"no interaction {id_}")
        return interaction

    @staticmethod
    def settle(interaction: Interaction, answer: int) -> None:
        """It has its first answer."""
        interaction.answer = answer
        interaction.answered.set()


def interaction_json(interaction: Interaction, message: dict[str, Any] | None) -> dict[str, Any]:
    """As INTERACTION_CREATE tells the bot."""
    channel, bot, person = interaction.channel, interaction.bot, interaction.person
    guild = channel.guild
    told: dict[str, Any] = {
        "id": interaction.id,
        "application_id": bot.application_id,
        "type": interaction.kind,
        "token": interaction.token,
        "version": 1,
        "data": interaction.data,
        "locale": person.locale,
        "entitlements": [],
        "attachment_size_limit": limits.FILE_BYTES,
        "authorizing_integration_owners": {"0": guild.id if guild is not None else "0"},
        "context": 1 if guild is None else 0,
        "app_permissions": str(channel.allowed(bot)),
        "channel_id": channel.id,
        "channel": channel.json(bot) | ({"permissions": str(permissions.EVERYONE)} if guild is not None else {}),
    }
    if guild is None:
        told["user"] = person.user
    else:
        member = guild.member(person) | {"user": person.user, "permissions": str(permissions.EVERYONE)}
        told |= {"guild_id": guild.id, "guild": guild.partial(), "guild_locale": "en-US", "member": member}
    if message is not None:
        told["message"] = message
    return told


def must_fit(interaction: Interaction, answer: object) -> int:
    """The kind of first answer, if it is one that fits.

    Raises:
        ApiError: 400 where it is none, or none for this.
    """
    if not isinstance(answer, int) or not interaction.allows(answer):
        wrong = {"_errors": [{"code": "INTERACTION_CALLBACK_TYPE_INVALID", "message": "Not for this interaction."}]}
        raise ApiError(400, 50035, "Invalid Form Body", {"errors": {"type": wrong}})
    return answer
