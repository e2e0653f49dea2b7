"""Tells the owner that somebody who is not let in wrote to their bot. What strangers hear themselves is the gate's.

None of a stranger's words reach the owner's chat, where an app would make links of them; `conch people list` has them.
"""

from typing import Final

from channels.base import Channel, InboundMessage
from channels.cards.places import CardPlaces
from channels.formatting.parts import literal
from channels.gate import Gate
from channels.notices import Notices

LONGEST_NAME: Final = 40
"""Characters shown of a name that its bearer chose."""


class Doorbell:
    """Rings at most every half hour in the owner's private chat, whoever comes."""

    def __init__(self, places: CardPlaces, gate: Gate, notices: Notices) -> None:
        self._places = places
        self._gate = gate
        self._notices = notices

    async def ring(self, channel: Channel, message: InboundMessage) -> None:
        """Say who wrote; nothing where the bot has no owner, or none that can be written to.

        Raises:
            StoreUnavailable: nothing was said.
        """
        owner = await self._places.owner(channel.id)
        chat = None if owner is None else await self._places.private_chat(channel, owner.person_id)
        if chat is not None and await self._gate.tell_owner(chat):
            key = f"{channel.id}:{message.update_id}:doorbell"
            await self._notices.say(channel, chat, key, _words(message))


def _words(message: InboundMessage) -> str:
    sender = message.sender
    name = " ".join(sender.name.split())[:LONGEST_NAME] or "Somebody"
    return (
        f"{literal(name)} wrote to me and is not let in, so I didn't answer. To let them in, type "
        f"`conch people let-in {sender.id}` in a terminal where Conch runs; `conch people list` shows what they wrote, "
        "and who else waits."
    )
