"""Draws what stands in a chat for a page: one template for each kind of thing, each with the id of its item.

Whatever somebody wrote is escaped by the templates; Markdown goes through `web.markdown`. The words of what was decided
are those of the chat apps. An item is drawn once for everyone who watches, and anew only when something changed it.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from markupsafe import Markup

from channels.cards.decided import answered_line, resolved_line, skipped_line
from channels.cards.forms import values_in
from channels.cards.offered import end_of_offer
from core.cards import AgendaRow, AgendaView, ChoiceField, OfferKind, Question
from core.engines.base import EXIT_PLAN_MODE
from core.plans import outline, plan_from
from core.safety.summaries import summary
from core.views import cleaned
from web import transcript as ts
from web.pages import Templates
from web.wording import moment_of, spoken_day

MOST_KEPT: Final = 2_000
"""Drawn items that are remembered; about 4 MB."""

SHOWN: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Kinds of pictures that a page shows: browsers know them, and they can hold no script."""

LONGEST_SHOWN: Final = 4_000
"""Characters of what a tool was given or gave back."""

_NAMES: Final[Mapping[type[ts.Body], str]] = {
    ts.Said: "said",
    ts.Answer: "answer",
    ts.ToolRow: "tool_row",
    ts.QuestionCard: "question_card",
    ts.PermissionCard: "permission_card",
    ts.OfferCard: "offer_card",
    ts.Checklist: "plan_checklist",
    ts.Chips: "reply_chips",
    ts.Cleared: "cleared",
    ts.Line: "line",
}


class Drawer:
    """Draws items. `may` says in words what a skill may do, by its id; empty for one that is not there."""

    def __init__(self, templates: Templates, may: Callable[[str], str] = lambda _: "") -> None:
        self._templates = templates
        self._may = may
        self._drawn: OrderedDict[tuple[object, ...], Markup] = OrderedDict()

    def draw(self, item: ts.Item, *, conversation_id: str, root: str = "") -> Markup:
        """One element whose id is the item's."""
        key = (conversation_id, item.id, item.changed, item.at, root)  # a deleted chat may begin anew
        if key not in self._drawn:
            self._drawn[key] = self._fresh(item, conversation_id, root)
            while len(self._drawn) > MOST_KEPT:
                self._drawn.popitem(last=False)
        self._drawn.move_to_end(key)
        return self._drawn[key]

    def _fresh(self, item: ts.Item, conversation_id: str, root: str) -> Markup:
        name = f"chat/{_NAMES[type(item.body)]}.html"
        values = {"item": item, "body": item.body, "chat": conversation_id, "root": root, "shown": SHOWN}
        return self._templates.part(name, **values, **self._more(item.body))

    def _more(self, body: ts.Body) -> Mapping[str, Any]:
        """What a template needs besides, in words."""
        match body:
            case ts.ToolRow():
                return _of_tool(body)
            case ts.QuestionCard():
                return {"decided": _decided_question(body), "one_tap": one_tap(body.question)}
            case ts.PermissionCard():
                return _of_permission(body)
            case ts.OfferCard():
                resolved = body.resolved
                end = end_of_offer(body.offer, resolved.outcome) if resolved else None
                is_skill = body.offer.kind is OfferKind.SKILL
                return {"end": end, "is_skill": is_skill, "may": self._may(body.offer.target) if is_skill else ""}
            case ts.Checklist():
                return {"done": sum(step.state == "done" for step in body.steps)}
            case _:
                return {}


def one_tap(question: Question) -> bool:
    """Whether picking one option is all there is to answer."""
    [first, *more] = question.fields
    return not more and isinstance(first, ChoiceField) and not first.multiple


def parse_answer(question: Question, form: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What a question's form was sent with, as values by field; what does not fit is the core's to say.

    A field is sent as `f.<id>`, words of one's own for a choice as `o.<id>`: where only one can be picked, they are it.
    """
    filled: dict[str, Sequence[str]] = {}
    for field in question.fields:
        picked, own = (
            list(form.get(f"f.{field.id}", ())),
            [word for word in form.get(f"o.{field.id}", ()) if word.strip()],
        )
        if isinstance(field, ChoiceField) and not field.multiple and own:
            picked = []
        filled[field.id] = [*picked, *own]
    return values_in(question, filled)


# ---- words -----------------------------------------------------------------------------------------------------------


def _decided_question(body: ts.QuestionCard) -> str | None:
    if body.answered is not None:
        return answered_line(body.question, body.answered, body.ended)
    return skipped_line(body.ended) if body.ended is not None else None


def _of_permission(body: ts.PermissionCard) -> Mapping[str, Any]:
    decided = None
    if body.resolved is not None:
        decided = resolved_line(body.asked, body.resolved, body.ended)
    elif body.ended is not None:
        decided = skipped_line(body.ended)
    plan = plan_from(body.asked.input) if body.asked.tool_name == EXIT_PLAN_MODE else None
    return {
        "decided": decided,
        "is_plan": body.asked.tool_name == EXIT_PLAN_MODE,
        "outline": outline(plan) if plan else None,
        "always": body.asked.reason is None and not body.asked.once,
    }


def _of_tool(body: ts.ToolRow) -> Mapping[str, Any]:
    finished = body.finished
    state = finished.status if finished else "stopped" if body.is_over else "running"
    given = {key: value for key, value in body.started.input.items() if value not in (None, "", [], {})}
    view = cleaned(finished.view) if finished and finished.view is not None else None
    return {
        "state": state,
        "words": summary(body.started.name, body.started.input),
        "given": [
            (key, _cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
            for key, value in given.items()
        ],
        "output": _cut(finished.output) if finished else "",
        "view": view,
        "days": _days(view) if isinstance(view, AgendaView) else (),
    }


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


# ---- views -----------------------------------------------------------------------------------------------------------


def _days(view: AgendaView) -> Sequence[tuple[str, Sequence[tuple[str, AgendaRow]]]]:
    """Appointments by day, each with its hours in words."""
    return [
        (day, [(_hours(row), row) for row in rows])
        for day, rows in groupby(view.rows, lambda row: spoken_day(row.start))
    ]


def _hours(row: AgendaRow) -> str:
    start, end = moment_of(row.start), moment_of(row.end)
    if row.all_day:
        return "all day"
    if start is None:
        return ""
    until = f"–{end:%H:%M}" if end is not None and end.date() == start.date() and end > start else ""
    return f"{start:%H:%M}{until}"
