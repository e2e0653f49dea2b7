"""The command about what may be done without asking."""

from channels.base import ButtonStyle
from channels.commands.call import CommandCall, Reply
from channels.commands.menus import Menus
from channels.commands.options import Answering, ChatOptions, done, mode_question
from channels.formatting.parts import literal
from channels.menu_views import Name, View
from commands.parsing import DEFAULT, TypedMode, parse_mode_arg
from commands.values import MODES
from core.events import Mode as Trust
from core.options import OptionsChange


class Mode:
    """Opens the menu of modes, or takes the one that was typed. Before there is a conversation it waits."""

    def __init__(self, options: ChatOptions, menus: Menus) -> None:
        self._options = options
        self._menus = menus

    async def run(self, call: CommandCall) -> Reply:
        """One that does more without asking is asked about once more."""
        words = call.command.arguments
        if not words:
            return await self._menus.open(call, View(name=Name.MODE))
        await self._options.expect_quiet(call.seat)
        typed = parse_mode_arg(words)
        if typed is None:
            return Reply(f"There is no such mode. There is: {', '.join(item.word for item in MODES.items)}.")
        return await self._take(call, await self._options.look(call.seat), typed)

    async def _take(self, call: CommandCall, answering: Answering, typed: TypedMode) -> Reply:
        back = typed.word == DEFAULT
        mode = answering.settings.default_mode if back else Trust(typed.word)
        title = MODES.title(mode.value)
        if mode is Trust.PLAN and answering.why_no_plan:
            return Reply(f"{literal(answering.why_no_plan)} So nothing was switched.")
        if answering.is_stronger(mode) and not typed.sure:
            yes = f"{typed.word} yes"
            style = ButtonStyle.DANGER if mode is Trust.FULL else ButtonStyle.PRIMARY
            words = f"{mode_question(mode)} Then send {call.written(yes)}."
            return Reply(words, actions=(call.again(f"Yes, {title}", yes, style),))
        after = await self._options.change(call, OptionsChange(mode=None if back else mode))
        if back:
            return Reply(done(f"Mode as in every chat: **{title}**.", after))
        return Reply(done(f"Mode is **{title}** here now.", after))
