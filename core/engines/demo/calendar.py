"""What the demo does with a connected calendar: looks at it and at what goes with it, and puts something into it."""

from typing import Final

from core.engines.base import MessageEnd, ToolAnswer
from core.engines.demo.quoting import literal
from core.engines.demo.stage import LABEL, Group, Journey, Stage, journey, say
from core.engines.script import CallTool, Steps

AGENDA: Final = "calendar_agenda"
ADD: Final = "calendar_add"
PAPERS: Final = "calendar_papers"


def look(stage: Stage, _words: str) -> Steps:
    """Today's appointments; without a calendar the words of the person bring the card that connects one."""
    if not stage.has_tool(AGENDA):
        yield from _unseen()
        return
    yield from say(f"{LABEL}I look into the connected calendar, which is made up too.")
    yield MessageEnd()
    answer: ToolAnswer = yield CallTool(stage.next_id(), AGENDA, {"from": stage.today.isoformat()})
    count = answer.text.count("\n- ")
    if answer.failed:
        yield from say(f"That did not work. The calendar's tool said: {literal(answer.text)}")
    elif count:
        yield from say(f"Today there {'is one appointment' if count == 1 else f'are {count} appointments'}.")
    else:
        yield from say("Nothing today.")


def add_lunch(stage: Stage, _words: str) -> Steps:
    """A tool that changes something elsewhere, so it asks."""
    if not stage.has_tool(ADD):
        yield from _unseen()
        return
    yield from say(f"{LABEL}I want to put a pretended lunch into the calendar. That needs your yes.")
    yield MessageEnd()
    lunch = {"title": "Lunch", "start": f"{stage.today.isoformat()}T13:00"}
    answer: ToolAnswer = yield CallTool(stage.next_id(), ADD, lunch)
    if answer.failed:
        yield from say("It was not put in. The host told me why, as it tells every assistant.")
    else:
        yield from say(f"{literal(answer.text)}. Ask what is on your calendar today, and you see it.")


def look_at_papers(stage: Stage, _words: str) -> Steps:
    """Every other kind of list that a tool can show: mail, files, messages."""
    if not stage.has_tool(PAPERS):
        yield from _unseen()
        return
    yield from say(f"{LABEL}I look at the invitations, the papers and the remarks of the next seven days.")
    yield MessageEnd()
    for what in ("invitations", "papers", "remarks"):
        answer: ToolAnswer = yield CallTool(
            stage.next_id(), PAPERS, {"what": what, "from": stage.today.isoformat(), "days": 7}
        )
        if answer.failed:
            yield from say(f"That did not work. The calendar's tool said: {literal(answer.text)}")
            return
    yield from say("These were a list of mail, one of files and one of messages, as any app may show them.")


def _unseen() -> Steps:
    yield from say(
        f"{LABEL}I can't see a calendar, as none is connected. If a card appears here, you can connect the made-up"
        " one with it, and I go on by myself."
    )


CALENDAR: tuple[Journey, ...] = (
    journey(
        Group.APPS,
        "What's on my calendar today?",
        "connect an app, and the answer goes on",
        r"^(?!.*\b(add|put)\b).*\b(on|in|at|show|see|check)\b.*\bmy (calendar|schedule|agenda)\b",
        look,
        beyond_words=True,
    ),
    journey(
        Group.APPS,
        "Add lunch to my calendar",
        "what an app is to change needs your yes",
        r"\b(add|put)\b.*\b(to|into|in) my (calendar|schedule|agenda)\b",
        add_lunch,
        changes_something=True,
        beyond_words=True,
    ),
    journey(
        Group.APPS,
        "What goes with my meetings?",
        "mail, files and messages as lists",
        r"\bgo(es)? with\b.*\bmy (meetings|appointments)\b",
        look_at_papers,
        beyond_words=True,
    ),
)
