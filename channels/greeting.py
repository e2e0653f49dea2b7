"""Tells somebody in their private chat that the owner let them in. Who opened a hello link is told by the gate."""

from channels.base import ChatRef
from channels.cards.places import CardPlaces
from channels.formatting.parts import literal
from channels.gate import WELCOME, WELCOME_OWNER
from channels.notices import Notices
from channels.outbox import Outbox
from core.store.people import Person, Role


class Greeting:
    """Says it once each time that somebody is let in, where their app lets the bot write to them."""

    def __init__(self, places: CardPlaces, notices: Notices, outbox: Outbox) -> None:
        self._places = places
        self._notices = notices
        self._outbox = outbox

    async def greet(self, person: Person, asked_in: str | None) -> None:
        """Greet somebody who was let in just now, in the chat that they asked in, if they did.

        Nothing is said where their bot is not connected, or their chat not known.

        Raises:
            StoreUnavailable: nothing was said.
        """
        channel = self._outbox.channel(person.channel_id)
        if channel is None:
            return
        asked = None if asked_in is None else ChatRef(channel.id, asked_in)
        chat = asked or await self._places.private_chat(channel, person.person_id)
        if chat is None:
            return
        words = WELCOME_OWNER if person.role is Role.OWNER else WELCOME
        key = f"{person.channel_id}:{person.person_id}:let in:{person.since.isoformat()}"
        await self._notices.say(channel, chat, key, words.format(name=literal(person.name)))
