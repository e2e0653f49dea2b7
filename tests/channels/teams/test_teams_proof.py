"""Who may bring messages: only Teams, for this bot, from where it says that it is."""

import pytest

from channels.base import InboundMessage
from channels.emulators.teams.forger import GOOD, KINDS
from tests.channels.teams.conftest import Listening


@pytest.mark.parametrize("kind", KINDS)
async def test_a_bad_token_is_refused_and_nothing_is_stored(bot: Listening, kind: str) -> None:
    status, _ = await bot.teams.forger.post(bot.screen.person, "let me in", kind)

    assert status == 401
    assert bot.ear.stored == []


async def test_a_good_token_lets_a_message_in(bot: Listening) -> None:
    status, _ = await bot.teams.forger.post(bot.screen.person, "hello", GOOD)

    (heard,) = await bot.ear.until_heard(InboundMessage)
    assert status == 200
    assert isinstance(heard, InboundMessage)
    assert heard.text == "hello"


@pytest.mark.parametrize("keep_old", [True, False])
async def test_keys_may_change_at_any_time(bot: Listening, keep_old: bool) -> None:
    bot.teams.world.tokens.roll_over(keep_old=keep_old)

    status, _ = await bot.teams.forger.post(bot.screen.person, "hello", GOOD)

    assert status == 200


async def test_a_token_for_one_place_is_not_good_for_another(bot: Listening) -> None:
    elsewhere = "https://smba.trafficmanager.net/amer/"

    status, _ = await bot.teams.forger.post(bot.screen.person, "hello", GOOD, serviceUrl=elsewhere)

    assert status == 401
    assert bot.ear.stored == []


async def test_a_token_of_teams_is_not_good_for_another_app_behind_the_same_service(bot: Listening) -> None:
    status, _ = await bot.teams.forger.post(bot.screen.person, "hello", GOOD, channelId="webchat")

    assert status == 401


async def test_a_made_up_key_makes_the_keys_be_fetched_once_and_not_each_time(bot: Listening) -> None:
    before = len(bot.teams.calls("keys"))

    for _ in range(5):
        await bot.teams.forger.post(bot.screen.person, "x", "missing endorsement")

    assert len(bot.teams.calls("keys")) - before <= 2


async def test_a_message_that_could_not_be_stored_comes_again(bot: Listening) -> None:
    bot.ear.full = 1

    await bot.screen.say("once")
    await bot.ear.until_heard(InboundMessage)

    assert [update.update_id for update in bot.ear.offered] == [bot.ear.stored[0].update_id] * 2


@pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")
async def test_more_than_a_mebibyte_is_not_read(bot: Listening) -> None:
    status, _ = await bot.teams.forger.post(bot.screen.person, "x" * (1 << 20), GOOD)

    assert status in (400, 413)
    assert bot.ear.stored == []
