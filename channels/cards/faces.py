"""How a stored card looks now: from the event that it draws, what was filled in, and what was decided."""

from typing import assert_never

from pydantic import ValidationError

from channels.base import Channel
from channels.cards.drawing import Drawn, drawn, with_note
from channels.cards.filling import Filling
from channels.cards.forms import Way, way_of
from channels.cards.offered import offer_face
from channels.cards.prompts import (
    Prompt,
    checklist_text,
    folded_text,
    permission_prompt,
    question_prompt,
    settled_text,
)
from channels.cards.tokens import CardToken
from channels.outbox import message_of
from core.events import OfferShown, PermissionRequested, PlanUpdated, QuestionAsked
from core.store.cards import CardRecord
from core.store.log import EventLog
from core.store.outbox import Letter

Asked = QuestionAsked | PermissionRequested | PlanUpdated | OfferShown
"""The events that cards are drawn from."""


async def asked_of(log: EventLog, card: CardRecord) -> Asked | None:
    """The event that a card draws; None when the log does not have it (any more)."""
    events = await log.read(card.conversation_id, after=card.seq - 1, limit=1)
    data = events[0].data if events else None
    return data if isinstance(data, Asked) else None


def filling_of(card: CardRecord) -> Filling:
    """What was filled in so far; a shape that this release does not know is begun anew."""
    try:
        return Filling.model_validate_json(card.draft)
    except ValidationError:
        return Filling()


def prompt_of(asked: QuestionAsked | PermissionRequested, filling: Filling, behalf: str | None, *, way: Way) -> Prompt:
    """A card that somebody can answer."""
    if isinstance(asked, QuestionAsked):
        return question_prompt(asked.question, filling, behalf, way=way)
    return permission_prompt(asked, behalf)


def face_of(card: CardRecord, asked: Asked, channel: Channel, key: str | None) -> Drawn:
    """A card as its app should show it. `key` is its buttons'; without it they cannot be drawn, and are left out."""
    if isinstance(asked, OfferShown):
        return offer_face(card, asked.offer, channel.capabilities)
    behalf, filling = card.place.behalf, filling_of(card)
    if isinstance(asked, PlanUpdated):
        if not card.open:
            return Drawn(folded_text(asked.steps, behalf))
        return Drawn(checklist_text(asked.steps, behalf, channel.capabilities.max_text))
    if not card.open:
        return Drawn(with_note(_settled(asked, behalf), card.note))
    prompt = prompt_of(asked, filling, behalf, way=way_of(channel, asked))
    if key is None:
        return Drawn(prompt.text)
    return drawn(prompt, channel.capabilities, lambda what: str(CardToken(card.handle, key, filling.field, what)))


def _settled(asked: QuestionAsked | PermissionRequested, behalf: str | None) -> str:
    match asked:
        case QuestionAsked(question=question):
            return settled_text(question, behalf)
        case PermissionRequested():
            return permission_prompt(asked, behalf).text
        case _:
            assert_never(asked)


def key_in(letter: Letter) -> str | None:
    """The key of the buttons that a message was sent with."""
    tokens = (CardToken.read(button.token or "") for button in message_of(letter).buttons)
    return next((token.key for token in tokens if token is not None), None)
