"""Answers to cards: which card a press or typed words mean, and whether this person may answer it.

    a press          ──▶ fills in more, or answers; the note at the top of the screen says what came of it
    a form           ──▶ answers all of it at once
    typed words      ──▶ a choice, a field's value, or free text for the whole question
    neither          ──▶ an ordinary message, which waits its turn

What an answer does is in `channels.cards.answering`. The card changes when the log says what was decided, whatever the
road.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from channels.base import Channel, InboundMessage, Press
from channels.cards.answering import Answerer, Answering, Outcome
from channels.cards.decided import ALREADY
from channels.cards.drawing import choices_of
from channels.cards.faces import asked_of, filling_of, prompt_of
from channels.cards.filling import OPTION, TYPE_IT, Finished, Tap, missed, tapped, typed
from channels.cards.forms import Way, by_hand, faults_in, values_in
from channels.cards.pressed import PressedCard, pressed_card
from channels.cards.prompts import Prompt, once_more
from channels.choices import picked
from channels.commands.call import Reply
from channels.gate import Standing
from channels.pressing import NOTES, Note, Pressed
from channels.provenance import origin_of, seat_of
from core.events import PermissionRequested, QuestionAsked
from core.store.actions import Denied
from core.store.cards import CardRecord, CardRows
from core.store.database import Database
from core.store.log import EventLog
from core.store.outbox import OutboxRows
from core.store.seats import Seat, Seats

Filled = Mapping[str, tuple[str, ...]]
"""What a form was sent with; see `Press.filled`."""

NOTHING_MORE = Reply("")
"""Words that were an answer: the card and the turn say the rest."""


class Cards:
    """The claimant of cards' buttons, and the hearer of typed answers."""

    def __init__(self, database: Database, answering: Answering) -> None:
        self._answering = answering
        self._rows = CardRows(database)
        self._letters = OutboxRows(database)
        self._log = EventLog(database)
        self._seats = Seats(database)

    # ---- presses ---------------------------------------------------------------------------------------------------

    async def claim(self, channel: Channel, press: Press, standing: Standing) -> Pressed | Note | None:
        """Do what a card's button stands for, and say in a note what came of it."""
        found = await pressed_card(self._rows, channel, press)
        if found is None:
            return None
        if isinstance(found, Denied):
            return Note(NOTES[found])
        if not found.card.open:
            return Note(found.card.note or ALREADY)
        by = Answerer(channel, press.update_id, press.sender.name, pressed=press.message.message_id)
        outcome = await self._press(found, press.filled, by)
        return Note(outcome.note, outcome.confirms)

    async def _press(self, found: PressedCard, filled: Filled | None, by: Answerer) -> Outcome:
        card, token = found.card, found.token
        asked, filling = await asked_of(self._log, card), filling_of(card)
        if card.press == by.update_id:  # it came before, and the program ended over it
            return Outcome("")
        if not isinstance(asked, QuestionAsked | PermissionRequested):
            return Outcome(NOTES[Denied.UNKNOWN])
        if token.what == Tap.FORM:
            return await self._fill_in(card, asked, filled, by)
        if token.field != filling.field:
            return Outcome(NOTES[Denied.REPLACED])
        return await self._tap(card, asked, token.what, by)

    async def _fill_in(
        self, card: CardRecord, asked: QuestionAsked | PermissionRequested, filled: Filled | None, by: Answerer
    ) -> Outcome:
        """A form is the whole answer, whatever was filled in without it meanwhile."""
        if filled is None or not isinstance(asked, QuestionAsked):
            return Outcome(TYPE_IT)
        faults = faults_in(asked.question, filled)
        if faults:  # the app could not show them at their fields
            labels = {field.id: field.label for field in asked.question.fields}
            return Outcome(" ".join(f"“{labels[name]}”: {fault}" for name, fault in faults.items()))
        values = Finished(values_in(asked.question, filled))
        return await self._answering.go_on(card, asked, values, "", by)

    async def _tap(
        self, card: CardRecord, asked: QuestionAsked | PermissionRequested, what: str, by: Answerer
    ) -> Outcome:
        if isinstance(asked, PermissionRequested):
            return await self._answering.decide(card, asked, what, by)
        filling = filling_of(card)
        buttons = prompt_of(asked, filling, None, way=Way.TAPS).buttons
        label = next((button.label for button in buttons if button.what == what), "")
        return await self._answering.go_on(card, asked, tapped(asked.question, filling, what), label, by)

    # ---- typed words -----------------------------------------------------------------------------------------------

    async def hear(self, channel: Channel, message: InboundMessage, standing: Standing) -> Reply | None:
        """Take words as the answer to the card that they quote, else to the newest that waits in this conversation."""
        seat = seat_of(message)
        cards = await self._rows.lately(seat.channel_id, seat.chat_id, seat.thread, seat.person_id)
        if not cards:
            return None
        if any(card.press == message.update_id and not card.open for card in cards):
            return NOTHING_MORE
        by = Answerer(channel, message.update_id, message.sender.name, typed=message)
        quoted = await self._quoted(message, cards)
        if quoted is not None and not quoted.open:
            return await self._too_late(quoted, channel, message)
        for card in [quoted] if quoted is not None else await self._waiting(seat, cards):
            outcome = await self._answer(card, message, by, standing)
            if outcome is not None and outcome.heard:
                return Reply(outcome.reply)
        return None

    async def _quoted(self, message: InboundMessage, cards: Sequence[CardRecord]) -> CardRecord | None:
        if message.reply_to is not None:
            for card in cards:
                if await self._stands_in(card, message.reply_to.message_id):
                    return card
        return None

    async def _waiting(self, seat: Seat, cards: Sequence[CardRecord]) -> Sequence[CardRecord]:
        """Those of the seat's own conversation that are open, newest first."""
        own = [card for card in cards if card.open and card.place.behalf is None]
        conversation_id = await self._seats.conversation(seat) if own else None
        return [card for card in own if card.conversation_id == conversation_id]

    async def _too_late(self, card: CardRecord, channel: Channel, message: InboundMessage) -> Reply | None:
        """Words that answer a card which was decided, and so answer no other; else they are an ordinary message."""
        asked = await asked_of(self._log, card)
        if not isinstance(asked, QuestionAsked | PermissionRequested):
            return None
        prompt = prompt_of(asked, filling_of(card), None, way=by_hand(channel.capabilities))
        return None if _picked(prompt, message.text) is None else Reply(card.note or ALREADY)

    async def _stands_in(self, card: CardRecord, message_id: str) -> bool:
        if card.message_id == message_id:
            return True
        return any(letter.message_id == message_id for letter in await self._letters.of_key(card.key))

    async def _answer(
        self, card: CardRecord, message: InboundMessage, by: Answerer, standing: Standing
    ) -> Outcome | None:
        """What words come to as an answer to this card; None where they are none."""
        asked, filling = await asked_of(self._log, card), filling_of(card)
        if not isinstance(asked, QuestionAsked | PermissionRequested):
            return None
        prompt = prompt_of(asked, filling, None, way=by_hand(by.channel.capabilities))
        what = _picked(prompt, message.text)
        if what is not None:
            return replace(await self._tap(card, asked, what, by), heard=True)
        if isinstance(asked, PermissionRequested):
            return None
        step = typed(asked.question, filling, message.text)
        if step is not None:
            return await self._answering.go_on(card, asked, step, message.text, by)
        if fault := missed(asked.question, filling, message.text):
            again = once_more(asked.question, filling, fault)
            return Outcome(again, again)
        origin = origin_of(by.channel, message, standing)
        return await self._answering.say_freely(card, asked, message, origin, by)


def _picked(prompt: Prompt, words: str) -> str | None:
    """What the button does that these words pick.

    Where several options may be picked they are the field's value, so that “1” alone is an answer as “1,3” is.
    """
    place = picked(words, choices_of(prompt), numbered=not prompt.typed)
    if place is None or (prompt.several and prompt.buttons[place].what.startswith(OPTION)):
        return None
    return prompt.buttons[place].what
