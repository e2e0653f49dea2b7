"""From the log to cards: which card an event shows, changes or closes, and in which chat. The relay posts it.

Telling the same event again (after a crash) deals the same: a card's message has a key made from its event. Who cannot
be asked is not waited for: the turn goes on at once, and the chat hears why.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

from channels.abilities import Edits
from channels.base import Channel, ChatRef
from channels.cards.decided import answered_line, end_of, resolved_line, skipped_line
from channels.cards.drawing import drawn
from channels.cards.faces import Asked, asked_of, prompt_of
from channels.cards.filling import Filling
from channels.cards.forms import way_of
from channels.cards.offered import end_of_offer
from channels.cards.places import CardPlaces, Whose, chat_of_place
from channels.cards.prompts import checklist_text, folded_text, plan_text
from channels.cards.tokens import CardToken, hash_of, new_handle, new_key
from channels.choices import has_buttons
from channels.composing import compose
from channels.formatting.parts import literal
from core.asking import ATTENDED_WAIT
from core.cards import PlanStep
from core.clock import Clock
from core.conversations import Conversations
from core.engines.base import EXIT_PLAN_MODE
from core.events import (
    Address,
    ChatKind,
    Event,
    OfferResolved,
    OfferShown,
    PermissionRequested,
    PermissionResolved,
    PlanUpdated,
    QuestionAnswered,
    QuestionAsked,
    TurnCompleted,
)
from core.patience import patiently
from core.store.cards import CardKind, CardPlace, CardRows, CloseCards, OpenCard, RenewCard
from core.store.changes import Change
from core.store.database import Database
from core.store.groups import Groups
from core.store.log import EventLog
from core.store.outbox import Kind, Post
from core.store.people import People
from core.store.seats import Seats

CARD_EVENTS: Final = (QuestionAsked, QuestionAnswered, PermissionRequested, PermissionResolved, PlanUpdated)
"""What concerns cards alone; the end of a turn closes them too."""

NOBODY: Final = "Conch"
"""Who decides where nobody can be asked."""

TO_HAVE_ONE: Final = "Write to me in private once, and next time I can ask."
LOST: Final = f"I could not ask in private, because my messages do not arrive there. So I go on without. {TO_HAVE_ONE}"

_MOMENT: Final = timedelta(minutes=1)
"""By which the time that something waited may be read shorter than it was."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """What an event comes to: messages, what is stored with them, and what is to be done once both are stored."""

    posts: tuple[Post, ...] = ()
    changes: tuple[Change, ...] = ()
    then: Callable[[], Awaitable[object]] | None = None


NOTHING: Final = Dealt()


@dataclass(frozen=True, slots=True)
class DealtTo:
    """The turn that an event belongs to, as its chat knows it."""

    turn_seq: int
    channel: Channel
    address: Address


class Dealing:
    """Makes cards of events."""

    def __init__(self, database: Database, conversations: Conversations, clock: Clock) -> None:
        self._log = EventLog(database)
        self._rows = CardRows(database)
        self._places = CardPlaces(self._log, People(database), Groups(database), Seats(database))
        self._conversations = conversations
        self._clock = clock

    async def deal(self, event: Event, to: DealtTo | None) -> Dealt:
        """What one event comes to; `to` is None where its turn is followed in no chat, or not known here.

        Raises:
            StoreUnavailable: something cannot be looked up now.
        """
        match event.data:
            case QuestionAsked() | PermissionRequested() as asked if to is not None:
                return await self._ask(event, asked, to)
            case PlanUpdated() as plan if to is not None:
                return await self._show_plan(event, plan, to)
            case QuestionAnswered(question_id=ref) | PermissionResolved(permission_id=ref) as reply:
                return await self._close(event, ref, reply)
            case OfferResolved() as resolved:
                return await self._fold(event, resolved)
            case TurnCompleted() as completed if to is not None:
                return await self._end(event, completed, to)
        return NOTHING

    def give_up(self, event: Event) -> Dealt:
        """Its turn is followed in a chat that is not there any more: whatever is asked goes without an answer."""
        asked = event.data
        if isinstance(asked, QuestionAsked | PermissionRequested):
            return Dealt(then=self._without_an_answer(event, asked))
        return NOTHING

    # ---- something is asked ----------------------------------------------------------------------------------------

    async def _ask(self, event: Event, asked: QuestionAsked | PermissionRequested, to: DealtTo) -> Dealt:
        whose = await self._places.whose(event.conversation_id, to.turn_seq)
        if whose is not None and isinstance(asked, PermissionRequested) and asked.asks_owner:
            return await self._ask_owner(event, asked, to, whose)
        place = await self._place(to, whose) if whose is not None else None
        if whose is None or place is None:
            return self._unreached(event, asked, to, whose)
        return self._card(event, asked, to, place)

    async def _ask_owner(
        self, event: Event, asked: QuestionAsked | PermissionRequested, to: DealtTo, whose: Whose
    ) -> Dealt:
        """What holds back a let-in person's turn is the owner's to decide; that they are asked, the core says."""
        owner = await self._places.owner(to.channel.id)
        place = await self._places.elsewhere(to.channel, to.address, owner.person_id, whose) if owner else None
        if place is None:
            return self._unreached(event, asked, to, owner)
        return self._card(event, asked, to, place)

    async def _place(self, to: DealtTo, whose: Whose) -> CardPlace | None:
        if to.address.chat_kind is ChatKind.PRIVATE:
            return self._places.own_chat(to.address, whose.person_id)
        return await self._places.elsewhere(to.channel, to.address, whose.person_id)

    def _card(self, event: Event, asked: QuestionAsked | PermissionRequested, to: DealtTo, place: CardPlace) -> Dealt:
        capabilities, chat, key = to.channel.capabilities, chat_of_place(place), _key(event, to)
        posts: tuple[Post, ...] = ()
        if isinstance(asked, PermissionRequested) and asked.tool_name == EXIT_PLAN_MODE:
            posts = compose(capabilities, chat, f"{key}:plan", plan_text(asked, place.behalf), kind=Kind.NOTICE)
        handle, secret = new_handle(), new_key()
        prompt = prompt_of(asked, Filling(), place.behalf, way=way_of(to.channel, asked))
        drawing = drawn(prompt, capabilities, lambda what: str(CardToken(handle, secret, 0, what)))
        posts += compose(
            capabilities, chat, key, drawing.markdown, kind=Kind.NOTICE, buttons=drawing.buttons, form=drawing.form
        )
        return Dealt(posts, (_opening(event, to, place, asked, handle, secret, key),))

    # ---- nobody can be asked ---------------------------------------------------------------------------------------

    def _unreached(
        self, event: Event, asked: QuestionAsked | PermissionRequested, to: DealtTo, whose: Whose | None
    ) -> Dealt:
        """Say so in the turn's chat, and let the turn go on without an answer."""
        who = literal(whose.name) if whose is not None else "anybody"
        what = "ask" if isinstance(asked, QuestionAsked) else "ask for a yes from"
        words = (
            f"I wanted to {what} {who} in private, but we have no private chat yet. So I go on without. {TO_HAVE_ONE}"
        )
        return Dealt(_remark(event, to, "unreached", words), then=self._without_an_answer(event, asked))

    async def lose(self, key: str, channel: Channel | None) -> Dealt:
        """The app will never take the message with this key: where it was a card, nobody is waited for.

        Raises:
            StoreUnavailable: it cannot be looked up now.
        """
        card = await self._rows.of_key(key)
        if card is None or not card.open:
            return NOTHING
        for event in await self._log.read(card.conversation_id, after=card.seq - 1, limit=1):
            if isinstance(asked := event.data, QuestionAsked | PermissionRequested):
                address = (await self._log.state(card.conversation_id)).turn_address
                told: tuple[Post, ...] = ()
                if channel is not None and address is not None and card.place.behalf is not None:
                    told = _remark(event, DealtTo(card.turn_seq, channel, address), "lost", LOST)
                return Dealt(told, then=self._without_an_answer(event, asked))
        return NOTHING

    def _without_an_answer(
        self, event: Event, asked: QuestionAsked | PermissionRequested
    ) -> Callable[[], Awaitable[object]]:
        conversation_id, core = event.conversation_id, self._conversations
        door: Callable[[], Awaitable[object]]
        if isinstance(asked, QuestionAsked):
            door = partial(core.answer_question, conversation_id, asked.question.question_id, None, NOBODY)
        else:
            door = partial(core.resolve_permission, conversation_id, asked.permission_id, "deny", NOBODY)
        return partial(patiently, door, self._clock)

    # ---- the checklist ---------------------------------------------------------------------------------------------

    async def _show_plan(self, event: Event, plan: PlanUpdated, to: DealtTo) -> Dealt:
        """Shown once and edited in place from then on; where nothing can be edited, the relay says it at the end."""
        if not edits_in_place(to.channel):
            return NOTHING
        renewed = RenewCard(event.conversation_id, to.turn_seq, plan_ref(to.turn_seq), event.seq)
        whose = await self._places.whose(event.conversation_id, to.turn_seq)
        place = await self._place(to, whose) if whose is not None else None
        if place is None or not plan.steps:
            return Dealt(changes=(renewed,))
        key = f"{event.conversation_id}:{to.turn_seq}:plan"
        words = checklist_text(plan.steps, place.behalf, to.channel.capabilities.max_text)
        posts = compose(to.channel.capabilities, chat_of_place(place), key, words, kind=Kind.NOTICE)
        return Dealt(posts, (_opening(event, to, place, plan, new_handle(), new_key(), key), renewed))

    async def _end(self, event: Event, completed: TurnCompleted, to: DealtTo) -> Dealt:
        """Nobody is waited for any more; and a plan that could not be edited is said once, as it stands."""
        closing = CloseCards(event.conversation_id, skipped_line(end_of(completed)), turn_seq=to.turn_seq)
        posts: tuple[Post, ...] = ()
        if not edits_in_place(to.channel) and (steps := await self._steps_of(event, to.turn_seq)):
            whose = await self._places.whose(event.conversation_id, to.turn_seq)
            place = await self._place(to, whose) if whose is not None else None
            if place is not None:
                words = f"{checklist_text(steps, place.behalf)}\n\n{folded_text(steps)}"
                key = f"{event.conversation_id}:{to.turn_seq}:plan"
                posts = compose(to.channel.capabilities, chat_of_place(place), key, words, kind=Kind.NOTICE)
        return Dealt(posts, (closing,))

    async def _steps_of(self, event: Event, turn_seq: int) -> tuple[PlanStep, ...]:
        """The plan that a turn left behind; none where it had none."""
        plan = (await self._log.state(event.conversation_id)).latest_plan
        return plan.steps if plan is not None and turn_seq < plan.seq < event.seq else ()

    # ---- something was decided -------------------------------------------------------------------------------------

    async def _close(self, event: Event, ref: str, reply: QuestionAnswered | PermissionResolved) -> Dealt:
        """Wherever it was decided, the card says so. What ended with its turn is closed by the end of the turn."""
        card = await self._rows.of_ref(event.conversation_id, ref)
        asked = await asked_of(self._log, card) if card is not None else None
        if card is None or _ended_with_its_turn(reply, event, waited=event.at - card.created_at):
            return NOTHING
        return Dealt(changes=(CloseCards(event.conversation_id, line_of(asked, reply), ref=ref),))

    async def _fold(self, event: Event, resolved: OfferResolved) -> Dealt:
        """Taken, dismissed or over: wherever that was, the card of the offer folds."""
        card = await self._rows.of_ref(event.conversation_id, resolved.offer_id)
        shown = await asked_of(self._log, card) if card is not None else None
        if not isinstance(shown, OfferShown):
            return NOTHING
        note = end_of_offer(shown.offer, resolved.outcome)
        return Dealt(changes=(CloseCards(event.conversation_id, note, ref=resolved.offer_id),))


def line_of(asked: Asked | None, reply: QuestionAnswered | PermissionResolved) -> str | None:
    """What was decided; None where the card's own event is not to be had."""
    match asked, reply:
        case QuestionAsked(question=question), QuestionAnswered() as answered:
            return answered_line(question, answered)
        case PermissionRequested() as requested, PermissionResolved() as resolved:
            return resolved_line(requested, resolved)
    return None


def plan_ref(turn_seq: int) -> str:
    """What names the checklist of a turn."""
    return f"plan:{turn_seq}"


def edits_in_place(channel: Channel) -> bool:
    """Whether a message can say something else later, and people see it: where there are buttons, they do."""
    return isinstance(channel, Edits) and has_buttons(channel.capabilities)


def _ended_with_its_turn(reply: QuestionAnswered | PermissionResolved, event: Event, waited: timedelta) -> bool:
    if isinstance(reply, QuestionAnswered):
        return reply.words is None and reply.by is None and not reply.expired
    return reply.decision == "expired" and waited < ATTENDED_WAIT - _MOMENT


def _key(event: Event, to: DealtTo) -> str:
    return f"{event.conversation_id}:{to.turn_seq}:card:{event.seq}"


def _opening(event: Event, to: DealtTo, place: CardPlace, asked: Asked, handle: str, secret: str, key: str) -> OpenCard:
    match asked:
        case QuestionAsked(question=question):
            kind, ref = CardKind.QUESTION, question.question_id
        case PermissionRequested(permission_id=permission_id):
            kind, ref = CardKind.PERMISSION, permission_id
        case _:
            kind, ref = CardKind.PLAN, plan_ref(to.turn_seq)
    return OpenCard(
        handle=handle,
        token_hash=hash_of(secret),
        key=key,
        conversation_id=event.conversation_id,
        turn_seq=to.turn_seq,
        seq=event.seq,
        kind=kind,
        ref=ref,
        place=place,
        draft=Filling().model_dump_json(),
    )


def _remark(event: Event, to: DealtTo, kind: str, words: str) -> tuple[Post, ...]:
    """One line in the turn's own chat."""
    address = to.address
    chat = ChatRef(address.channel_id, address.chat_id, address.chat_kind, address.thread)
    key = f"{_key(event, to)}:{kind}"
    return compose(to.channel.capabilities, chat, key, words, reply_to=address.reply_to, kind=Kind.NOTICE)
