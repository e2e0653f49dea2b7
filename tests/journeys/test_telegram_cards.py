"""Cards in Telegram: drawn, pressed, answered in words, closed; over the real SDK and the pretend Telegram."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Screen
from channels.emulators.telegram.seen import SeenMessage
from core.engines.base import Text, TurnInput
from core.engines.script import CallTool, Steps
from core.engines.scripted import Script
from tests.journeys.living import living, owner_of, said

TEA_OR_COFFEE: Mapping[str, Any] = {
    "fields": [
        {
            "id": "drink",
            "label": "Which drink?",
            "kind": "choice",
            "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
        }
    ]
}


def asking(args: Mapping[str, Any]) -> Script:
    """Says a word, asks, and says what the model heard."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if earlier:
            yield Text(f"echo: {turn.text}")
            return
        yield Text("Let me ask.")
        answer = yield CallTool("1", "ask", args)
        yield Text(f"heard: {answer.text}")

    return script


async def card(chat: Screen, words: str) -> SeenMessage:
    """The message with these words, once it has buttons."""
    return await chat.wait_for(lambda messages: next((m for m in messages if words in m.text and m.labels), None))


def labels(message: SeenMessage) -> list[str]:
    return [label for row in message.labels for label in row]


async def tapped(chat: Screen, message: SeenMessage, label: str, *, stale: bool = False) -> str:
    return (await chat.answer_to(await chat.press(message, label, stale=stale))).text


async def test_a_choice_is_asked_with_buttons_and_one_tap_answers_it(tmp_path: Path, pretend: PretendTelegram) -> None:
    async with living(tmp_path, pretend, script=asking(TEA_OR_COFFEE)) as app:
        ada = await owner_of(app, pretend)
        await ada.chat.say("Get me a drink")
        question = await card(ada.chat, "Which drink?")

        note = await tapped(ada.chat, question, "Tea")
        await ada.chat.wait_for(lambda messages: messages[-1].text.startswith("heard: "))
        await ada.chat.wait_until(lambda: not any(m.labels for m in ada.chat.messages))

    assert labels(question) == ["Tea", "Coffee", "Skip"]
    assert note == "Tea"
    assert said(ada.chat)[1:3] == ["Let me ask.", "Which drink?\n\nAda chose “Tea”."]
    assert '"tea"' in said(ada.chat)[3]
