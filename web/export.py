"""A chat as a file: to read, as Markdown, or to work with, as JSON. Piece by piece, so that a long one needs no memory.

What others wrote stays theirs: in Markdown it stands in blocks that it cannot break out of.
"""

import json
import re
from collections.abc import AsyncIterator
from typing import Final, Literal

from channels.cards.decided import answered_line, resolved_line
from channels.formatting.parts import literal
from commands.parsing import written_in
from core.events import Event
from core.files import clean_name
from core.plain import plain
from core.store.log import EventLog
from web import transcript as ts
from web.api import views

PAGE: Final = 200
"""Events that are read at once."""

As = Literal["markdown", "json"]


def file_name(title: str, made: As) -> str:
    """A name that is safe to save on any system."""
    stem = re.sub(r"[^\w -]", "", plain(title, 60)).strip() or "chat"
    return clean_name(f"{stem}.{'md' if made == 'markdown' else 'json'}")


async def as_json(log: EventLog, chat: str) -> AsyncIterator[str]:
    """Every event, as the API has it."""
    yield f'{{"conversation_id": {json.dumps(chat)}, "events": ['
    between = "\n"
    async for event in _events(log, chat):
        yield between + json.dumps(views.event(event).model_dump(mode="json"), ensure_ascii=False)
        between = ",\n"
    yield "\n]}\n"


async def as_markdown(log: EventLog, chat: str, title: str) -> AsyncIterator[str]:
    """What was said and decided; of what was done a line each."""
    yield f"# {literal(plain(title, 120)) or 'A chat'}\n"
    transcript, told = ts.Transcript(), dict[str, None]()
    async for event in _events(log, chat):
        for change in transcript.add(event):
            if change.item is None or change.item_id in told or not is_settled(change.item):
                continue
            told[change.item_id] = None
            if words := written(change.item):
                yield f"\n{words}\n"


async def _events(log: EventLog, chat: str) -> AsyncIterator[Event]:
    after = -1
    while events := await log.read(chat, after=after, limit=PAGE):
        for event in events:
            yield event
        after = events[-1].seq


def is_settled(item: ts.Item) -> bool:
    """Whether it will not change any more in a way that is written."""
    match item.body:
        case ts.QuestionCard() | ts.PermissionCard() | ts.OfferCard():
            return not item.body.is_open
        case ts.ToolRow() | ts.Checklist():
            return item.body.is_over
        case _:
            return True


def written(item: ts.Item) -> str:
    """One thing that stands in the chat, as Markdown; empty for what is not worth keeping."""
    body = item.body
    match body:
        case ts.Said(message):
            who = literal(message.origin.person_name or "You")
            files = "".join(f"\n\n_File: {literal(file.name)}_" for file in message.attachments)
            return f"**{who}**, {item.at:%Y-%m-%d %H:%M}\n\n{quoted(message.text)}{files}"
        case ts.Answer(message):
            files = "".join(f"\n\n_File: {literal(file.name)}_" for file in message.attachments)
            return f"**Answer**\n\n{message.text}{files}"
        case ts.ToolRow(started, finished):
            state = finished.status if finished else "stopped"
            return f"_{literal(started.name)}: {state}_"
        case ts.QuestionCard() | ts.PermissionCard() | ts.OfferCard():
            return _card(body)
        case ts.Checklist(steps):
            marks = {"pending": " ", "active": " ", "done": "x"}
            return "\n".join(f"- [{marks[step.state]}] {literal(step.title)}" for step in steps)
        case ts.Cleared():
            return "---\n\n_Cleared: what is above is no longer remembered._"
        case ts.Line(words):
            return written_in("console", words)
        case ts.Chips():
            return ""


def _card(body: ts.QuestionCard | ts.PermissionCard | ts.OfferCard) -> str:
    match body:
        case ts.QuestionCard(question, answered, ended):
            words = "; ".join(literal(field.label) for field in question.fields)
            line = answered_line(question, answered, ended) if answered else "Nobody answered."
            return f"**Asked**: {words}\n\n{literal(line)}"
        case ts.PermissionCard(asked, resolved, ended):
            line = resolved_line(asked, resolved, ended) if resolved else "Nobody decided."
            return f"**May I?** {literal(asked.summary)}\n\n{literal(line)}"
        case ts.OfferCard(offer, resolved):
            return f"_Offered: {literal(offer.name)}, {resolved.outcome if resolved else 'open'}_"


def quoted(words: str) -> str:
    """A person's own words as a quote; nothing in them is a heading or the end of it."""
    return "\n".join(f"> {line}" for line in words.splitlines()) or ">"
