"""What an answer to a card does: fill in one more field, or tell the core, which says whether it came first.

How an answer was given, by a press or in words, and whose it may be, is in `channels.cards.desk`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from channels.base import Channel, InboundMessage
from channels.cards.dealing import edits_in_place, line_of
from channels.cards.decided import ALREADY
from channels.cards.drawing import drawn
from channels.cards.faces import filling_of, key_in, prompt_of
from channels.cards.filling import Filling, Finished, Hint, told_of
from channels.cards.forms import way_of
from channels.cards.places import chat_of_place
from channels.cards.prompts import ALLOW, ALWAYS, DENY, permission_prompt
from channels.cards.redrawing import Redrawing
from channels.cards.tokens import CardToken
from channels.composing import compose
from channels.outbox import Outbox
from channels.pressing import NOTES
from channels.provenance import client_id_of
from core.conversations import Conversations
from core.events import Origin, PermissionRequested, PermissionResolved, QuestionAnswered, QuestionAsked
from core.store.actions import Denied
from core.store.cards import CardRecord, FillCard, RememberUpdate
from core.store.changes import Change
from core.store.database import Database
from core.store.inbox import Done
from core.store.outbox import Kind, OutboxRows, Post
from core.store.queue import QueuedMessage


@dataclass(frozen=True, slots=True)
class Answerer:
    """Somebody who answers, by which update of which channel.

    `typed` is the message, where they typed; `pressed` the app's id of the message, where they pressed.
    """

    channel: Channel
    update_id: str
    name: str
    typed: InboundMessage | None = None
    pressed: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What it came to: the note for a press, and what is said back to words. Not `heard`: the card does not wait.

    `confirms`: the note only repeats what was pressed or sent.
    """

    note: str
    reply: str = ""
    heard: bool = True
    confirms: bool = False


class Answering:
    """Sees answers through."""

    def __init__(
        self, *, database: Database, conversations: Conversations, outbox: Outbox, redrawing: Redrawing
    ) -> None:
        self._database = database
        self._conversations = conversations
        self._outbox = outbox
        self._redrawing = redrawing
        self._letters = OutboxRows(database)

    # ---- a permission ----------------------------------------------------------------------------------------------

    async def decide(self, card: CardRecord, asked: PermissionRequested, what: str, by: Answerer) -> Outcome:
        """Allow it or not."""
        label = next((button.label for button in permission_prompt(asked).buttons if button.what == what), None)
        decision = _DECISIONS.get(what)
        if label is None or decision is None:
            return Outcome(NOTES[Denied.UNKNOWN])
        await self._remember(card, by)
        resolved = await self._conversations.resolve_permission(
            card.conversation_id, asked.permission_id, decision, by.name
        )
        if resolved.outcome == "resolved":
            return Outcome(label, confirms=True)
        return _too_late(card, asked, resolved.earlier, by)

    # ---- a question ------------------------------------------------------------------------------------------------

    async def go_on(
        self, card: CardRecord, asked: QuestionAsked, step: Filling | Finished | Hint | None, label: str, by: Answerer
    ) -> Outcome:
        """Do what a tap, or the value of a field, came to. `label` is what was tapped or typed."""
        match step:
            case None:
                return Outcome(NOTES[Denied.UNKNOWN])
            case Hint(words=words):
                return Outcome(words, words)
            case Finished(values=values):
                return await self._answer(card, asked, values, label, by)
            case Filling():
                filled = await self._fill(card, asked, step, by)
                return Outcome(label, confirms=True) if filled else Outcome(NOTES[Denied.REPLACED])

    async def say_freely(
        self, card: CardRecord, asked: QuestionAsked, message: InboundMessage, origin: Origin, by: Answerer
    ) -> Outcome:
        """Words that are no field's value answer the whole question; they stand in the log as the person's message.

        What was filled in before is not lost over them.
        """
        said = QueuedMessage(
            text=message.text,
            origin=origin,
            client_ids=(client_id_of(message),),
            others_words=origin.role != "owner",
        )
        before = told_of(asked.question, filling_of(card))
        words = f"{before}; and in their own words: {message.text}" if before else message.text
        return await self._answer(card, asked, words, message.text, by, said)

    async def _answer(
        self,
        card: CardRecord,
        asked: QuestionAsked,
        answer: Mapping[str, Any] | str | None,
        label: str,
        by: Answerer,
        said: QueuedMessage | None = None,
    ) -> Outcome:
        await self._remember(card, by)
        question_id = asked.question.question_id
        answered = await self._conversations.answer_question(
            card.conversation_id, question_id, answer, by.name, message=said
        )
        if answered.outcome == "not-found":
            return _too_late(card, asked, answered.earlier, by)
        if answered.outcome == "invalid":
            return Outcome(answered.sentence or "", answered.sentence or "")
        return Outcome(label, confirms=True)

    async def _remember(self, card: CardRecord, by: Answerer) -> None:
        """So that the same words, should they come again, are known to have been an answer."""
        if by.typed is not None:
            await self._database.commit(RememberUpdate(card.id, by.update_id))

    # ---- the next field --------------------------------------------------------------------------------------------

    async def _fill(self, card: CardRecord, asked: QuestionAsked, filling: Filling, by: Answerer) -> bool:
        """In the same message where it can be changed and is the last one; else in a new one.

        False: another process was first.
        """
        fill = FillCard(card.id, card.version, filling.model_dump_json(), by.update_id, message_id=by.pressed)
        filled = True
        if edits_in_place(by.channel) and by.typed is None:
            filled = await self._database.commit_one(fill)
        else:
            await self._go_on_below(card, asked, filling, fill, by)
        self._redrawing.wake()
        return filled

    async def _go_on_below(
        self, card: CardRecord, asked: QuestionAsked, filling: Filling, fill: FillCard, by: Answerer
    ) -> None:
        key = f"{card.key}:{card.version + 1}"
        posts = await self._next_message(card, asked, filling, key, by.channel)
        below = FillCard(fill.id, fill.version, fill.draft, fill.press, key)
        done: tuple[Change, ...] = () if by.typed is None else (Done(by.channel.id, by.update_id),)
        await self._outbox.post(posts, below, *done)
        self._redrawing.take_buttons(card)

    async def _next_message(
        self, card: CardRecord, asked: QuestionAsked, filling: Filling, key: str, channel: Channel
    ) -> tuple[Post, ...]:
        capabilities = channel.capabilities
        letters = await self._letters.of_key(card.key)
        secret = next((found for letter in letters if (found := key_in(letter)) is not None), "")
        prompt = prompt_of(asked, filling, card.place.behalf, way=way_of(channel, asked))
        drawing = drawn(prompt, capabilities, lambda what: str(CardToken(card.handle, secret, filling.field, what)))
        chat = chat_of_place(card.place)
        return compose(
            capabilities, chat, key, drawing.markdown, kind=Kind.NOTICE, buttons=drawing.buttons, form=drawing.form
        )


_DECISIONS: Final[Mapping[str, Literal["allow", "allow-always", "deny"]]] = {
    ALLOW: "allow",
    ALWAYS: "allow-always",
    DENY: "deny",
}


def _too_late(
    card: CardRecord,
    asked: QuestionAsked | PermissionRequested,
    earlier: QuestionAnswered | PermissionResolved | None,
    by: Answerer,
) -> Outcome:
    """Somebody was first, or nobody can answer any more. The very same answer, come again, was its own first."""
    if card.press == by.update_id:
        return Outcome("")
    line = (line_of(asked, earlier) if earlier is not None else None) or ALREADY
    return Outcome(line, line, heard=False)
