"""Cards as people meet them, whatever the chat app: what brings them, what is looked at, and what is done with them.

Belongs here: scripts that ask, and verbs that each journey of a card needs. What an app has of its own is the phone's
(`channels.emulators.phone`), how it is connected `tests.journeys.apps`'.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from channels.emulators.phone import Phone
from conch.app import App
from core.engines.base import EXIT_PLAN_MODE, PLAN_OPTIONS, START, Text, TurnInput
from core.engines.script import AskPermission, CallTool, Step, Steps
from core.engines.scripted import Script
from core.events import EventData
from core.store.log import Append, EventLog
from tests.journeys.apps import Group, Member, Seen, labels, now
from tests.journeys.living import echo

DRINK = {
    "id": "drink",
    "label": "Which drink?",
    "kind": "choice",
    "options": [{"id": "tea", "label": "Tea"}, {"id": "coffee", "label": "Coffee"}],
}
DAY = {"id": "day", "label": "Which day?", "kind": "date", "suggested": "2026-12-24"}
NIGHTS = {"id": "nights", "label": "How many nights?", "kind": "number", "min": 1, "max": 14, "optional": True}

Fields = Mapping[str, str | Sequence[str]]
"""What somebody fills in, by the labels of the fields."""


def choice(*options: str, **more: object) -> dict[str, object]:
    """A field with these options to pick from, called `o0`, `o1` …"""
    return {**DRINK, "options": [{"id": f"o{place}", "label": label} for place, label in enumerate(options)], **more}


def asking(*fields: Mapping[str, Any], title: str | None = None) -> Script:
    """Asked to get or plan something, asks back, and says what the model heard; else it echoes."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if not turn.text.startswith(("Get", "Plan")):
            yield from echo(turn, earlier)
            return
        answer = yield CallTool("1", "ask", {"title": title, "fields": list(fields)})
        yield Text(f"heard: {answer.text}")

    return script


def wanting(*before: Step) -> Script:
    """Asked to write, wants to run a tool of its own; else it echoes."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        if not turn.text.startswith("Write"):
            yield from echo(turn, earlier)
            return
        yield from before
        allowed = yield AskPermission(f"p{len(earlier)}", "write_note", {"text": "*hello*"}, ("yes", "no"), "yes")
        yield Text("done" if allowed else "not done")

    return script


def planning(plan: str) -> Script:
    """Has a plan, and asks whether to start."""

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        started = yield AskPermission("1", EXIT_PLAN_MODE, {"plan": plan}, PLAN_OPTIONS, START)
        yield Text("started" if started else "kept planning")

    return script


def opened_by(member: Member, chat: Any) -> Phone:
    """Somebody else's chat in their hands: what they press there, the app says is theirs."""
    room = chat.channel if hasattr(chat, "channel") else chat.chat
    phone: Phone = type(chat)(chat.world, room, member.player)
    return phone


# ---- looking ---------------------------------------------------------------------------------------------------------


def read(text: str) -> str:
    """Words as a person reads them in any app: how far apart paragraphs are, and which dot a list has, is the app's.

    What takes no room is not seen.
    """
    seen = text.replace("\u2060", "").replace("\u200b", "")
    return re.sub(r"^- ", "• ", re.sub(r"\n\s*\n", "\n", seen), flags=re.M)


def lines(chat: Phone) -> list[str]:
    """What the bot said since the greeting, for everybody in the chat, as `read`."""
    return [read(message.text) for message in lasting(chat.answers)[1:]]


def lasting(messages: Sequence[Seen]) -> list[Seen]:
    """Those that are not only for one person's eyes."""
    return [message for message in messages if not getattr(message, "ephemeral", False)]


def whispers(chat: Phone) -> list[Seen]:
    """Lines that only this person sees, and that stay there."""
    return [message for message in chat.messages if getattr(message, "ephemeral", False)]


async def talk_of(group: Group, member: Member, question: Seen) -> Phone:
    """Where a question of a group is answered, once that is there."""
    async with asyncio.timeout(10):
        while True:
            with suppress(LookupError):
                return group.talk(member, question)
            await asyncio.sleep(0.01)


async def card(chat: Phone, words: str, *, below: Seen | None = None) -> Seen:
    """The newest message with these words, once it has buttons and stands `below` another."""

    def found(messages: Sequence[Seen]) -> Seen | None:
        fits = [each for each in lasting(messages) if words in each.text and each.labels]
        return fits[-1] if fits and (below is None or fits[-1].id != below.id) else None

    return await chat.wait_for(found)


async def says(chat: Phone, words: str) -> str:
    """Wait until the bot says something that begins so."""

    def found(messages: Sequence[Seen]) -> Seen | None:
        return next((each for each in lasting(messages) if each.by_bot and read(each.text).startswith(words)), None)

    message: Seen = await chat.wait_for(found)
    return read(message.text)


async def shows(chat: Phone, message: Seen, *paragraphs: str) -> None:
    """Wait until a message says this, and has no buttons."""
    text = "\n".join(paragraphs)
    await chat.wait_for(
        lambda messages: any(m.id == message.id and read(m.text) == text and not m.labels for m in messages)
    )


async def has(chat: Phone, message: Seen, *wanted: str) -> None:
    """Wait until these are the first of what can be pressed under a message."""
    await chat.wait_for(lambda _: labels(now(chat, message))[: len(wanted)] == list(wanted))


ARRIVED = "Got it."
"""What Teams shows of a press before anything has come of it."""

# ---- doing -----------------------------------------------------------------------------------------------------------


async def tap(chat: Phone, message: Seen, label: str, *, stale: bool = False) -> None:
    """Press, and see that the app takes the press as answered."""
    await chat.answer_to(await chat.press(message, label, stale=stale))


async def told(
    chat: Phone,
    message: Seen,
    label: str,
    *,
    stale: bool = False,
    lines_in: Phone | None = None,
    besides: tuple[str, ...] = (),
) -> str:
    """Press, and read what only whoever pressed is told: in passing, or in a line of its own, here or `lines_in`.

    Where the line is a message like any other, what the bot says `besides` at the same time must be known by its start.
    """
    where = lines_in or chat
    before, earlier = len(whispers(where)), {one.id for one in where.answers}
    press = await chat.press(message, label, stale=stale)
    answer = (await chat.answer_to(press)).text
    if answer == ARRIVED:  # the line is a message like any other there

        def newer(_: object) -> Seen | None:
            found = (one for one in where.answers if one.id not in earlier and not one.text.startswith(besides))
            return next(found, None)

        line: Seen = await where.wait_for(newer)
        return read(line.text)
    if lines_in is None and answer:
        return read(answer)
    line = await where.wait_for(lambda _: next(iter(whispers(where)[before:]), None))
    return read(line.text)


async def fill_in(chat: Phone, question: Seen, values: Fields) -> Any:
    """Open the form of a question and send it with these values; what comes back is the app's own `Press`.

    A day with a time has two fields in some apps.
    """
    form = await form_of(chat, question)
    return await chat.fill_in(form, _as_fields(form.fields, values))


async def form_of(chat: Any, question: Seen) -> Any:
    """The form of a question: it stands in the message, or a button opens it."""
    if "Send" in labels(question):
        return chat.form_in(question)
    return await chat.form_of(await chat.press(question, "Answer…"))


def _as_fields(shown: Mapping[str, str], values: Fields) -> Fields:
    split = dict(values)
    for label, value in values.items():
        if isinstance(value, str) and "T" in value and "At what time" in shown:
            split[label], _, split["At what time"] = value.partition("T")
    return split


async def answer_fields(chat: Phone, values: Fields) -> None:
    """Answer one field after the other where there is no form: by its button where it has one, else in words."""
    for label, value in values.items():
        question = await card(chat, label)
        for one in [value] if isinstance(value, str) else value:
            await (tap(chat, question, one) if one in labels(question) else chat.say(one.replace("T", " ")))


# ---- behind ----------------------------------------------------------------------------------------------------------


async def only_conversation(app: App) -> str:
    """The id of the one that there is."""
    [conversation] = await EventLog(app.database).page(10)
    return conversation.id


async def add(app: App, *events: EventData) -> None:
    """Have it be in the log, as if whoever does it had."""
    await app.database.commit(Append(await only_conversation(app), events))


async def logged(app: App, kind: type[Any]) -> list[Any]:
    """What the log of the only conversation has of a kind."""
    events = await EventLog(app.database).read(await only_conversation(app))
    return [event.data for event in events if isinstance(event.data, kind)]
