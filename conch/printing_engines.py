"""What the commands about engines, settings and usage print."""

from collections.abc import Iterable, Iterator, Sequence

from conch.printing import table
from web.engines import AddedView, EnginesView, EngineView, ModelsView, RemovedView, TrialView
from web.preferences import BudgetView, SettingView, UsageView, UsedView

_STATES = {"ready": "ready", "not-ready": "not ready", "broken": "cannot be used"}

NOTHING_USED = "Nothing was used in that time."


# ---- engines ---------------------------------------------------------------------------------------------------------


def engines(view: EnginesView) -> str:
    """Every engine, and what is wrong."""
    rows = [(each.id, each.title, _state(each), _role(each), _model(each), each.source) for each in view.engines]
    told = [f"{each.id}: {each.trouble}" for each in view.engines if each.trouble]
    return "\n".join([table(("ENGINE", "NAME", "STATE", "ANSWERS", "MODEL", "BY"), rows), *_below(told, view.remarks)])


def _below(*parts: Sequence[str]) -> Iterator[str]:
    """Sentences below a table, after an empty line."""
    lines = [line for part in parts for line in part]
    if lines:
        yield ""
        yield from lines


def _state(view: EngineView) -> str:
    if view.state == "ready" and view.trouble:
        return "see below"
    return _STATES[view.state]


def _role(view: EngineView) -> str:
    roles = [word for holds, word in ((view.is_default, "by default"), (view.is_fallback, "as fallback")) if holds]
    return ", ".join(roles)


def _model(view: EngineView) -> str:
    """Which model answers, and how many there are."""
    if view.models and view.models > 1:
        return f"{view.model} (of {view.models})"
    return view.model or ""


def added(view: AddedView) -> str:
    """An engine was connected, and what it does from now on."""
    engine = view.engine
    first = f"{engine.title} is connected" if not view.updated else f"{engine.title} has its new key"
    there = f", with {counted(engine.models, 'model')}" if engine.models else ""
    if engine.is_default:
        answers = f"It answers from the next message on{_with(engine)}."
    else:
        answers = f"Another one answers by default; `conch engines default {engine.id}` chooses this one."
    return f"{first}{there}. {answers}\n`conch engines test {engine.id}` asks it something."


def is_default(view: EngineView) -> str:
    """What answers now."""
    lines = [f"{view.title} answers from the next message on{_with(view)}, wherever a chat chose nothing itself."]
    return "\n".join([*lines, *_trouble(view)])


def is_fallback(view: EngineView | None) -> str:
    """What takes over now."""
    if view is None:
        return "No engine takes over for another any more."
    first = f"{view.title} takes over for one reply whenever another engine is out of reach or takes no more."
    if view.is_default:
        first += " It also answers by default, and nothing takes over for itself: choose another for one of the two."
    return "\n".join([first, *_trouble(view)])


def _with(view: EngineView) -> str:
    return f", with {view.model}" if view.model else ""


def _trouble(view: EngineView) -> Iterator[str]:
    if view.trouble:
        yield f"Mind: {view.trouble}"


def models(views: Sequence[ModelsView]) -> str:
    """What there is to choose from, an engine at a time."""
    return "\n\n".join(_models(view) for view in views)


def _models(view: ModelsView) -> str:
    head = f"{view.title} ({view.engine})"
    if view.trouble:
        return f"{head}: {view.trouble}"
    if not view.models:
        return f"{head} has no models to choose from."
    rows = [
        (
            model.id,
            model.title if model.title != model.id else "",
            f"{model.window:,}" if model.window else "",
            ", ".join(model.efforts),
            "yes" if model.images else "",
        )
        for model in view.models
    ]
    return f"{head}, its default first:\n" + table(("MODEL", "NAME", "CONTEXT", "EFFORTS", "PICTURES"), rows)


def removed(view: RemovedView) -> str:
    """An engine was forgotten, and what answers without it."""
    return f"{view.title} ({view.id}) is forgotten, and its key with it. By default {view.answers} answers now."


def trial(view: TrialView) -> str:
    """What came of a question."""
    who = f"{view.title} ({view.model})" if view.model else view.title
    if view.problem:
        return f"{who} did not answer, after {view.seconds:.1f} s: {view.problem}"
    used = f"{counted(view.input, 'token')} in, {view.output:,} out"
    cost = "" if view.cost is None else f", {money(view.cost)}"
    return f"{who} answers, after {view.seconds:.1f} s:\n  {' '.join(view.answer.split())}\n{used}{cost}."


# ---- settings --------------------------------------------------------------------------------------------------------


def settings(views: Sequence[SettingView]) -> str:
    """Every setting."""
    rows = [(each.name, each.value, each.source, each.description) for each in views]
    return table(("SETTING", "VALUE", "FROM", "WHAT IT IS"), rows)


def is_set(view: SettingView) -> str:
    """What a setting is now."""
    value = f"is {view.value}" if view.value else "is not set"
    return f"{view.name} {value}" + (" (the default)." if view.source == "default" else ".")


# ---- usage -----------------------------------------------------------------------------------------------------------


def usage(view: UsageView) -> str:
    """What was used, day by day, and what is left of today's budgets."""
    left = list(_left(view))
    if not view.used:
        return "\n".join([NOTHING_USED, *_below(left)])
    head = ("DAY (UTC)", "ENGINE", "MODEL", "ANSWERS", "IN", "CACHED", "OUT", "COST")
    rows = [
        (
            f"{each.day}",
            each.engine,
            each.model or "",
            f"{each.turns:,}",
            f"{each.input:,}",
            f"{each.cached:,}",
            f"{each.output:,}",
            _cost(each.cost, unpriced=bool(each.unpriced)),
        )
        for each in view.used
    ]
    total = (
        "all",
        "",
        "",
        *(f"{sum(figures):,}" for figures in _columns(view.used)),
        _cost(_sum(view.used), unpriced=_unpriced(view.used)),
    )
    told = ["“?”: what some of it cost is not known."] if _unpriced(view.used) else []
    return "\n".join([table(head, [*rows, total]), *_below(told, left)])


def _columns(used: Sequence[UsedView]) -> Iterator[Iterable[int]]:
    for name in ("turns", "input", "cached", "output"):
        yield [getattr(each, name) for each in used]


def _sum(used: Iterable[UsedView]) -> float:
    return sum(each.cost for each in used)


def _unpriced(used: Iterable[UsedView]) -> bool:
    return any(each.unpriced for each in used)


def _cost(dollars: float, *, unpriced: bool) -> str:
    if unpriced and not dollars:
        return "?"
    return money(dollars) + (" + ?" if unpriced else "")


def _left(view: UsageView) -> Iterator[str]:
    today = [each for each in view.used if each.day == view.today]
    tokens, cost, budget = sum(each.input + each.output for each in today), _sum(today), view.budget
    if budget.day_tokens is not None:
        yield f"Today {tokens:,} of {budget.day_tokens:,} tokens (budget_day_tokens)."
    if budget.day_cost is not None:
        yield f"Today {money(cost)} of {money(budget.day_cost)} (budget_day_cost)."
    if budget.turn_tokens is not None:
        yield f"One answer may use {budget.turn_tokens:,} tokens (budget_turn_tokens)."
    if budget.turn_cost is not None:
        yield f"One answer may cost {money(budget.turn_cost)} (budget_turn_cost)."
    if budget == BudgetView():
        yield "No budget is set; `conch settings set budget_day_cost 5` would be one of 5 dollars a day."


def money(dollars: float) -> str:
    """US dollars; small sums to four places."""
    return f"${dollars:,.2f}" if dollars >= 1 or dollars == 0 else f"${dollars:.4f}"


def counted(count: int, noun: str) -> str:
    """So many of something."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
