"""What the buttons of an offer do, pressed or, where an app has none, picked in words.

A press turns a skill on where it says so; whether what was offered is there now, the core looks before it carries on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from channels.actions import LASTS as ACTIONS_LAST
from channels.actions import ChatActions
from channels.base import Channel, InboundMessage, Press
from channels.cards.faces import asked_of
from channels.cards.offered import (
    DEEDS,
    MUTE,
    NOT_NOW,
    TURN_ON,
    USE,
    folded_line,
    is_over,
    offer_buttons,
    was_linked,
)
from channels.cards.tokens import CardToken, hash_of
from channels.choices import Choice, has_buttons, picked
from channels.commands.call import Reply
from channels.formatting.parts import literal
from channels.gate import Standing
from channels.pressing import NOTES, Note, Pressed, message_of_press
from channels.provenance import seat_of
from commands.parsing import slash_in
from core.cards import Offer, OfferKind
from core.clock import Clock
from core.conversations import Conversations
from core.errors import UsageError
from core.events import OfferShown
from core.offers.carrying import Dismissed, Taken, open_offer
from core.preferences import Preferences
from core.skills.modes import switched
from core.store.actions import Denied
from core.store.cards import CardKind, CardRecord, CardRows, RememberUpdate
from core.store.database import Database
from core.store.log import EventLog
from core.store.outbox import OutboxRows
from core.store.seats import Seat, Seats

OWNER_ONLY: Final = "Only the owner of this bot can turn that on."
OVER: Final = "That offer is over, because something newer was said. Ask me again and I can offer it anew."
TAKEN_BEFORE: Final = "That was taken before, so I carry on only once."


@dataclass(frozen=True, slots=True)
class Said:
    """What is said to a deed, as plain text; often the card says it all. `stays`: it is a message, not a short note."""

    words: str = ""
    stays: bool = False


class OfferDesk:
    """The claimant of offers' buttons, and the hearer of their numbers."""

    def __init__(
        self,
        *,
        database: Database,
        conversations: Conversations,
        preferences: Preferences,
        actions: ChatActions,
        clock: Clock,
    ) -> None:
        self._database = database
        self._conversations = conversations
        self._preferences = preferences
        self._actions = actions
        self._clock = clock
        self._rows = CardRows(database)
        self._letters = OutboxRows(database)
        self._log = EventLog(database)
        self._seats = Seats(database)

    # ---- presses ---------------------------------------------------------------------------------------------------

    async def claim(self, channel: Channel, press: Press, standing: Standing) -> Pressed | Note | None:
        """Do what the button stands for."""
        token = CardToken.read(press.token)
        if token is None or token.what not in DEEDS:
            return None
        card = await self._rows.of_handle(token.handle)
        offer = await self._offer(card) if card is not None else None
        if card is None or offer is None or card.token_hash != hash_of(token.key):
            return Note(NOTES[Denied.UNKNOWN])
        chat = press.message.chat
        if Seat(channel.id, chat.id, chat.thread or "", press.sender.id) != _seat(card):
            return Note(NOTES[Denied.FOREIGN])
        if not card.open:
            return Note(folded_line(card, offer))
        if is_over(card, self._clock.now()):
            fresh = slash_in(channel.capabilities.kind, "status")
            return Note(f"{NOTES[Denied.EXPIRED]} Send {fresh} for fresh ones.")
        said = await self.do(card, offer, token.what, press.sender.name, standing)
        buttons = offer_buttons(offer, linked=was_linked(card), taps=True)
        label = next((button.label for button in buttons if button.what == token.what), "")
        return _answered(press, said, label)

    # ---- numbers ---------------------------------------------------------------------------------------------------

    async def hear(self, channel: Channel, message: InboundMessage, standing: Standing) -> Reply | None:
        """Where an app has no buttons: the number or the words of one, for the offer that is quoted, or the newest."""
        if has_buttons(channel.capabilities) or standing is not Standing.OWNER:
            return None
        seat = seat_of(message)
        lately = await self._rows.lately(seat.channel_id, seat.chat_id, seat.thread, seat.person_id)
        cards = [card for card in lately if card.kind is CardKind.OFFER]
        if any(card.press == message.update_id and not card.open for card in cards):
            return Reply("")  # it came before, and the program ended over it
        card = await self._meant(message, seat, cards)
        offer = await self._offer(card) if card is not None else None
        if card is None or offer is None:
            return None
        buttons = offer_buttons(offer, linked=was_linked(card), taps=False)
        place = picked(message.text, [Choice(button.label, button.style) for button in buttons])
        if place is None:
            return None
        await self._database.commit(RememberUpdate(card.id, message.update_id))
        said = await self.do(card, offer, buttons[place].what, message.sender.name, standing)
        return Reply(literal(said.words))

    async def _meant(self, message: InboundMessage, seat: Seat, cards: Sequence[CardRecord]) -> CardRecord | None:
        """Of another chat's offers only one that is quoted; unquoted, a number is for what was offered last."""
        usable = [card for card in cards if card.open and not is_over(card, self._clock.now())]
        if not usable:
            return None
        if message.reply_to is not None:
            for card in usable:
                if any(one.message_id == message.reply_to.message_id for one in await self._letters.of_key(card.key)):
                    return card
        conversation_id = await self._seats.conversation(seat)
        own = [card for card in usable if card.place.behalf is None and card.conversation_id == conversation_id]
        newer = await self._actions.waiting(seat, message.update_id) if own else ()
        if newer and newer[0].expires_at - ACTIONS_LAST > own[0].created_at:
            return None
        return own[0] if own else None

    # ---- what they do ----------------------------------------------------------------------------------------------

    async def do(self, card: CardRecord, offer: Offer, what: str, by: str, standing: Standing) -> Said:
        """Do what a button of this open card stands for (one of `DEEDS`), once more where it was done before."""
        if standing is not Standing.OWNER:
            return Said(OWNER_ONLY)
        try:
            if what in (NOT_NOW, MUTE):
                return await self._dismiss(card, offer, by, mute=what == MUTE)
            return await self._take(card, offer, _USES.get(what), by)
        except UsageError as reason:
            return Said(str(reason), stays=True)

    async def _take(self, card: CardRecord, offer: Offer, how: Literal["on", "once"] | None, by: str) -> Said:
        """Carry on, or say why not; what is not ready yet can be pressed again."""
        await self._turn_on(card, how, by)
        match await self._conversations.accept_offer(card.conversation_id, card.ref, by, skill=how):
            case Taken.STARTED | Taken.QUEUED:
                return Said()
            case Taken.DONE:
                return Said(TAKEN_BEFORE)
            case Taken.NOT_READY:
                missing = "connected" if offer.kind is OfferKind.APP else "on"
                return Said(f"{offer.name} is not {missing} yet. Once it is, try again.")
            case Taken.GONE | Taken.NOT_FOUND:
                return Said(OVER)

    async def _turn_on(self, card: CardRecord, how: Literal["on", "once"] | None, by: str) -> None:
        """Have a skill be used automatically, where that is what was pressed and the offer is still open.

        Raises:
            UsageError: which skills are on is set where Conch is started.
        """
        offer = open_offer(await self._log.state(card.conversation_id), card.ref)
        if how != "on" or offer is None or offer.kind is not OfferKind.SKILL:
            return
        if changes := switched(self._preferences.current, offer.target, "automatic"):
            await self._preferences.change(changes, by)

    async def _dismiss(self, card: CardRecord, offer: Offer, by: str, *, mute: bool) -> Said:
        """Fold it up; a mute is for every chat."""
        gone = await self._conversations.dismiss_offer(card.conversation_id, card.ref, by, mute=mute)
        if mute and gone is not Dismissed.NOT_FOUND:
            return Said(f"All right, I won't suggest {offer.name} again, in any chat.", stays=True)
        return Said()

    async def _offer(self, card: CardRecord) -> Offer | None:
        shown = await asked_of(self._log, card)
        return shown.offer if isinstance(shown, OfferShown) else None


_USES: Final[dict[str, Literal["on", "once"]]] = {TURN_ON: "on", USE: "once"}


def _answered(press: Press, said: Said, label: str) -> Pressed | Note:
    if not said.stays:
        return Note(said.words) if said.words else Note(label, confirms=True)

    async def reply() -> Reply:
        return Reply(literal(said.words))

    return Pressed(message_of_press(press, ""), Note(label, confirms=True), reply)


def _seat(card: CardRecord) -> Seat:
    place = card.place
    return Seat(place.channel_id, place.chat_id, place.thread, place.person_id)
