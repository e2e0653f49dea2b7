"""Offers in a chat: the card under the turn's last words, and the same card anew.

It stands only in the owner's own private chat, for only the owner turns things on; of their turn in a group too, with
the group named. How it looks is in `channels.cards.offered`, what its buttons do in `channels.taking`.
"""

import structlog

from channels.actions import shows_actions
from channels.base import Channel
from channels.cards.dealing import NOTHING, Dealt, DealtTo
from channels.cards.faces import asked_of
from channels.cards.offered import BELOW, LASTS, NO_LINK, Connecting, draft_of, offer_drawn
from channels.cards.places import CardPlaces, chat_of_place
from channels.cards.tokens import CardToken, hash_of, new_handle, new_key
from channels.composing import compose
from channels.outbox import Outbox
from core.apps.links import ConnectLinks
from core.cards import Offer, OfferKind
from core.clock import Clock
from core.errors import StoreUnavailable
from core.events import ChatKind, Event, OfferShown, UserMessage
from core.offers.carrying import open_offer
from core.skills.skill import may
from core.skills.skills import Skills
from core.store.cards import CardKind, CardPlace, CardRecord, CardRows, CloseCards, OpenCard
from core.store.changes import Change
from core.store.database import Database
from core.store.groups import Groups
from core.store.log import EventLog
from core.store.outbox import Kind, Post
from core.store.people import People
from core.store.seats import Seat, Seats

_log = structlog.get_logger(__name__)

MOST_RENEWED = 3
"""Open offers of one chat that are shown anew at once: its own, and those of a few groups."""


class Offers:
    """Makes cards of offers."""

    def __init__(
        self, *, database: Database, outbox: Outbox, links: ConnectLinks, skills: Skills, clock: Clock
    ) -> None:
        self._outbox = outbox
        self._log = EventLog(database)
        self._rows = CardRows(database)
        self._places = CardPlaces(self._log, People(database), Groups(database), Seats(database))
        self._links = links
        self._skills = skills
        self._clock = clock

    async def show(self, event: Event, to: DealtTo) -> Dealt:
        """The card of an offer, for when its turn has ended; nothing where it cannot stand, or is over already."""
        if not isinstance(event.data, OfferShown):
            return NOTHING
        try:
            place = await self._place(event.conversation_id, event.data.offer, to)
            if place is None or not shows_actions(to.channel, chat_of_place(place)):
                return NOTHING
            key = f"{event.conversation_id}:{to.turn_seq}:card:{event.seq}"
            return await self._card(event, to.turn_seq, event.data.offer, to.channel, place, key)
        except StoreUnavailable as reason:
            _log.warning("an offer is not shown", reason=str(reason))
            return NOTHING

    async def renew(self, seat: Seat, update_id: str) -> tuple[tuple[Post, ...], tuple[Change, ...]]:
        """The open offers of the owner's private chat as new messages, with fresh buttons and links; the old ones fold.

        For the same update it is the same once more.

        Raises:
            StoreUnavailable: they cannot be looked up now.
        """
        channel = self._outbox.channel(seat.channel_id)
        if channel is None:
            return (), ()
        cards = await self._rows.lately(seat.channel_id, seat.chat_id, seat.thread, seat.person_id)
        known = {card.ref: card for card in reversed(cards) if card.kind is CardKind.OFFER and card.open}
        renewed = [await self._again(card, channel, update_id) for card in list(known.values())[-MOST_RENEWED:]]
        posts = tuple(post for dealt in renewed for post in dealt.posts)
        return posts, tuple(change for dealt in renewed for change in dealt.changes)

    async def _again(self, card: CardRecord, channel: Channel, update_id: str) -> Dealt:
        shown = await asked_of(self._log, card)
        state = await self._log.state(card.conversation_id)
        if not isinstance(shown, OfferShown) or open_offer(state, card.ref) is None:
            return NOTHING
        [event] = await self._log.read(card.conversation_id, after=card.seq - 1, limit=1)
        key = f"{card.conversation_id}:{card.turn_seq}:card:{card.seq}:{channel.id}:{update_id}"
        dealt = await self._card(event, card.turn_seq, shown.offer, channel, card.place, key)
        folded = CloseCards(card.conversation_id, BELOW, ref=card.ref, but=key)
        return Dealt(dealt.posts, (*dealt.changes, folded))

    async def _place(self, conversation_id: str, offer: Offer, to: DealtTo) -> CardPlace | None:
        """The owner's private chat, where it was them who asked and the offer is still open."""
        state = await self._log.state(conversation_id)
        if open_offer(state, offer.offer_id) is None or state.last_user_seq is None:
            return None
        [asked] = await self._log.read(conversation_id, after=state.last_user_seq - 1, limit=1)
        origin = asked.data.origin if isinstance(asked.data, UserMessage) else None
        if origin is None or origin.role != "owner" or origin.person_id is None:
            return None
        if to.address.chat_kind is ChatKind.PRIVATE:
            return self._places.own_chat(to.address, origin.person_id)
        return await self._places.elsewhere(to.channel, to.address, origin.person_id)

    async def _card(
        self, event: Event, turn_seq: int, offer: Offer, channel: Channel, place: CardPlace, key: str
    ) -> Dealt:
        handle, secret = new_handle(), new_key()
        connecting = await self._connecting(event.conversation_id, offer)
        drawing = offer_drawn(
            offer,
            channel.capabilities,
            lambda what: str(CardToken(handle, secret, 0, what)),
            allowed=self._allowed(offer),
            connecting=connecting,
            behalf=place.behalf,
        )
        chat, capabilities = chat_of_place(place), channel.capabilities
        posts = compose(capabilities, chat, key, drawing.markdown, kind=Kind.NOTICE, buttons=drawing.buttons)
        opening = OpenCard(
            handle=handle,
            token_hash=hash_of(secret),
            key=key,
            conversation_id=event.conversation_id,
            turn_seq=turn_seq,
            seq=event.seq,
            kind=CardKind.OFFER,
            ref=offer.offer_id,
            place=place,
            draft=draft_of(connecting),
            redraw_at=self._clock.now() + LASTS,
        )
        return Dealt(tuple(posts), (opening,))

    def _allowed(self, offer: Offer) -> str:
        """What a skill may do once it is used."""
        if offer.kind is not OfferKind.SKILL:
            return ""
        return next((may(skill) for skill in self._skills.all() if skill.id == offer.target), "")

    async def _connecting(self, conversation_id: str, offer: Offer) -> Connecting:
        if offer.kind is not OfferKind.APP:
            return NO_LINK
        link = await self._links.link(conversation_id, offer.offer_id, offer.target)
        return Connecting(link, self._links.local) if link is not None else NO_LINK
