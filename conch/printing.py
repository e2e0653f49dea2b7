"""What the commands print, as plain sentences and small tables. Where it goes is the command's business."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from conch.findings import Finding, Verdict
from conch.kinds import CONNECT_ONE
from web.administration import ChannelView, ConnectedView, GroupView, HelloView, PeopleView, PersonView

NO_BOTS = f"No bot is connected yet. Connect one with {CONNECT_ONE}."
NO_PEOPLE = (
    "Nobody is let in yet, and nobody asks. Write to your bot, then look here again: whoever wrote is listed. For "
    "Telegram, `conch channels link` makes a link that lets its user in."
)
NO_GROUPS = "No bot is in a group yet, as far as is known. Bring one into a group, and mention it there once."
NO_LINK = "This app has no hello links: write to the bot, then run `conch people list` and let yourself in."


def channels(views: Sequence[ChannelView]) -> str:
    """The connected bots."""
    if not views:
        return NO_BOTS
    rows = [(called(view), view.kind, state(view), view.id) for view in views]
    told = [f"{called(view)}: {view.detail}" for view in views if view.detail]
    return "\n".join([table(("BOT", "APP", "STATE", "ID"), rows), *told])


def connected(view: ConnectedView, *, running: bool) -> str:
    """A bot was connected, and what to do next; one with a new key is where it was."""
    first = f"{called(view.channel)} ({view.channel.name}) " + ("has its new key." if view.updated else "is connected.")
    lines = [first]
    if view.invite is not None and not view.updated:
        lines.append(f"Open this to bring it into a server; who is in that server can write to it:\n  {view.invite}")
    if view.endpoint is not None:
        lines.append(f"Set this as its messaging endpoint, so that it hears what people write:\n  {view.endpoint}")
    if view.hello is not None and (view.hello.link is not None or not view.updated):
        lines.append(hello(view.hello))
    if not running:
        lines.append("Conch is not running: start it with `conch serve`, so that the bot hears you.")
    return "\n".join(lines)


def hello(view: HelloView) -> str:
    """How to say hello."""
    if view.link is None:
        return NO_LINK
    return (
        f"Open this to say hello to {called(view.channel)}; whoever uses it is let in, the first one as its owner:\n"
        f"  {view.link}\n"
        f"It works once, until {moment(view.expires_at)}."
    )


def people(view: PeopleView) -> str:
    """Who is let in or blocked, and who asks."""
    if not view.people and not view.requests:
        return NO_PEOPLE
    parts = []
    if view.people:
        rows = [(each.id, named(each), each.role, called(each.channel), seen(each)) for each in view.people]
        parts.append(table(("ID", "NAME", "IS", "OF", "LAST SEEN"), rows))
    if view.requests:
        asking = [
            (
                each.person_id,
                f"{each.name} @{each.username}" if each.username else each.name,
                called(each.channel),
                each.preview,
            )
            for each in view.requests
        ]
        parts.append(
            "Waiting to be let in (`conch people let-in ID`):\n" + table(("ID", "NAME", "WROTE TO", "WORDS"), asking)
        )
    return "\n\n".join(parts)


def groups(views: Sequence[GroupView]) -> str:
    """The groups that bots are in."""
    if not views:
        return NO_GROUPS
    rows = [
        (each.id, each.title, "on" if each.on else "off", called(each.channel), moment(each.last_heard))
        for each in views
    ]
    return table(("ID", "TITLE", "IS", "OF", "LAST HEARD"), rows)


def switched(view: GroupView) -> str:
    """What a bot does in a group from now on."""
    name, group = called(view.channel), f"“{_plain(view.title)}”" if view.title.strip() else view.id
    if view.on:
        return f"{name} answers in {group} when it is asked. People who are not let in get words there, nothing else."
    return f"{name} does not answer in {group} any more."


def state(view: ChannelView) -> str:
    """How a bot is doing."""
    return (view.state or "not running") if view.enabled else "off"


def called(view: ChannelView) -> str:
    """A bot by the name that commands take."""
    return f"@{view.username}" if view.username else view.name


def named(view: PersonView) -> str:
    """A person by the names they chose."""
    return f"{view.name} @{view.username}" if view.username else view.name


def seen(view: PersonView) -> str:
    """When they last wrote."""
    return moment(view.last_seen) if view.last_seen else "never"


def moment(at: datetime) -> str:
    """A time as the clock on this machine shows it."""
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


# ---- the doctor's ----------------------------------------------------------------------------------------------------


def checkup(found: Sequence[Finding]) -> str:
    """Everything that was looked at, and what to do about it."""
    widest = max((len(each.subject) for each in found), default=0)
    lines = []
    for each in found:
        lines.append(f"{each.verdict.value.upper():4}  {_plain(each.subject).ljust(widest)}  {_plain(each.said)}")
        if each.todo:
            lines.append(f"{'':4}  {'':{widest}}  → {_plain(each.todo)}")
    counts = Counter(each.verdict for each in found)
    told = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    return "\n".join([*lines, "", ", ".join(told) + "."])


def checkup_json(found: Sequence[Finding]) -> str:
    """The same for programs."""
    findings = [
        {"subject": each.subject, "verdict": each.verdict.value, "said": each.said, "todo": each.todo} for each in found
    ]
    return json.dumps({"ok": not has_failed(found), "findings": findings}, ensure_ascii=False, indent=2)


def has_failed(found: Sequence[Finding]) -> bool:
    """Whether anything does not work."""
    return any(each.verdict is Verdict.FAIL for each in found)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need to be; what others wrote is on one line and cannot move the cursor."""
    clean = [[_plain(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[place]) for row in clean) for place in range(len(head))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in clean)
    return "\n".join(line.rstrip() for line in lines)


def _plain(cell: str) -> str:
    return " ".join("".join(mark if mark.isprintable() else " " for mark in cell).split())
