"""The command about quick answers."""

from channels.commands.call import CommandCall, Reply
from channels.commands.menus import Menus
from channels.commands.options import ChatOptions, done
from channels.formatting.parts import literal
from channels.menu_views import Name, View
from commands.parsing import Switch, is_default_arg, parse_switch
from core.engines.catalogue import Catalogue
from core.options import OptionsChange


class Fast:
    """Opens the menu, or switches as was typed. Before there is a conversation it waits."""

    def __init__(self, options: ChatOptions, catalogue: Catalogue, menus: Menus) -> None:
        self._options = options
        self._catalogue = catalogue
        self._menus = menus

    async def run(self, call: CommandCall) -> Reply:
        """On only where the model has it; off and `default` always."""
        words = call.command.arguments
        if not words:
            return await self._menus.open(call, View(name=Name.FAST))
        await self._options.expect_quiet(call.seat)
        answering = await self._options.look(call.seat)
        if is_default_arg(words):
            after = await self._options.change(call, OptionsChange(fast=None))
            return Reply(done(f"Fast answers as in every chat: **{'on' if after.fast else 'off'}**.", after))
        switch = parse_switch(words)
        if switch is None:
            on, off = call.written("on"), call.written("off")
            return Reply(f"Send {on} or {off}; {call.written()} shows how it is.")
        wanted = not answering.fast if switch is Switch.TOGGLE else switch is Switch.ON
        if wanted:
            model = answering.model(await self._catalogue.offered())
            if model is None or not model.fast:
                name = literal(model.title if model else answering.engine_title)
                return Reply(f"{name} has no faster way to answer.")
        after = await self._options.change(call, OptionsChange(fast=wanted))
        return Reply(done(f"Fast answers are **{'on' if after.fast else 'off'}** here now.", after))
