"""One-tap buttons in Telegram: pressed, too late, after a restart, and gone from the screen."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from channels.actions import LabelledAction, RunCommand, SendText
from channels.base import ButtonStyle, ChatRef
from channels.composing import compose
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from channels.telegram.limits import CAPABILITIES
from conch.app import App
from core.engines.base import Text, TurnInput
from core.engines.script import Steps
from tests.journeys.living import FastClock, Owner, living, owner_of, said


class FastestClock(FastClock):
    """Ten minutes in less than a second."""

    SPEED = 1_000.0


def memory(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Say what was said before."""
    yield Text(f"{turn.text} after {list(earlier)}")


async def offered(app: App, owner: Owner, *labelled: LabelledAction) -> SeenMessage:
    """A message with buttons, as it is seen."""
    chat = ChatRef(owner.channel_id, str(owner.chat.chat.id))
    offer = app.actions.offer(chat, str(owner.player.id), "offer", labelled)
    await app.outbox.post(compose(CAPABILITIES, chat, "offer", "Pick **one**.", buttons=offer.buttons), offer.change)
    await owner.chat.wait_for(lambda messages: messages[-1].labels)
    return owner.chat.messages[-1]


async def tapped(chat: Screen, message: SeenMessage, label: str, *, stale: bool = False) -> str:
    """Press, and read the note at the top of the screen."""
    return (await chat.answer_to(await chat.press(message, label, stale=stale))).text


def without_buttons(chat: Screen) -> bool:
    return not any(message.labels for message in chat.messages)


async def test_what_was_probably_meant_is_one_tap_away(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("/hepl")
        question = await ada.chat.wait_for_answer()

        note = await tapped(ada.chat, question, "/help")
        await ada.chat.wait_for(lambda messages: "/new" in messages[-1].text)
        await ada.chat.wait_until(lambda: without_buttons(ada.chat))

    assert note == "/help"
    assert said(ada.chat)[1] == question.text


async def test_undo_under_a_clear_gives_the_memory_back(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=memory, gather_ms=0) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("one")
        await ada.chat.wait_for_answer()
        await ada.chat.say("/clear")
        cleared = await ada.chat.wait_for_answer()

        await tapped(ada.chat, cleared, "Undo")
        await ada.chat.wait_for(lambda messages: messages[-1].text.startswith("Taken back"))
        await ada.chat.say("two")
        answer = await ada.chat.wait_for_answer()

    assert answer.text == "two after ['one']"


async def test_a_chip_is_sent_as_ones_own_words(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        chip = LabelledAction("And tomorrow?", SendText(text="And tomorrow?"), ButtonStyle.PRIMARY)
        message = await offered(app, ada, chip)

        await tapped(ada.chat, message, "And tomorrow?")
        await ada.chat.wait_for(lambda messages: messages[-1].text == "echo: And tomorrow?")
        await ada.chat.wait_until(lambda: without_buttons(ada.chat))

    faded = next(seen for seen in ada.chat.messages if seen.id == message.id)
    assert (faded.text, faded.marked("bold")) == ("Pick one.", ["one"])


@pytest.mark.report("R079")
async def test_a_second_tap_on_a_slow_phone_hears_that_it_was_used(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        message = await offered(app, ada, LabelledAction("Hi", SendText(text="hi")))

        await tapped(ada.chat, message, "Hi")
        again = await tapped(ada.chat, message, "Hi", stale=True)
        await ada.chat.wait_for(lambda messages: messages[-1].text == "echo: hi")

    assert again == "This was used already."
    assert said(ada.chat).count("echo: hi") == 1


@pytest.mark.report("R067", "R069")
async def test_when_the_time_is_over_the_buttons_go_and_a_late_tap_hears_why(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with living(tmp_path, pretend, clock=FastestClock()) as app:
        ada = await owner_of(app, pretend)
        message = await offered(app, ada, LabelledAction("Hi", SendText(text="hi")))

        await ada.chat.wait_until(lambda: without_buttons(ada.chat), timeout=10)
        late = await tapped(ada.chat, message, "Hi", stale=True)

    assert late == "This button's time is over."
    assert said(ada.chat)[-1] == "Pick one."


async def test_a_new_conversation_takes_the_old_buttons_away(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        message = await offered(app, ada, LabelledAction("Hi", SendText(text="hi")))

        await ada.chat.say("/new")
        await ada.chat.wait_until(lambda: without_buttons(ada.chat))
        late = await tapped(ada.chat, message, "Hi", stale=True)

    assert late == "Something newer took this button's place."


@pytest.mark.report("R075", "R077")
async def test_a_button_works_after_a_restart(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        message = await offered(app, ada, LabelledAction("Help", RunCommand(name="help")))

    async with living(tmp_path, pretend):
        await tapped(ada.chat, message, "Help")
        await ada.chat.wait_for(lambda messages: "/new" in messages[-1].text)
        await ada.chat.wait_until(lambda: without_buttons(ada.chat))


async def test_a_tap_while_conch_is_down_counts_when_it_is_back(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        message = await offered(app, ada, LabelledAction("Hi", SendText(text="hi")))

    await ada.chat.press(message, "Hi")
    async with living(tmp_path, pretend):
        await ada.chat.wait_for(lambda messages: messages[-1].text == "echo: hi")


@pytest.mark.report("R069")
async def test_what_expired_while_conch_was_down_loses_its_buttons_at_the_start(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    class Later(FastClock):
        """The next day."""

        def now(self) -> datetime:
            return super().now() + timedelta(days=1)

    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        await offered(app, ada, LabelledAction("Hi", SendText(text="hi")))

    async with living(tmp_path, pretend, clock=Later()):
        await ada.chat.wait_until(lambda: without_buttons(ada.chat))

    assert said(ada.chat)[-1] == "Pick one."


async def test_the_buttons_of_somebody_removed_do_nothing(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        message = await offered(app, ada, LabelledAction("Hi", SendText(text="hi")))

        await app.people.remove(ada.channel_id, str(ada.player.id))
        await app.service.forget_person(ada.channel_id, str(ada.player.id))
        late = await tapped(ada.chat, message, "Hi", stale=True)
        await ada.chat.wait_until(lambda: without_buttons(ada.chat))

    assert late == "This button does nothing any more."
    assert said(ada.chat)[-1] == "Pick one."


@pytest.mark.report("R083", "R085")
async def test_a_suggestion_with_very_many_words_still_has_its_button(tmp_path: Path, pretend: PretendTelegram) -> None:
    words = "to find the best way " * 20
    async with living(tmp_path, pretend) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say(f"/gaol {words}")
        question = await ada.chat.wait_for_answer()

        [[label]] = question.labels
        await tapped(ada.chat, question, label)
        await ada.chat.wait_for(lambda messages: words.strip()[:200] in messages[-1].text)

    assert len(label) <= 75
    assert label.endswith("…")
