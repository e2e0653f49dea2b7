"""Menus as commands see them; what they are and what a press does there is in `channels.menus`."""

from typing import Protocol

from channels.commands.call import CommandCall, Reply
from channels.menu_views import View


class Menus(Protocol):
    """Opens menus, and leaves them."""

    async def open(self, call: CommandCall, view: View) -> Reply:
        """The menu as an answer to a command; it takes the place of the seat's earlier one.

        Raises:
            Busy: it is about how this chat is answered, and an answer is being written.
            NotFound: the conversation is not there any more.
        """
        ...

    async def leave(self, call: CommandCall) -> bool:
        """Somebody gave a command: wait for no typed value any more; False when nothing waited for one.

        Where an app has no buttons, a number is no choice of the seat's menu any more either.
        """
        ...
