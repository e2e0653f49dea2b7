"""A chat chose an engine that is taken away: the next one answers, and the chat is told once."""

from core import events as ev
from core.clock import ManualClock
from core.decisions import Configure
from core.engines.registry import Standing
from core.engines.scripted import ScriptedEngine
from core.options import OptionsChange
from tests.core.lives import CHAT, Start, echo


async def test_the_next_engine_answers_and_the_chat_is_told_once(start: Start) -> None:
    life = await start(echo)
    life.engines.add(ScriptedEngine(ManualClock(), echo, name="shed"), Standing.ASIDE)
    await life.answer("first")
    await life.conversations.decide(CHAT, Configure(OptionsChange(engine="shed", model="toy")))
    await life.answer("second")

    life.engines.remove("shed")
    await life.answer("third")
    await life.answer("fourth")

    told = [data for data in await life.events() if isinstance(data, ev.Notice)]
    assert [notice.message for notice in told] == [
        "“shed”, which this chat chose, is not connected any more. Scripted answers here from now on."
    ]
    answered = [data.engine for data in await life.events() if isinstance(data, ev.TurnCompleted)]
    assert answered == ["scripted", "shed", "scripted", "scripted"]
    assert (await life.story())[-4:] == ["> fourth", "turn", "echo: fourth", "end: success"]


async def test_what_it_is_told_stands_before_the_message_it_is_about(start: Start) -> None:
    life = await start(echo)
    await life.answer("first")
    await life.conversations.decide(CHAT, Configure(OptionsChange(engine="gone")))

    story = await life.answer("second")

    assert story[-6:] == ["notice: engine-gone", "options", "> second", "turn", "echo: second", "end: success"]
