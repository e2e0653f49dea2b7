"""Slack from end to end: the shipped program, the real SDK, the pretend Slack over real sockets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.screen import Player, Screen
from channels.slack.kind import SlackKind
from conch.app import App, composed
from conch.home import Home
from conch.settings import ProgramSettings
from core.clock import Clock, SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import CallTool, Steps, Wait
from core.engines.scripted import Script, ScriptedEngine
from tests.journeys.living import echo, until


@dataclass(frozen=True)
class Life:
    app: App
    slack: PretendSlack
    ada: Player
    chat: Screen
    channel_id: str


@asynccontextmanager
async def in_slack(
    folder: Path, slack: PretendSlack, *, script: Script = echo, clock: Clock | None = None
) -> AsyncIterator[App]:
    """A Conch over this data folder, receiving from this Slack."""
    clock, home = clock or SystemClock(), Home(folder)
    home.prepare()
    kind = SlackKind(clock, base_url=slack.base_url)
    chosen = ProgramSettings.model_validate({"rate_per_chat": 0, "rate_global": 0})
    engines = [ScriptedEngine(clock, script)]
    async with composed(home, chosen, clock=clock, kinds={"slack": kind}, engines=engines) as app:
        await app.start()
        yield app
        await app.drain()


@asynccontextmanager
async def let_in(folder: Path, script: Script = echo) -> AsyncIterator[Life]:
    """Ada wrote to the bot, and is its owner."""
    async with PretendSlack() as slack, in_slack(folder, slack, script=script) as app:
        connected = await app.registry.add("slack", f"{slack.bot.app_token}\n{slack.bot.token}")
        ada = slack.person("Ada")
        chat = ada.private_chat()
        await slack.connected()
        await app.people.let_in(connected.channel_id, ada.id, by="owner", name="Ada")
        yield Life(app, slack, ada, chat, connected.channel_id)


async def test_a_message_is_answered_once(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        await life.chat.say("hello")
        answer = await life.chat.wait_for_answer()

        assert answer.text == "echo: hello"
        assert answer.thread is None


async def test_a_stranger_is_told_to_wait(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        bob = life.slack.person("Bob").private_chat()
        await bob.say("let me in")
        answer = await bob.wait_for_answer()
        requests = await life.app.people.requests(life.channel_id)

        assert "echo" not in answer.text
        assert [request.name for request in requests] == ["Bob"]


async def test_a_mention_opens_a_thread(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        screen = await in_general(life)
        asked = await screen.mention("what now?")
        answer = await screen.wait_for_answer()
        await screen.mention("and then?", thread=asked.id)
        more = await screen.wait_for_answer()

        assert (answer.text, answer.thread) == ("echo: what now?", asked.id)
        assert (more.text, more.thread) == ("echo: and then?", asked.id)


async def test_a_command_is_answered_in_the_private_chat(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        await life.chat.command("help")
        answer = await life.chat.wait_for_answer()

        assert "/conch new" in answer.text


async def test_a_command_where_the_bot_is_not_is_answered_to_the_person_alone(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        bob = life.slack.person("Bob")
        room = life.slack.channel("elsewhere", [life.ada, bob], bots=[])
        screen = room.screen(life.ada)
        await screen.slash("/conch", "what is on today?")
        answer = await screen.wait_for_answer()

        assert answer.text == "echo: what is on today?"
        assert room.screen(bob).answers == []
        assert life.chat.answers == []


async def test_in_its_thread_the_bot_reads_on_without_a_mention(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        screen = await in_general(life)
        asked = await screen.mention("what now?")
        await screen.wait_for_answer()
        await screen.say("and then?", thread=asked.id)
        more = await screen.wait_for_answer()
        await screen.say("lunch, anybody?")
        await screen.mention("ping")
        last = await screen.wait_for_answer()

        assert (more.text, more.thread) == ("echo: and then?", asked.id)
        assert last.text == "echo: ping"
        assert [answer.text for answer in screen.answers] == ["echo: what now?", "echo: and then?", "echo: ping"]


async def in_general(life: Life) -> Screen:
    """A channel in which the bot answers."""
    room = life.slack.channel("general", [life.ada])
    await life.app.groups.heard_of(life.channel_id, room.id, "general")
    await life.app.groups.switch(life.channel_id, room.id, True)
    return room.screen(life.ada)


def slowly(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """An answer in three pieces, or a question first."""
    if turn.text == "a trip":
        answer = yield CallTool("1", "ask", {"title": "The trip", "fields": [DAY, NIGHTS]})
        yield Text(f"heard: {answer.text}")
        return
    for word in ("One, ", "two, ", "three."):
        yield Text(word)
        yield Wait(0.6)


DAY = {"id": "day", "label": "Which day?", "kind": "date", "min": "2026-12-01", "suggested": "2026-12-24"}
NIGHTS = {"id": "nights", "label": "How many nights?", "kind": "number", "max": "14", "optional": True}


async def test_an_answer_in_a_thread_is_written_into_the_message_that_it_will_be(tmp_path: Path) -> None:
    async with let_in(tmp_path, slowly) as life:
        screen = await in_general(life)
        asked = await screen.mention("count")
        begun = await screen.wait_for(lambda messages: next((m for m in messages if m.streaming), None))
        answer = await screen.wait_for_answer()
        await until(lambda: not next(m for m in screen.messages if m.id == asked.id).reactions)

        assert begun is not None
        assert (answer.id, answer.text, answer.thread) == (begun.id, "One, two, three.", asked.id)
        assert len(screen.answers) == 1
        assert screen.status_in(asked.id) is None


async def test_a_question_with_several_fields_is_a_form(tmp_path: Path) -> None:
    async with let_in(tmp_path, slowly) as life:
        await life.chat.say("a trip")
        card = await life.chat.wait_for_answer()
        form = await life.chat.form_of(await life.chat.press(card, "Answer…"))
        wrong = await life.chat.fill_in(form, {"Which day?": "2026-11-01", "How many nights?": "99"})
        told = await life.chat.answer_to(wrong)
        await life.chat.fill_in(form, {"Which day?": "2026-12-24", "How many nights?": "3"})
        heard = await life.chat.wait_for(lambda messages: [m for m in messages if m.text.startswith("heard")])

        await life.chat.wait_for(lambda messages: [m for m in messages if m.id == card.id and not m.labels])

        assert set(told.errors) == {"Which day?", "How many nights?"}
        assert "24" in heard[0].text


async def test_a_clear_is_undone_by_its_button(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        await life.chat.say("hello")
        await life.chat.wait_for_answer()
        await life.chat.command("clear")
        cleared = await life.chat.wait_for(lambda ms: next((m for m in ms if m.labels == [["Undo"]]), None))
        assert cleared is not None
        await life.chat.press(cleared, "Undo")
        undone = await life.chat.wait_for(lambda ms: [m for m in ms if m.by_bot][2:])

        assert [m.text for m in undone] == ["Taken back: I remember again what was said before the clear."]


async def test_what_was_written_while_conch_was_away_is_answered(tmp_path: Path) -> None:
    async with PretendSlack() as slack:
        async with in_slack(tmp_path, slack) as app:
            connected = await app.registry.add("slack", f"{slack.bot.token} {slack.bot.app_token}")
            chat = slack.person("Ada").private_chat()
            await slack.connected()
            await app.people.let_in(connected.channel_id, chat.person.id, by="owner", name="Ada")
            await chat.say("hello")
            await chat.wait_for_answer()
        slack.bot.request_url = "http://127.0.0.1:9/gone"  # what is told to nobody is not kept by Slack
        await chat.say("are you there?")
        slack.bot.request_url = None
        async with in_slack(tmp_path, slack):
            answers = await chat.wait_for(lambda ms: [m for m in ms if m.text == "echo: are you there?"])

        assert len(answers) == 1


async def test_a_menu_that_one_person_sees_changes_in_its_place(tmp_path: Path) -> None:
    async with let_in(tmp_path) as life:
        screen = life.slack.channel("elsewhere", [life.ada], bots=[]).screen(life.ada)
        await screen.slash("/conch", "status")
        status = await screen.wait_for_answer()
        await screen.press(status, "Model ›")
        menu = await screen.wait_for(lambda messages: [m for m in messages if m.by_bot and "Model:" not in m.text])

        assert menu[0].text.startswith("Model\n")
        assert len(screen.answers) == 1
        assert life.chat.answers == []
