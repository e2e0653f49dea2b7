"""Offers: taking what the assistant could use, so that it carries on; or hearing no more of it."""

from core.cards import OfferKind
from core.errors import NotFound
from core.offers.carrying import Dismissed, Taken, open_offer
from core.skills.modes import switched
from web.api import schemas
from web.api.document import Section, refusals
from web.api.parts import By, Parts, Unmet

NOT_THERE = "There was no such offer here."


class OfferRoutes:
    """The routes."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._conversations = parts.conversations

    def add_to(self, api: Section) -> None:
        """Register them."""
        one, able = "/conversations/{conversation_id}/offers/{offer_id}", refusals(404, 409)
        api.add_api_route(
            f"{one}/accept", self.accept_offer, methods=["POST"], responses=able, summary="Take an offer and carry on"
        )
        api.add_api_route(
            f"{one}/dismiss", self.dismiss_offer, methods=["POST"], responses=able, summary="Hear no more of an offer"
        )

    async def accept_offer(
        self, conversation_id: str, offer_id: str, taking: schemas.Taking, by: By
    ) -> schemas.TakenView:
        """Exactly once, however many take it. An app has to be connected before: 409 `not-ready`, and the offer stays.
        409 `offer-gone`: it was dismissed, or something newer was said."""
        await self._parts.expect(conversation_id)
        if taking.skill == "on":
            await self._turn_on(conversation_id, offer_id, by.by)
        taken = await self._conversations.accept_offer(conversation_id, offer_id, by.by, skill=taking.skill)
        match taken:
            case Taken.NOT_READY:
                raise Unmet(409, "not-ready", outcome=taken.value)
            case Taken.GONE:
                raise Unmet(409, "offer-gone", outcome=taken.value)
            case Taken.NOT_FOUND:
                raise NotFound(NOT_THERE)
        return schemas.TakenView(outcome=taken.value)

    async def dismiss_offer(
        self, conversation_id: str, offer_id: str, dismissing: schemas.Dismissing, by: By
    ) -> schemas.DismissedView:
        """409 `offer-gone`: it was taken, or something newer was said."""
        await self._parts.expect(conversation_id)
        gone = await self._conversations.dismiss_offer(conversation_id, offer_id, by.by, mute=dismissing.mute)
        if gone is Dismissed.GONE:
            raise Unmet(409, "offer-gone", outcome=gone.value)
        if gone is Dismissed.NOT_FOUND:
            raise NotFound(NOT_THERE)
        return schemas.DismissedView()

    async def _turn_on(self, conversation_id: str, offer_id: str, by: str) -> None:
        """Have a skill be used automatically, where it is a skill that is offered, and still is."""
        offer = open_offer(await self._parts.log.state(conversation_id), offer_id)
        if offer is None or offer.kind is not OfferKind.SKILL:
            return
        if changes := switched(self._parts.preferences.current, offer.target, "automatic"):
            await self._parts.preferences.change(changes, by)
