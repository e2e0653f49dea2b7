"""What stands under the last words of a turn: chips, or an offer. When they come, and what takes them away."""

from collections.abc import Sequence
from dataclasses import dataclass

from channels.base import Channel, ChatRef
from channels.cards.dealing import Dealt, DealtTo
from channels.chips import Chips, with_buttons
from channels.offers import Offers
from channels.showing import Late
from core.events import Event, Replies
from core.store.changes import Change
from core.store.outbox import Post


@dataclass(frozen=True, slots=True)
class Placed:
    """The messages that are about to be posted, what is stored with them, and buttons that come later by an edit."""

    posts: Sequence[Post]
    changes: tuple[Change, ...] = ()
    late: tuple[Late, ...] = ()


class UnderAnswers:
    """Chips and offers, as the relay needs them."""

    def __init__(self, chips: Chips, offers: Offers) -> None:
        self._chips = chips
        self._offers = offers

    async def recover(self) -> None:
        """Know again what an earlier life of the program left standing.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        await self._chips.recover()

    def taken_by(self, event: Event) -> bool:
        """Whether chips stand that this event takes away."""
        return self._chips.taken_by(event)

    def over(self, event: Event) -> tuple[Change, ...]:
        """What closes the chips that an event takes away."""
        closing = self._chips.take_away(event.conversation_id) if self._chips.taken_by(event) else None
        return (closing,) if closing is not None else ()

    async def chips(
        self, posts: Sequence[Post], key: str, chat: ChatRef, channel: Channel, event: Event, said: Replies
    ) -> Placed:
        """Under the message with this key: with it, or by an edit where it went out already."""
        offered = await self._chips.offer(channel, chat, key, event, said) if said.replies else None
        if offered is None:
            return Placed(posts)
        together = with_buttons(posts, key, offered.buttons)
        if together is not None:
            return Placed(together, (offered.change,))
        return Placed(posts, (offered.change,), (Late(key, chat, offered.buttons, offered.change),))

    async def offer(self, shown: Event, to: DealtTo) -> Dealt:
        """A card of its own, after everything else that the turn said; it may stand in another chat."""
        return await self._offers.show(shown, to)
