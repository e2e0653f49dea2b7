"""`kill -9` on the way of a message: nothing lost, nothing answered twice, nothing doubled but what is marked so.

Judged by what the person saw, and by the log and the outbox that were left behind.
"""

import asyncio
import json
import random
import signal
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from channels.emulators.teams import limits
from channels.emulators.telegram.pretend import PretendTelegram
from conch.home import Home
from core import problems
from core.checkpoints import Checkpoint
from core.clock import SystemClock
from core.events import (
    AssistantMessage,
    Event,
    Notice,
    OfferResolved,
    PermissionResolved,
    QuestionAnswered,
    Trigger,
    TurnCompleted,
    TurnStarted,
    UserMessage,
)
from core.store.database import Database
from core.store.log import EventLog
from tests.journeys.apps import under_test
from tests.journeys.living import living, owner_of, said
from tests.journeys.nursery import Life, born, nursery
from tests.journeys.teams_under_test import TeamsUnderTest

VICTIM = "tests.journeys.victim"
WAITS: Mapping[Checkpoint, tuple[str, type[QuestionAnswered] | type[PermissionResolved]]] = {
    Checkpoint.QUESTION_WAITING: ("ask me", QuestionAnswered),
    Checkpoint.PERMISSION_WAITING: ("permit it", PermissionResolved),
}
"""Where a person is waited for, with words that lead there, and what closes it."""
OFFERS = (Checkpoint.OFFER_ACCEPTED, Checkpoint.CARRIED_ON)
"""Only an offer that the person takes comes by."""
SKILLS = 100
"""So many can be offered, each once in a chat."""
POINTS = tuple(point for point in Checkpoint if point not in WAITS and point not in OFFERS)
ANYWHERE = 0.4
"""Seconds in which a life begins, answers and has nothing more to do."""
PATIENCE = 30.0
"""Seconds; only a test that fails ever waits that long."""


class Round:
    """A data folder with a connected bot and its owner, and the processes that live and die on it."""

    def __init__(
        self,
        nursery: Path,
        folder: Path,
        chat: Any,
        lives_in: Mapping[str, object],
        delivered: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.nursery, self.folder, self.chat, self.lives_in = nursery, folder, chat, lives_in
        self.delivered = delivered
        self.log = folder / "victims.log"

    @asynccontextmanager
    async def life(self, die_at: Checkpoint | None = None, times: int = 1) -> AsyncIterator[Life]:
        """One process, from its birth to its end."""
        where = {"home": str(self.folder), **self.lives_in}
        given = {**where, "die_at": die_at.value if die_at else None, "times": times}
        async with born(self.nursery, given, self.log) as life:
            yield life

    async def dies(self, process: Life) -> None:
        """Come back when the process killed itself."""
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == -signal.SIGKILL

    async def dies_or_answers(self, process: Life, words: str) -> None:
        """Come back when the process killed itself, or answered these words."""
        await self._dies_or(process, lambda messages: _answers(messages, words), PATIENCE)

    async def _dies_or(self, process: Life, shows: Callable[[list[Any]], bool], within: float) -> None:
        died = asyncio.create_task(process.wait())
        shown = asyncio.create_task(self.chat.wait_for(shows, timeout=within))
        try:
            await asyncio.wait({died, shown}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            died.cancel()
            shown.cancel()
            await asyncio.gather(died, shown, return_exceptions=True)

    async def ends(self, process: Life) -> None:
        """End the process as an operator does."""
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0

    async def takes_the_offer(self, process: Life, words: str, within: float = PATIENCE) -> None:
        """Ask for an offer, and turn on what it offers; the process may die before that."""
        await self.chat.say(words)
        await self._dies_or(process, _offers, within)
        if _offers(self.chat.messages):
            await self.chat.press(self.chat.messages[-1], "Turn on")

    async def comes_back(self) -> None:
        """A life that sees everything through: order is kept, so what is said last is answered last."""
        async with self.life() as process:
            if self.delivered is not None:  # what the app brings again comes behind what is said now
                await process.ready()
                await self.delivered()
            await self.chat.say("the end")
            await self.chat.wait_for(_over, timeout=PATIENCE)
            await self.ends(process)


def _over(messages: list[Any]) -> bool:
    return _answers(messages[-1:], "the end")


def _offers(messages: list[Any]) -> bool:
    return ["Turn on", "Not now"] in messages[-1].labels


def _answers(messages: list[Any], words: str) -> bool:
    return any(message.text.startswith("second:") and words in message.text for message in messages)


@pytest.fixture(scope="module")
def victims(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where processes are asked for."""
    with nursery(VICTIM, tmp_path_factory.mktemp("victims")) as where:
        yield where


@pytest.fixture
async def kill_round(tmp_path: Path, pretend: PretendTelegram, victims: Path) -> Round:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
    for number in range(SKILLS):
        skill = tmp_path / "skills" / f"skill-{number}"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(f"---\nname: Skill {number}\ndescription: Helps.\n---\nHelp.\n")
    where = {"kind": "telegram", "base_url": pretend.base_url, "base_file_url": pretend.base_file_url}
    return Round(victims, tmp_path, ada.chat, where)


@asynccontextmanager
async def _round_in(app: str, victims: Path, folder: Path) -> AsyncIterator[Round]:
    """A round in another app than Telegram."""
    async with under_test(app) as messenger:
        async with messenger.living(folder) as conch:
            ada = await messenger.owner_of(conch)
        addresses: dict[str, object] = {"kind": app}
        delivered = None
        if isinstance(messenger, TeamsUnderTest):
            addresses |= {"port": messenger.port, **asdict(messenger.addresses)}
            delivered = messenger.pretend.delivered
        else:
            addresses["base_url"] = messenger.pretend.base_url
        if app == "discord":
            addresses["gateway_url"] = messenger.pretend.gateway_url
        yield Round(victims, folder, ada.chat, addresses, delivered)


@pytest.fixture
async def another_round(
    tmp_path: Path, victims: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Round]:
    monkeypatch.setattr(limits, "RETRY_PAUSES", (0.1,) * 1_000)  # what Teams itself gives up nobody can answer
    async with _round_in(request.param, victims, tmp_path) as found:
        yield found


@pytest.fixture
async def slack_round(tmp_path: Path, victims: Path) -> AsyncIterator[Round]:
    async with _round_in("slack", victims, tmp_path) as found:
        yield found


@pytest.fixture
async def discord_round(tmp_path: Path, victims: Path) -> AsyncIterator[Round]:
    async with _round_in("discord", victims, tmp_path) as found:
        yield found


async def left_behind(home: Home) -> tuple[list[Event], Counter[str]]:
    """The events of a data folder, its caches compared with the log, and how often each text was sent again."""
    database = await Database.open(f"sqlite:///{home.database}", SystemClock())
    try:
        log, events = EventLog(database), list[Event]()
        for summary in await log.page(100):
            page = await log.read(summary.id)
            assert [event.seq for event in page] == list(range(len(page))), "the log has a gap"
            assert await log.state(summary.id) == await log.rebuild(summary.id), "the cached fold is not the log's"
            events += page
    finally:
        await database.close()
    with closing(sqlite3.connect(home.database)) as connection:
        rows = connection.execute("SELECT body, resends FROM outbox WHERE resends > 0").fetchall()
    resent = Counter[str]()
    for body, resends in rows:
        resent[json.loads(body)["text"]] += resends
    return events, resent


async def judge(words: list[str], kill_round: Round) -> None:
    """What must hold whenever it died."""
    events, resent = await left_behind(Home(kill_round.folder))
    seen = Counter(map(_lines, said(kill_round.chat)))
    asked = "\n\n".join(event.data.text for event in events if isinstance(event.data, UserMessage))
    answers = Counter(event.data.text for event in events if isinstance(event.data, AssistantMessage))
    ends = [event.data for event in events if isinstance(event.data, TurnCompleted)]

    assert "Traceback" not in kill_round.log.read_text(), f"see {kill_round.log}"
    for word in words:
        assert asked.count(word) == 1, f"{word!r} was asked {asked.count(word)} times"
    assert sum(isinstance(event.data, TurnStarted) for event in events) == len(ends)
    for text, count in answers.items():
        assert count == 1, f"{text!r} was answered {count} times"
        assert 1 <= seen[_lines(text)] <= 1 + resent[text], f"{text!r} was seen {seen[_lines(text)]} times"
    cut_off = sum(end.cut_off_by == "restart" for end in ends)
    assert cut_off <= seen[problems.CUT_OFF] <= cut_off + resent[problems.CUT_OFF]
    assert sum(end.outcome == "success" for end in ends) + cut_off == len(ends)
    judge_offers(events, seen, resent)


def _lines(text: str) -> str:
    """A text as every app shows it: some show no empty lines."""
    return "\n".join(line for line in text.splitlines() if line)


def judge_offers(events: list[Event], seen: Counter[str], resent: Counter[str]) -> None:
    """Each offer that was taken was carried on with once, and the person was told so."""
    taken = [event.data.outcome for event in events if isinstance(event.data, OfferResolved)].count("accepted")
    triggers = [event.data.trigger for event in events if isinstance(event.data, TurnStarted)]
    lines = Counter(event.data.message for event in events if isinstance(event.data, Notice))

    assert triggers.count(Trigger.CARRY_ON) == taken
    for line, count in lines.items():
        if line.endswith("carrying on"):
            assert count == 1, f"{line!r} stands {count} times in the log"
            assert 1 <= seen[line] <= 1 + resent[line], f"{line!r} was seen {seen[line]} times"


@pytest.mark.report("R009", "R031", "R021")
@pytest.mark.parametrize("point", POINTS)
async def test_a_kill_at_a_marked_point_loses_and_doubles_nothing(kill_round: Round, point: Checkpoint) -> None:
    async with kill_round.life(point) as process:
        await kill_round.chat.say("slow one")
        await kill_round.dies(process)

    await kill_round.comes_back()

    await judge(["slow one", "the end"], kill_round)


@pytest.mark.report("R009", "R031", "R025")
@pytest.mark.parametrize("point", [Checkpoint.RECEIVED, Checkpoint.TURN_RUNNING, Checkpoint.SENDING, Checkpoint.SENT])
async def test_a_kill_in_slack_loses_and_doubles_nothing_and_leaves_no_eyes(
    slack_round: Round, point: Checkpoint
) -> None:
    async with slack_round.life(point) as process:
        await slack_round.chat.say("slow one")
        await slack_round.dies(process)

    await slack_round.comes_back()

    await judge(["slow one", "the end"], slack_round)
    assert not any("eyes" in message.reactions for message in slack_round.chat.messages)


@pytest.mark.report("R009", "R031", "R021")
@pytest.mark.parametrize("point", [Checkpoint.RECEIVED, Checkpoint.TURN_RUNNING, Checkpoint.SENDING, Checkpoint.SENT])
async def test_a_kill_in_discord_loses_and_doubles_nothing(discord_round: Round, point: Checkpoint) -> None:
    async with discord_round.life(point) as process:
        await discord_round.chat.say("slow one")
        await discord_round.dies(process)

    await discord_round.comes_back()

    await judge(["slow one", "the end"], discord_round)


@pytest.mark.report("R009", "R031", "R021")
@pytest.mark.parametrize("another_round", ["teams"], indirect=True)
@pytest.mark.parametrize("point", [Checkpoint.RECEIVED, Checkpoint.TURN_RUNNING, Checkpoint.SENDING, Checkpoint.SENT])
async def test_a_kill_in_teams_loses_and_doubles_nothing(another_round: Round, point: Checkpoint) -> None:
    async with another_round.life(point) as process:
        await process.ready()
        await another_round.chat.say("slow one")
        await another_round.dies(process)

    await another_round.comes_back()

    await judge(["slow one", "the end"], another_round)


@pytest.mark.slow
@pytest.mark.parametrize("another_round", ["slack", "discord", "teams"], indirect=True)
async def test_200_kills_anywhere_in_another_app_lose_and_double_nothing(another_round: Round) -> None:
    chance, words = random.Random(20261201), list[str]()
    for number in range(200):
        point = chance.choice((*POINTS, None))
        async with another_round.life(point, chance.randint(1, 4)) as process:
            words.append(f"{chance.choice(('slow', 'quick'))} {number};")
            await another_round.chat.say(words[-1])
            if point is None:
                await asyncio.sleep(chance.uniform(0.0, ANYWHERE))
            else:  # it may not be reached as often as that
                await another_round.dies_or_answers(process, words[-1])

    await another_round.comes_back()

    await judge([*words, "the end"], another_round)


@pytest.mark.report("R077", "R009")
@pytest.mark.parametrize("point", tuple(WAITS))
async def test_a_kill_while_a_person_is_waited_for_closes_what_waits(kill_round: Round, point: Checkpoint) -> None:
    words, closing = WAITS[point]
    async with kill_round.life(point) as process:
        await kill_round.chat.say(words)
        await kill_round.dies(process)

    await kill_round.comes_back()

    await judge([words, "the end"], kill_round)
    events, _ = await left_behind(Home(kill_round.folder))
    [closed] = [event.data for event in events if isinstance(event.data, closing)]
    assert closed.by is None
    assert f"first: {words}" in said(kill_round.chat)
    assert f"second: {words}" not in said(kill_round.chat)


@pytest.mark.report("R009", "R139")
@pytest.mark.parametrize("point", OFFERS)
async def test_a_kill_when_an_offer_was_taken_carries_on_once(kill_round: Round, point: Checkpoint) -> None:
    async with kill_round.life(point) as process:
        await kill_round.takes_the_offer(process, "offer 7")
        await kill_round.dies(process)

    await kill_round.comes_back()

    await judge(["offer 7", "the end"], kill_round)
    events, _ = await left_behind(Home(kill_round.folder))
    assert [event.data.outcome for event in events if isinstance(event.data, OfferResolved)] == ["accepted"]
    seen = Counter(said(kill_round.chat))
    assert seen["Turned on Skill 7 · carrying on"] >= 1
    begun = point is Checkpoint.CARRIED_ON  # what had begun is never run again: the person is told, and may try again
    assert ("second: offer 7 (carried on)" in seen, problems.CUT_OFF in seen) == (not begun, begun)


@pytest.mark.slow
async def test_200_kills_anywhere_lose_and_double_nothing(kill_round: Round) -> None:
    chance = random.Random(20261130)
    words, skills = list[str](), iter(range(SKILLS))
    for number in range(200):
        point = chance.choice((*POINTS, *OFFERS, None))
        async with kill_round.life(point, 1 if point in OFFERS else chance.randint(1, 4)) as process:
            for place in range(chance.randint(1, 3)):
                words.append(f"{chance.choice(('slow', 'quick'))} {number}.{place};")
                await kill_round.chat.say(words[-1])
            if point in OFFERS or chance.random() < 0.1:
                words.append(f"offer {next(skills)} {number};")
                await kill_round.takes_the_offer(process, words[-1], within=3)
            if point is None:
                await asyncio.sleep(chance.uniform(0.0, ANYWHERE))
                process.kill()
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout(1):  # the point may not be reached as often as that
                        await process.wait()

    await kill_round.comes_back()

    await judge([*words, "the end"], kill_round)


async def test_sigterm_lets_the_running_answer_end(kill_round: Round) -> None:
    async with kill_round.life() as process:
        await process.ready()
        await kill_round.chat.say("slow goodbye")
        await kill_round.chat.wait_for(lambda messages: "first: slow goodbye" in messages[-1].text)
        await kill_round.ends(process)

    await judge(["slow goodbye"], kill_round)
    assert said(kill_round.chat)[-1] == "second: slow goodbye"
