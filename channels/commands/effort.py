"""The command about how long a model thinks."""

from channels.commands.call import CommandCall, Reply
from channels.commands.menus import Menus
from channels.commands.options import ChatOptions, done, efforts_of
from channels.formatting.parts import literal
from channels.menu_views import Name, View
from commands.parsing import is_default_arg, parse_effort_arg
from commands.values import EFFORTS
from core.engines.catalogue import Catalogue
from core.events import Effort as Level
from core.options import OptionsChange


class Effort:
    """Opens the menu of efforts, or takes the one that was typed. Before there is a conversation it waits."""

    def __init__(self, options: ChatOptions, catalogue: Catalogue, menus: Menus) -> None:
        self._options = options
        self._catalogue = catalogue
        self._menus = menus

    async def run(self, call: CommandCall) -> Reply:
        """Only what the model has; `auto` and `default` always."""
        words = call.command.arguments
        if not words:
            return await self._menus.open(call, View(name=Name.EFFORT))
        await self._options.expect_quiet(call.seat)
        if is_default_arg(words):
            after = await self._options.change(call, OptionsChange(effort=None))
            title = EFFORTS.title((after.effort or Level.AUTO).value)
            return Reply(done(f"Effort as in every chat: **{title}**.", after))
        return await self._typed(call, words)

    async def _typed(self, call: CommandCall, words: str) -> Reply:
        parsed = parse_effort_arg(words)
        answering = await self._options.look(call.seat)
        model = answering.model(await self._catalogue.offered())
        able = efforts_of(model)
        name = literal(model.title if model else answering.engine_title)
        level = Level(parsed.value) if parsed else None
        if level is not None and (level is Level.AUTO or level in able):
            after = await self._options.change(call, OptionsChange(effort=level))
            return Reply(done(f"Effort is **{EFFORTS.title(level.value)}** here now.", after))
        if not able:
            return Reply(f"{name} has no effort to choose.")
        wrong = f"{name} has no such effort" if level is None else f"{name} has no effort {EFFORTS.title(level.value)}"
        has = ", ".join(effort.value for effort in able)
        actions = tuple(call.again(EFFORTS.title(effort.value), effort.value) for effort in able)
        return Reply(f"{wrong}. It has: {has}.", actions=actions)
