"""What must never show: the bot's key, and the tokens that open an answer for a quarter of an hour."""

import logging
from pathlib import Path

import pytest

from conch import logs
from tests.journeys.apps import DiscordUnderTest, said
from tests.journeys.cards import DRINK, asking, card, says
from tests.journeys.living import FastClock, until

SEND = "POST /channels/{channel_id}/messages"
CALLBACK = "POST /interactions/{interaction_id}/{interaction_token}/callback"
LATER = "POST /webhooks/{application_id}/{interaction_token}"


def everything_in(folder: Path) -> bytes:
    """All bytes that were left on disk."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.report("R121", "R113")
async def test_no_key_and_no_token_of_an_answer_is_in_any_log(
    tmp_path: Path,
    discord: DiscordUnderTest,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    for library in logs.QUIET:
        caplog.set_level(logging.WARNING, logger=library)
    faults, secret = discord.pretend.faults, discord.pretend.bot.token
    async with discord.living(tmp_path, clock=FastClock(), gather_ms=0, script=asking(DRINK)) as app:
        ada = await discord.owner_of(app)
        for fault in ("cut", "server_error", "cloudflare", "lost"):
            faults.add(fault, method=SEND)
        faults.add("cut", method="GET /gateway/bot")
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")
        for fault in ("cut", "server_error"):
            faults.add(fault, method=CALLBACK)
        faults.add("server_error", method=LATER)
        presses = [await ada.chat.press(question, label) for label in ("Tea", "Coffee", "Coffee")]
        await says(ada.chat, "heard: ")
        discord.pretend.gateway.invalidate()
        await discord.ready(app, ada.channel_id)
        await until(lambda: len(discord.pretend.calls(LATER)) == 2)
        health = str(app.registry.health())
    written = capsys.readouterr()
    shown = caplog.text + written.out + written.err + health + "".join(said(ada.chat))

    assert "no receipt for a message" in shown, "what went wrong was written down"
    assert secret.encode() not in everything_in(tmp_path)
    for hidden in (secret, secret.rpartition(".")[2], *(press.token for press in presses)):
        assert hidden not in shown
