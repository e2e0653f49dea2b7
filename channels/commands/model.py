"""The command about which model answers."""

from typing import Final

from channels.commands.call import CommandCall, Reply
from channels.commands.menus import Menus
from channels.commands.options import ChatOptions, done
from channels.formatting.parts import literal
from channels.menu_views import Name, View
from commands.parsing import is_default_arg
from core.engines.base import ModelInfo
from core.engines.catalogue import Catalogue, EngineChoice, ModelChoice, found
from core.options import OptionsChange

MOST_LISTED: Final = 8
"""Models of a list in words; of more the first, and a word about the others."""


class Model:
    """Opens the menu of models, or picks one by its name. Before there is a conversation the choice waits."""

    def __init__(self, options: ChatOptions, catalogue: Catalogue, menus: Menus) -> None:
        self._options = options
        self._catalogue = catalogue
        self._menus = menus

    async def run(self, call: CommandCall) -> Reply:
        """An exact name is taken at once; several that fit are listed."""
        words = call.command.arguments
        if not words:
            return await self._menus.open(call, View(name=Name.MODEL))
        await self._options.expect_quiet(call.seat)
        if is_default_arg(words):
            return await self._default(call)
        offered = await self._catalogue.offered()
        answering = await self._options.look(call.seat)
        fitting = found(offered, words, answering.engine)
        if len(fitting) == 1:
            return await self._take(call, fitting[0].engine, fitting[0].engine_title, fitting[0].model)
        engine = _engine(offered, words)
        if engine is not None:
            first = engine.models[0] if engine.models else None
            return await self._take(call, engine.engine, engine.title, first)
        return _several(call, fitting) if fitting else _none(call, offered, words)

    async def _take(self, call: CommandCall, engine: str, engine_title: str, model: ModelInfo | None) -> Reply:
        before = await self._options.look(call.seat)
        change = before.to_model(engine, model)
        after = await self._options.change(call, change)
        title = f"{literal(model.title)} ({literal(engine_title)})" if model else literal(engine_title)
        taken_back = change.model_fields_set
        dropped = [name for name, field in (("effort", "effort"), ("fast answers", "fast")) if field in taken_back]
        words = f"**{title}** answers here now."
        if dropped:
            words += f" It does not have the {' and '.join(dropped)} that you chose, so that is as everywhere again."
        return Reply(done(words, after))

    async def _default(self, call: CommandCall) -> Reply:
        after = await self._options.change(call, OptionsChange(engine=None, model=None))
        model = after.model(await self._catalogue.offered())
        engine = literal(after.engine_title)
        title = f"{literal(model.title)} ({engine})" if model else engine
        return Reply(done(f"As in every chat: **{title}** answers here.", after))


def _engine(offered: tuple[EngineChoice, ...], words: str) -> EngineChoice | None:
    """The engine that is called so."""
    wanted = " ".join(words.split()).casefold()
    return next((one for one in offered if wanted in (one.engine.casefold(), one.title.casefold())), None)


def _several(call: CommandCall, fitting: tuple[ModelChoice, ...]) -> Reply:
    """What fits, each to be taken with one tap or typed as it stands."""
    shown = fitting[: min(MOST_LISTED, call.room or MOST_LISTED)]
    lines = [f"- {literal(one.model.title)}: {call.written(_exact(one))}" for one in shown]
    more = len(fitting) - len(shown)
    if more:
        lines.append(f"\nand {more} more: write more of the name.")
    actions = tuple(call.again(one.model.title, _exact(one)) for one in shown)
    return Reply("\n".join(["Several models fit. Which one?", "", *lines]), actions=actions)


def _exact(one: ModelChoice) -> str:
    return f"{one.engine}/{one.model.id}"


def _none(call: CommandCall, offered: tuple[EngineChoice, ...], words: str) -> Reply:
    troubles = [f"\n\n{literal(one.title)}: {literal(one.trouble)}" for one in offered if one.trouble]
    typed = literal(" ".join(words.split())[:60])
    return Reply(f"There is no model “{typed}”. {call.written()} shows what there is.{''.join(troubles)}")
