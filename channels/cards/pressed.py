"""Which card a press means, whether this person may press there, and the form that it opens.

Looks and never writes: an app wants its form within three seconds, whatever waits for the writer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from channels.base import Channel, Form, Press
from channels.cards.faces import asked_of
from channels.cards.filling import Tap
from channels.cards.forms import faults_in, form_of
from channels.cards.tokens import PREFIX, CardToken, hash_of
from core.cards import Question
from core.events import QuestionAsked
from core.store.actions import Denied
from core.store.cards import CardRecord, CardRows
from core.store.database import Database
from core.store.log import EventLog
from core.store.seats import Seat


@dataclass(frozen=True, slots=True)
class PressedCard:
    """The card, which may be over, and what was pressed."""

    card: CardRecord
    token: CardToken


async def pressed_card(rows: CardRows, channel: Channel, press: Press) -> PressedCard | Denied | None:
    """The card that was pressed by whom it is for; None: the button is none of a card.

    Raises:
        StoreUnavailable: it cannot be looked up now.
    """
    if not press.token.startswith(PREFIX):
        return None
    token = CardToken.read(press.token)
    card = await rows.of_handle(token.handle) if token is not None else None
    if token is None or card is None or card.token_hash != hash_of(token.key):
        return Denied.UNKNOWN
    chat = press.message.chat
    if Seat(channel.id, chat.id, chat.thread or "", press.sender.id) != seat_of_card(card):
        return Denied.FOREIGN
    return PressedCard(card, token)


def seat_of_card(card: CardRecord) -> Seat:
    """Who may answer it, and where."""
    place = card.place
    return Seat(place.channel_id, place.chat_id, place.thread, place.person_id)


class CardForms:
    """The forms of cards' buttons."""

    def __init__(self, database: Database) -> None:
        self._rows = CardRows(database)
        self._log = EventLog(database)

    async def form(self, channel: Channel, press: Press) -> Form | None:
        """All fields of the question that waits; None where nothing waits for this person there."""
        question = await self._question(channel, press)
        return None if question is None else form_of(question, press.token)

    async def faults(self, channel: Channel, press: Press) -> Mapping[str, str]:
        """What the question does not take; of one that is over nothing, so that its press hears that it is."""
        question = await self._question(channel, press) if press.filled is not None else None
        return {} if question is None else faults_in(question, press.filled or {})

    async def _question(self, channel: Channel, press: Press) -> Question | None:
        found = await pressed_card(self._rows, channel, press)
        if not isinstance(found, PressedCard) or not found.card.open or found.token.what != Tap.FORM:
            return None
        asked = await asked_of(self._log, found.card)
        return asked.question if isinstance(asked, QuestionAsked) else None
