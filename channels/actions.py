"""One-tap actions: buttons under a message that wait for nobody, such as Undo after a clear.

An action is data, never a closure, so that it outlives the process that offered it. What a pressed one does is in
`channels.pressing`, how buttons go away in `channels.fading`; a question that waits for its answer is no action.

    offered ──pressed by its person, in its chat──▶ used
       ├── 20 newer sets for this person, /new, the person removed ──▶ replaced
       └── ten minutes ──▶ expired

One press uses up all buttons of a message.
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from channels.abilities import Presses
from channels.base import Button, ButtonStyle, Channel, ChatRef, Press
from channels.choices import has_buttons
from core.clock import Clock
from core.events import ChatKind
from core.store.actions import ActionRows, ClaimActions, Denied, OfferActions
from core.store.database import Database
from core.store.seats import Seat

LASTS: Final = timedelta(minutes=10)
"""How long buttons may be pressed."""

TOKEN_BITS: Final = 96
"""Random, so that nobody finds one by trying; with the button's place it is 18 bytes of the 64 that Telegram takes."""

REMEMBERED: Final = 5
"""Sets of one chat that can be picked from in words."""

LONGEST_LABEL: Final = 75
"""Characters, as the app with the shortest ones has it: api.slack.com/reference/block-kit/block-elements#button."""


class _ActionData(BaseModel):
    """Once stored, names and meanings never change; a kind that a release does not know is a button that is gone."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class RunCommand(_ActionData):
    """Run a command as if the person had typed it, with the same checks. `name` without a slash."""

    kind: Literal["command"] = "command"
    name: str
    arguments: str = ""


class UndoClear(_ActionData):
    """Take back the clear that the conversation's log has at `seq`."""

    kind: Literal["undo-clear"] = "undo-clear"
    conversation_id: str
    seq: int


class TryAgain(_ActionData):
    """Have the message of the turn with this seq (its `turn.started`) answered again."""

    kind: Literal["try-again"] = "try-again"
    conversation_id: str
    seq: int


class ShowSummary(_ActionData):
    """Show the summary that the conversation's log has at `seq`."""

    kind: Literal["show-summary"] = "show-summary"
    conversation_id: str
    seq: int


class SendText(_ActionData):
    """Send these words as the person's own message; a slash in front of them makes no command of them."""

    kind: Literal["text"] = "text"
    text: str


Action = Annotated[
    RunCommand | UndoClear | TryAgain | ShowSummary | SendText,
    Field(discriminator="kind"),
]


@dataclass(frozen=True, slots=True)
class LabelledAction:
    """An action and the button for it. The label is plain text; over 75 characters it is shortened."""

    label: str
    action: Action
    style: ButtonStyle = ButtonStyle.PLAIN


@dataclass(frozen=True, slots=True)
class Offered:
    """Buttons for a message, and what must be stored in the transaction of its post for them to work."""

    buttons: tuple[Button, ...]
    change: OfferActions


_TOKEN = re.compile(r"(?P<set>[\w-]+)\.(?P<place>\d{1,3})", re.ASCII)
_STORED = TypeAdapter(tuple[LabelledAction, ...])


@dataclass(frozen=True, slots=True)
class WaitingActions:
    """Actions that can be picked in words: those under one message."""

    token_hash: str
    key: str
    actions: tuple[LabelledAction, ...]
    expires_at: datetime


def shows_actions(channel: Channel, chat: ChatRef) -> bool:
    """Whether actions can be offered here, as buttons or numbers: never in a group, where others would take them."""
    can = isinstance(channel, Presses) or not has_buttons(channel.capabilities)
    return can and chat.kind is ChatKind.PRIVATE


class ChatActions:
    """Offers actions, and says what a press gets."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._rows = ActionRows(database)
        self._clock = clock

    def offer(self, chat: ChatRef, person_id: str, key: str, actions: Sequence[LabelledAction]) -> Offered:
        """Buttons for this person, under the message with this key in the outbox.

        Nothing is written here: commit the change together with the posts. Where `shows_actions` says no, nothing may
        be offered.
        """
        token = secrets.token_urlsafe(TOKEN_BITS // 8)
        buttons = tuple(
            Button(_shortened(one.label), token=f"{token}.{place}", style=one.style, says=_said_by(one.action))
            for place, one in enumerate(actions)
        )
        stored = _STORED.dump_json(tuple(actions)).decode()
        seat = _seat(chat, person_id)
        return Offered(buttons, OfferActions(seat, key, _hash(token), stored, self._clock.now() + LASTS))

    def is_ours(self, token: str) -> bool:
        """Whether a button with this token is one of an action; other buttons' tokens begin in ways of their own."""
        return _TOKEN.fullmatch(token) is not None

    async def waiting(self, seat: Seat, update_id: str) -> tuple[WaitingActions, ...]:
        """The newest five sets of a seat, newest first; one that this update used up is still among them."""
        sets = await self._rows.waiting(seat, self._clock.now(), update_id, REMEMBERED)
        return tuple(WaitingActions(one.token_hash, one.key, _actions(one.actions), one.expires_at) for one in sets)

    async def claim_in_words(self, seat: Seat, token_hash: str, place: int, update_id: str) -> LabelledAction | Denied:
        """As `claim`, for what was picked in words."""
        return _at(place, await self._database.commit_one(ClaimActions(token_hash, seat, update_id, None)))

    async def claim(self, press: Press) -> LabelledAction | Denied:
        """Use up what was pressed; the same press (by its update id) may claim the same again.

        Whether its sender is still let in, and whether the action still makes sense, is asked elsewhere.
        """
        ours = _TOKEN.fullmatch(press.token)
        if ours is None:
            return Denied.UNKNOWN
        seat = _seat(press.message.chat, press.sender.id)
        claim = ClaimActions(_hash(ours["set"]), seat, press.update_id, press.message.message_id)
        return _at(int(ours["place"]), await self._database.commit_one(claim))


def _at(place: int, claimed: str | Denied) -> LabelledAction | Denied:
    if isinstance(claimed, Denied):
        return claimed
    actions = _actions(claimed)
    return actions[place] if place < len(actions) else Denied.UNKNOWN


def _actions(stored: str) -> tuple[LabelledAction, ...]:
    """None where another release stored something else."""
    try:
        return _STORED.validate_json(stored)
    except ValidationError:
        return ()


def _seat(chat: ChatRef, person_id: str) -> Seat:
    return Seat(chat.channel_id, chat.id, chat.thread or "", person_id)


def _hash(token: str) -> str:
    """What is stored of a token: a plain digest of 96 random bits cannot be guessed back."""
    return hashlib.sha256(token.encode()).hexdigest()


def _said_by(action: Action) -> str | None:
    return action.text if isinstance(action, SendText) else None


def _shortened(label: str) -> str:
    label = " ".join(label.split())
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1].rstrip() + "…"
