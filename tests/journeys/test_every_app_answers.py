"""What is said is answered, in every app: once, in order, whole, and looking as it is meant."""

from pathlib import Path

import pytest

from tests.journeys.apps import AppUnderTest, said


@pytest.mark.report("R005", "R007")
async def test_each_message_is_answered_once_and_in_order(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0) as app:
        ada = await messenger.owner_of(app)

        for words in ("one", "two", "three"):
            await messenger.asked(ada.chat, words)

    assert said(ada.chat)[1:] == ["echo: one", "echo: two", "echo: three"]


async def test_in_a_group(tmp_path: Path, messenger: AppUnderTest) -> None:
    async with messenger.living(tmp_path, gather_ms=0) as app:
        ada = await messenger.owner_of(app)
        group = await messenger.group(app, [ada])

        asked = await group.ask(ada, "what now?")
        more = await group.asked_on(ada, asked, "and then?")

    assert (asked.answer.text, more.text) == ("echo: what now?", "echo: and then?")
