"""Offers in a chat: the card under an answer, and what its buttons do.

They stand only in the owner's own private chat, for only the owner turns things on. A press turns a skill on where it
says so; whether what was offered is there now, the core looks before it carries on.
"""

from typing import Final

import structlog

from channels.actions import ChatActions, DismissOffer, LabelledAction, MuteOffer, Offered, TakeOffer, shows_actions
from channels.base import ButtonStyle, Channel, ChatRef
from channels.commands.call import CommandCall, Reply
from channels.formatting.parts import literal
from channels.gate import Standing
from core.cards import Offer, OfferKind
from core.conversations import Conversations
from core.errors import StoreUnavailable, UsageError
from core.events import UserMessage
from core.offers.carrying import Dismissed, Taken, open_offer
from core.preferences import Preferences
from core.skills.modes import switched
from core.skills.skill import may
from core.skills.skills import Skills
from core.store.actions import UNDER_OFFER, ActionRows, CloseSet
from core.store.log import EventLog

_log = structlog.get_logger(__name__)

MOST_STANDING: Final = 10_000
"""Conversations whose offers are remembered as standing; an older one's buttons go when their time is over."""

OWNER_ONLY: Final = "Only the owner of this bot can turn that on."
OVER: Final = "That offer is over, because something newer was said. Ask me again and I can offer it anew."
TAKEN_BEFORE: Final = "That was taken before, so I carry on only once."


# ---- how it looks ----------------------------------------------------------------------------------------------------


def offer_text(offer: Offer, allowed: str = "") -> str:
    """What is offered and what for, and of a skill what it is `allowed`; all words from elsewhere are data."""
    about = (
        f"**{literal(offer.name)}**: {literal(offer.description)}"
        if offer.description
        else f"**{literal(offer.name)}**"
    )
    why = [literal(offer.why)] if offer.why else []
    may_do = [literal(allowed)] if allowed else []
    return "\n\n".join([about, *why, *may_do, _how(offer)])


def _how(offer: Offer) -> str:
    if offer.kind is OfferKind.APP:
        return "It is not connected. Once it is, say so here and I carry on with what you asked."
    if offer.skill_mode == "off":
        return "It is off. Turn it on, and I carry on with what you asked."
    return "I use it only when you say so: this once, or always when it fits."


def offer_actions(conversation_id: str, offer: Offer) -> tuple[LabelledAction, ...]:
    """Its buttons, the one that takes it first."""
    named = {"conversation_id": conversation_id, "offer_id": offer.offer_id, "name": offer.name}
    on = TakeOffer(**named, how="on")
    if offer.kind is OfferKind.APP:
        takes: tuple[LabelledAction, ...] = (LabelledAction("It's connected", TakeOffer(**named), ButtonStyle.PRIMARY),)
    elif offer.skill_mode == "off":
        takes = (LabelledAction("Turn on", on, ButtonStyle.PRIMARY),)
    else:
        use = LabelledAction("Use it", TakeOffer(**named, how="once"), ButtonStyle.PRIMARY)
        takes = (use, LabelledAction("Always", on))
    return (
        *takes,
        LabelledAction("Not now", DismissOffer(**named)),
        LabelledAction("Don't suggest", MuteOffer(**named)),
    )


# ---- under an answer -------------------------------------------------------------------------------------------------


class Offers:
    """Puts offers under answers, and says which buttons go when one is over."""

    def __init__(self, log: EventLog, rows: ActionRows, actions: ChatActions, skills: Skills) -> None:
        self._log = log
        self._skills = skills
        self._rows = rows
        self._actions = actions
        self._standing: dict[str, str] = {}
        """The keys of the offers that stand, by conversation."""

    async def recover(self) -> None:
        """Know again what an earlier life of the program left standing.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        for key in await self._rows.open_under(UNDER_OFFER):
            self._standing[key.rsplit(":", 3)[0]] = key

    async def show(
        self, channel: Channel, chat: ChatRef, key: str, conversation_id: str, offer: Offer
    ) -> Offered | None:
        """Buttons for the message with this key; None where the offer cannot stand, or is over already."""
        if not shows_actions(channel, chat):
            return None
        owner_id = await self._owner(conversation_id, offer)
        if owner_id is None:
            return None
        own_key = self._standing[conversation_id] = f"{key}{UNDER_OFFER}"
        if len(self._standing) > MOST_STANDING:
            del self._standing[next(iter(self._standing))]
        return self._actions.offer(chat, owner_id, own_key, offer_actions(conversation_id, offer))

    def text(self, offer: Offer) -> str:
        """What its card says; of a skill also what that may do."""
        found = (skill for skill in self._skills.all() if skill.id == offer.target)
        skill = next(found, None) if offer.kind is OfferKind.SKILL else None
        return offer_text(offer, may(skill) if skill is not None else "")

    def take_away(self, conversation_id: str) -> CloseSet | None:
        """What closes the buttons of a conversation's offer; None where none stands."""
        key = self._standing.pop(conversation_id, None)
        return CloseSet(key) if key is not None else None

    async def _owner(self, conversation_id: str, offer: Offer) -> str | None:
        """The owner's id, where it was them who asked and the offer is still open."""
        try:
            state = await self._log.state(conversation_id)
            if open_offer(state, offer.offer_id) is None or state.last_user_seq is None:
                return None
            [asked] = await self._log.read(conversation_id, after=state.last_user_seq - 1, limit=1)
        except StoreUnavailable as reason:
            _log.warning("an offer is not shown", reason=str(reason))
            return None
        said = asked.data if isinstance(asked.data, UserMessage) else None
        return said.origin.person_id if said is not None and said.origin.role == "owner" else None


# ---- what a press does -----------------------------------------------------------------------------------------------


class OfferPresses:
    """Takes and dismisses offers for whoever pressed."""

    def __init__(self, conversations: Conversations, log: EventLog, preferences: Preferences) -> None:
        self._conversations = conversations
        self._log = log
        self._preferences = preferences

    async def take(self, call: CommandCall, action: TakeOffer) -> Reply:
        """Carry on, or say why not; what is not ready yet can be pressed again."""
        if call.standing is not Standing.OWNER:
            return Reply(OWNER_ONLY)
        try:
            await self._turn_on(action)
        except UsageError as reason:
            return Reply(str(reason))
        taken = await self._conversations.accept_offer(
            action.conversation_id, action.offer_id, call.message.sender.name, skill=action.how
        )
        match taken:
            case Taken.STARTED | Taken.QUEUED:
                return Reply("")
            case Taken.DONE:
                return Reply(TAKEN_BEFORE)
            case Taken.NOT_READY:
                return await self._not_ready(action)
            case Taken.GONE | Taken.NOT_FOUND:
                return Reply(OVER)

    async def dismiss(self, call: CommandCall, action: DismissOffer | MuteOffer) -> Reply:
        """Fold it up; a mute is for every chat."""
        if call.standing is not Standing.OWNER:
            return Reply(OWNER_ONLY)
        mute, by = isinstance(action, MuteOffer), call.message.sender.name
        try:
            gone = await self._conversations.dismiss_offer(action.conversation_id, action.offer_id, by, mute=mute)
        except UsageError as reason:
            return Reply(str(reason))
        if mute and gone is not Dismissed.NOT_FOUND:
            return Reply(f"All right, I won't suggest {literal(action.name)} again, in any chat.")
        return Reply("")

    async def _turn_on(self, action: TakeOffer) -> None:
        """Have a skill be used automatically, where that is what was pressed and the offer is still open.

        Raises:
            UsageError: which skills are on is set where Conch is started.
        """
        offer = open_offer(await self._log.state(action.conversation_id), action.offer_id)
        if action.how != "on" or offer is None or offer.kind is not OfferKind.SKILL:
            return
        if changes := switched(self._preferences.current, offer.target, "automatic"):
            await self._preferences.change(changes)

    async def _not_ready(self, action: TakeOffer) -> Reply:
        offer = open_offer(await self._log.state(action.conversation_id), action.offer_id)
        if offer is None:
            return Reply(OVER)
        missing = "connected" if offer.kind is OfferKind.APP else "on"
        words = f"{literal(offer.name)} is not {missing} yet. Once it is, press again."
        return Reply(words, actions=offer_actions(action.conversation_id, offer))
