"""Taking an offer, and going on with what was asked: exactly once, however many press, and whatever ends in between.

    (shown) ──accept, if it is ready now──▶ accepted, and waiting in the queue ──▶ (a turn carries on)
       ├──dismiss──▶ dismissed
       └──a newer message, a clear──▶ expired

That it was accepted and that a turn is due are stored in one transaction, so a restart in between carries on once.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final, Literal

from core.cards import Offer, OfferKind, TakenOffer
from core.conversation_state import ConversationState
from core.events import EventData, Notice, OfferResolved, OptionsSet, Origin, Trigger, TurnStarted, UserMessage
from core.offers.desk import Shelf
from core.preferences import Preferences
from core.projections import expired_offers
from core.store.changes import Change, Step, Transaction
from core.store.database import Database
from core.store.log import Decide, EventLog
from core.store.queue import Enqueue, QueuedMessage

_REMEMBERED: Final = 200
"""Offers of a conversation among which an earlier one is looked for."""

SkillUse = Literal["on", "once"]


class Taken(StrEnum):
    """What became of the wish to take an offer."""

    STARTED = "started"
    """The assistant carries on."""
    QUEUED = "queued"
    """It carries on as soon as what runs has ended, before anything else that waits."""
    DONE = "done"
    """It was taken before."""
    GONE = "gone"
    """It was dismissed, or something newer was said: what was turned on stays on, and nothing is carried on."""
    NOT_READY = "not-ready"
    """It is not connected, or not on; the card can still be used."""
    NOT_FOUND = "not-found"


class Dismissed(StrEnum):
    """What became of the wish to hear no more of an offer."""

    DISMISSED = "dismissed"
    """Now or before."""
    GONE = "gone"
    """It was taken, or something newer was said."""
    NOT_FOUND = "not-found"


# ---- what is decided -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResolveOffer:
    """Take or dismiss an offer; the first who does counts."""

    offer_id: str
    outcome: Literal["accepted", "dismissed"]
    by: str

    def events(self, state: ConversationState) -> tuple[EventData, ...]:
        """Nothing where it is not open (any more)."""
        if open_offer(state, self.offer_id) is None:
            return ()
        return (OfferResolved(offer_id=self.offer_id, outcome=self.outcome, by=self.by),)


@dataclass(frozen=True, slots=True)
class TakeOffer(Change[bool]):
    """Accept an offer and have a turn for it wait; False where it is not open (any more), and nothing was stored."""

    step: ClassVar[Step] = Step.DECIDE

    conversation_id: str
    accept: ResolveOffer
    message: QueuedMessage

    @classmethod
    def apply_many(cls, tx: Transaction, changes: Sequence["TakeOffer"]) -> Sequence[bool]:
        """One after the other: of several at once the first is the one."""
        return [_take(tx, change) for change in changes]


def _take(tx: Transaction, change: TakeOffer) -> bool:
    [decided] = Decide.apply_many(tx, [Decide(change.conversation_id, change.accept)])
    if decided.events:
        Enqueue.apply_many(tx, [Enqueue(change.conversation_id, change.message, whatever_waits=True)])
    return bool(decided.events)


def open_offer(state: ConversationState, offer_id: str) -> Offer | None:
    """The offer with this id that can be taken."""
    return next((offer for offer in state.open_offers if offer.offer_id == offer_id), None)


# ---- the turn that carries on --------------------------------------------------------------------------------------


def carrying_on(taken: TakenOffer, said: UserMessage | None) -> QueuedMessage:
    """What goes to the engine. It answers where the person asked, with the files that they sent."""
    return QueuedMessage(
        text=f"{_now_there(taken)} Carry on with what they asked, and do not explain how it was turned on. They asked:"
        f"\n\n{taken.offer.request}",
        origin=said.origin if said else Origin(kind="console"),
        attachments=said.attachments if said else (),
        others_words=said.others_words if said else False,
        trigger=Trigger.CARRY_ON,
        carries=taken,
    )


def carried_on(
    state: ConversationState, message: QueuedMessage, turn: TurnStarted, options: OptionsSet | None = None
) -> tuple[EventData, ...]:
    """What a turn that carries on appends: no new message, but a quiet line. The last one is the turn."""
    told = () if message.carries is None else (_line(message.carries, message.origin),)
    return (*expired_offers(state), *((options,) if options else ()), *told, turn)


def once(taken: TakenOffer) -> tuple[str, ...]:
    """The client ids under which the turn is opened: a second one, in whatever process, is none."""
    return (f"carries-on:{taken.offer.offer_id}",)


def _now_there(taken: TakenOffer) -> str:
    match taken.offer.kind, taken.skill:
        case OfferKind.SKILL, "once":
            return f"The person lets you use the skill “{taken.offer.name}” for this one request."
        case OfferKind.SKILL, _:
            return f"The skill “{taken.offer.name}” is on now, and you can use it."
        case _:
            return f"{taken.offer.name} is connected now, and you can use it."


def _line(taken: TakenOffer, origin: Origin) -> Notice:
    match taken.offer.kind, taken.skill:
        case OfferKind.SKILL, "once":
            done = "Using"
        case OfferKind.SKILL, _:
            done = "Turned on"
        case _:
            done = "Connected"
    return Notice(code="carrying-on", message=f"{done} {taken.offer.name} · carrying on", address=origin.address)


# ---- the doors -----------------------------------------------------------------------------------------------------


class Carrying:
    """Takes and dismisses offers. That a turn then begins is the caller's to see to."""

    def __init__(self, database: Database, shelf: Shelf, preferences: Preferences) -> None:
        self._database = database
        self._log = EventLog(database)
        self._shelf = shelf
        self._preferences = preferences
        self._one_mute = asyncio.Lock()

    async def take(self, conversation_id: str, offer_id: str, by: str, skill: SkillUse | None) -> Taken:
        """Accept an offer; `queued` says that its turn waits, and nobody else will begin it.

        Raises:
            StoreUnavailable: nothing was stored.
        """
        state = await self._log.state(conversation_id)
        offer = open_offer(state, offer_id)
        if offer is not None:
            if not self._is_ready(offer, skill):
                return Taken.NOT_READY
            taken = TakenOffer(offer=offer, skill=skill if offer.kind is OfferKind.SKILL else None)
            message = carrying_on(taken, await self._said(conversation_id, state))
            accept = ResolveOffer(offer_id, "accepted", by)
            if await self._database.commit_one(TakeOffer(conversation_id, accept, message)):
                return Taken.QUEUED
        match await self._outcome(conversation_id, offer_id):
            case "accepted":
                return Taken.DONE
            case None:
                return Taken.NOT_FOUND
            case _:
                return Taken.GONE

    async def dismiss(self, conversation_id: str, offer_id: str, by: str, *, mute: bool) -> Dismissed:
        """Fold an offer up, and with `mute` never suggest it again, in any chat.

        Raises:
            UsageError: what is muted is set where Conch is started; the offer is dismissed even so.
            StoreUnavailable: nothing was stored, or the offer is dismissed and not muted.
        """
        offer = await self._offer(conversation_id, offer_id)
        if offer is None:
            return Dismissed.NOT_FOUND
        await self._database.commit_one(Decide(conversation_id, ResolveOffer(offer_id, "dismissed", by)))
        if mute:
            await self._mute(offer.target if offer.kind is OfferKind.APP else f"{offer.kind.value}:{offer.target}", by)
        outcome = await self._outcome(conversation_id, offer_id)
        return Dismissed.DISMISSED if outcome == "dismissed" else Dismissed.GONE

    async def _mute(self, key: str, by: str) -> None:
        async with self._one_mute:
            muted = self._preferences.current.muted_suggestions
            if key not in muted:
                await self._preferences.change({"muted_suggestions": [*muted, key]}, by)

    def _is_ready(self, offer: Offer, skill: SkillUse | None) -> bool:
        if offer.kind is OfferKind.APP:
            return offer.target in self._shelf.connected()
        mode = next((each.mode for each in self._shelf.skills() if each.id == offer.target), "off")
        if skill == "once" or offer.skill_mode == "off":
            return mode != "off"
        return mode == "automatic"

    async def _said(self, conversation_id: str, state: ConversationState) -> UserMessage | None:
        """The message that the turn with the offer answered: the newest one, as a newer one would have expired it."""
        if state.last_user_seq is None:
            return None
        [event] = await self._log.read(conversation_id, after=state.last_user_seq - 1, limit=1)
        return event.data if isinstance(event.data, UserMessage) else None

    async def _offer(self, conversation_id: str, offer_id: str) -> Offer | None:
        for event in await self._log.newest(conversation_id, "offer", _REMEMBERED):
            offer: Offer | None = getattr(event.data, "offer", None)
            if offer is not None and offer.offer_id == offer_id:
                return offer
        return None

    async def _outcome(self, conversation_id: str, offer_id: str) -> str | None:
        for event in await self._log.newest(conversation_id, "offer.resolved", _REMEMBERED):
            if isinstance(event.data, OfferResolved) and event.data.offer_id == offer_id:
                return event.data.outcome
        return None
