"""Topics of a group in Telegram: each a chat of its own."""

import asyncio
from pathlib import Path

import pytest

from channels.emulators.telegram.pretend import PretendTelegram
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Until
from tests.journeys.living import living
from tests.journeys.teams import recite, team


@pytest.mark.report("R093", "R097")
async def test_a_topic_is_a_chat_of_its_own_and_answered_in_place(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=recite) as app:
        here = await team(app, pretend, forum=True)
        tea, coffee = await here.group.open_topic("Tea"), await here.group.open_topic("Coffee")

        for topic in (None, tea, coffee):
            await here.ask("Bob", f"in {topic}", thread=topic)
        again = [await here.ask("Bob", "again", thread=topic) for topic in (tea, None, coffee)]

    assert again == [f"in {tea} | again", "in None | again", f"in {coffee} | again"]


@pytest.mark.report("R093")
async def test_topics_are_answered_side_by_side(tmp_path: Path, pretend: PretendTelegram) -> None:
    go = asyncio.Event()

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if turn.text == "slowly":
            yield Until(go)
        yield Text(f"echo: {turn.text}")

    async with living(tmp_path, pretend, script=script) as app:
        here = await team(app, pretend, forum=True)
        tea, coffee = await here.group.open_topic("Tea"), await here.group.open_topic("Coffee")
        slow = asyncio.create_task(here.ask("Bob", "slowly", thread=tea))

        quick = await here.ask("Bob", "quickly", thread=coffee)
        go.set()

        assert await slow == "echo: slowly"

    assert quick == "echo: quickly"


@pytest.mark.report("R093")
async def test_a_long_answer_stays_in_its_topic(tmp_path: Path, pretend: PretendTelegram) -> None:
    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("word " * 2_000 + "end")

    async with living(tmp_path, pretend, script=script) as app:
        here = await team(app, pretend, forum=True)
        tea = await here.group.open_topic("Tea")
        screen = here.screen("Bob")

        await screen.mention("tell me everything", thread=tea)
        await screen.wait_for(lambda messages: messages[-1].text.endswith("end"))

    assert len(screen.answers) == 3
    assert {message.thread for message in screen.answers} == {tea}
