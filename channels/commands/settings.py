"""The command that opens the settings that can be changed from a chat."""

from channels.commands.call import CommandCall, Reply
from channels.commands.menus import Menus
from channels.menu_views import Name, View


class SettingsMenu:
    """Opens the menu; words after it are not looked at."""

    def __init__(self, menus: Menus) -> None:
        self._menus = menus

    async def run(self, call: CommandCall) -> Reply:
        """The list of settings."""
        return await self._menus.open(call, View(name=Name.SETTINGS))
