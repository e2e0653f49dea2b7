"""Who hears typed words before they go on as an ordinary message: whatever waits for an answer in a chat.

A command is never an answer, and was looked at before. What an answer means is the hearer's.
"""

from collections.abc import Mapping
from typing import Protocol

from channels.base import Channel, Form, InboundMessage, Press
from channels.commands.call import Reply
from channels.gate import Standing
from channels.gathering import says_anything


class Hears(Protocol):
    """Somebody who waits for words."""

    async def hear(self, channel: Channel, message: InboundMessage, standing: Standing) -> Reply | None:
        """Take the words of somebody who was let in as an answer; None: nothing waits for them.

        The reply (its words may be empty) is said together with marking the update done. The same message may come
        again when the program ended before that.

        Raises:
            StoreUnavailable: nothing was taken.
        """
        ...


class OpensForms(Protocol):
    """Somebody who has forms to fill in."""

    async def form(self, channel: Channel, press: Press) -> Form | None:
        """The form that this button opens, as it is now and to whoever pressed; None where it is no button of theirs.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        ...

    async def faults(self, channel: Channel, press: Press) -> Mapping[str, str]:
        """What does not fit of what such a form was sent with, a sentence for each field's id; see `Sink.faults`.

        Raises:
            StoreUnavailable: it cannot be read now.
        """
        ...


def can_answer(message: InboundMessage) -> bool:
    """Whether a message may be an answer at all: one's own words without a file, quoting nobody but the bot."""
    quotes_someone_else = message.reply_to is not None and not message.reply_to.from_bot
    theirs = message.forwarded_from is not None or quotes_someone_else
    return says_anything(message.text) and not (theirs or message.attachments or message.album)
