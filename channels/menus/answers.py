"""The menus about how answers come: model, effort, speed and mode, here or in every chat; and the status. Pure.

An engine without models is chosen as such. What a person reads of a value stands in `commands.values`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from channels.commands.options import WHAT_MODES_DO, efforts_of, mode_question
from channels.formatting.parts import literal
from channels.menu_views import Name, View
from channels.menus.facts import Facts
from channels.menus.menu import MOST, Choice, Choose, Deed, LetGo, Set, Sheet, Show
from commands.parsing import DEFAULT
from commands.values import EFFORTS, MODES
from core.conversation_state import SkillHold
from core.engines.base import ModelInfo
from core.engines.catalogue import EngineChoice
from core.events import Effort, Mode
from core.options import OptionsChange
from core.safety.permissions import ToolKind
from core.skills.skill import MAY, listed

WAITS: Final = "What you choose waits and goes with your first message."


def sheet(view: View, facts: Facts) -> Sheet:
    """What a view about answers holds."""
    match view.name:
        case Name.MODEL:
            return _models(view, facts)
        case Name.EFFORT:
            return _efforts_everywhere(facts) if view.everywhere else _efforts(facts)
        case Name.FAST:
            return _fast_everywhere(facts) if view.everywhere else _fast(facts)
        case Name.MODE:
            return _modes_everywhere(facts) if view.everywhere else _modes(facts)
        case _:
            return _status(facts)


# ---- model -----------------------------------------------------------------------------------------------------------


def _models(view: View, facts: Facts) -> Sheet:
    answering = facts.answering
    in_use = answering.default_engine if view.everywhere else answering.engine
    shown = facts.engine(view.engine) or facts.engine(in_use)
    choices = list(_of_engine(view, facts, shown)) if shown else []
    choices += [_to_engine(view, facts, other) for other in facts.offered if other is not shown]
    if not view.everywhere and (answering.chosen.engine or answering.chosen.model):
        label = f"As everywhere: {facts.everywhere_model()}"
        change = OptionsChange(engine=None, model=None)
        sure = f"Have **{literal(facts.everywhere_model())}** answer here, as in chats that name no model?"
        choices.append(Choice(DEFAULT, label, Choose(change, "Model: as everywhere"), sure=sure))
    if view.everywhere and facts.settings.default_engine:
        label = "Whatever is connected first"
        deed = Set({"default_engine": None, "default_model": None}, "Every chat: what is connected first")
        choices.append(Choice(DEFAULT, label, deed, sure=f"Go back to **{label.lower()}**, in every chat?"))
    now = literal(facts.everywhere_model()) if view.everywhere else facts.answers_now()
    head = "Model for every chat" if view.everywhere else "Model"
    text = f"**{head}**\n{now} answers" + (" where a chat names none." if view.everywhere else " here.")
    if shown is not None and shown.trouble:
        text += f"\n\n{literal(shown.title)}: {literal(shown.trouble)}"
    if not view.everywhere and len(choices) > MOST:
        text += f"\n\nA part of a name after {facts.model_command} finds it sooner."
    return Sheet(_with_waiting(text, view, facts, choices), tuple(choices))


def _of_engine(view: View, facts: Facts, shown: EngineChoice) -> Iterator[Choice]:
    """The models of the engine that is shown; itself where it has none."""
    if not shown.models:
        yield _pick(view, facts, shown, None)
    for model in shown.models:
        yield _pick(view, facts, shown, model)


def _pick(view: View, facts: Facts, engine: EngineChoice, model: ModelInfo | None) -> Choice:
    answering = facts.answering
    title = model.title if model else engine.title
    word = f"{engine.engine}/{model.id}" if model else engine.engine
    if view.everywhere:
        named = facts.settings.default_model or (engine.models[0].id if engine.models else None)
        ticked = engine.engine == answering.default_engine and (model is None or model.id == named)
        values = {"default_engine": engine.engine, "default_model": model.id if model else None}
        sure = f"Have **{literal(title)}** answer in every chat that names no model?"
        return Choice(word, title, Set(values, f"Every chat: {title}"), ticked, None if ticked else sure)
    ticked = engine.engine == answering.engine and (model is None or (facts.model or model).id == model.id)
    return Choice(word, title, Choose(answering.to_model(engine.engine, model), f"Model: {title}"), ticked)


def _to_engine(view: View, facts: Facts, engine: EngineChoice) -> Choice:
    """An engine that is not shown: opened, or chosen at once where it has nothing to choose from."""
    if not engine.models and engine.trouble is None:
        return _pick(view, facts, engine, None)
    label = f"{engine.title} ⚠" if engine.trouble else f"{engine.title} ›"
    there = view.model_copy(update={"engine": engine.engine, "page": 0})
    return Choice(f"engine {engine.engine}", label, Show(there))


# ---- effort and speed ------------------------------------------------------------------------------------------------


def _efforts(facts: Facts) -> Sheet:
    able, chosen = efforts_of(facts.model), facts.answering.chosen.effort
    now = facts.answering.effort or Effort.AUTO
    text = f"**Effort**\nHow long it thinks before it answers.\nNow: {EFFORTS.title(now.value)}."
    if not able:
        text += f"\n\n{facts.answers_now()} has no effort to choose."
    choices = [
        Choice(effort.value, EFFORTS.title(effort.value), Choose(OptionsChange(effort=effort), _effort_said(effort)))
        for effort in able
    ]
    choices = [replace(choice, ticked=choice.word == now.value) for choice in choices]
    if chosen is not None:
        title = EFFORTS.title((facts.settings.default_effort or Effort.AUTO).value)
        choices.append(_as_everywhere(title, Choose(OptionsChange(effort=None), "Effort: as everywhere")))
    return Sheet(_with_waiting(text, View(name=Name.EFFORT), facts, choices), tuple(choices))


def _effort_said(effort: Effort) -> str:
    return f"Effort: {EFFORTS.title(effort.value)}"


def _efforts_everywhere(facts: Facts) -> Sheet:
    now = facts.settings.default_effort or Effort.AUTO
    text = (
        "**Effort for every chat**\nHow long it thinks before it answers, where a chat names no effort.\n"
        f"Now: {EFFORTS.title(now.value)}."
    )
    choices = tuple(
        _everywhere("default_effort", item.word, item.title, "Effort", ticked=item.word == now.value)
        for item in EFFORTS.items
    )
    return Sheet(text, choices)


def _fast(facts: Facts) -> Sheet:
    answering = facts.answering
    text = f"**Fast answers**\nAnswers sooner, which may cost more.\nNow: {_on_off(answering.fast)}."
    able = facts.model is not None and facts.model.fast
    choices: list[Choice] = []
    if able:
        for on in (True, False):
            deed = Choose(OptionsChange(fast=on), f"Fast answers: {_on_off(on)}")
            choices.append(Choice(_word(on), _on_off(on), deed, ticked=answering.fast is on))
    else:
        text += f"\n\n{facts.answers_now()} has no faster way to answer."
    if answering.chosen.fast is not None:
        title = _on_off(bool(facts.settings.default_fast))
        choices.append(_as_everywhere(title, Choose(OptionsChange(fast=None), "Fast answers: as everywhere")))
    return Sheet(_with_waiting(text, View(name=Name.FAST), facts, choices), tuple(choices))


def _fast_everywhere(facts: Facts) -> Sheet:
    now = bool(facts.settings.default_fast)
    text = f"**Fast answers for every chat**\nWhere a chat says nothing about it.\nNow: {_on_off(now)}."
    choices = tuple(
        _everywhere("default_fast", on, _on_off(on), "Fast answers", ticked=on is now) for on in (True, False)
    )
    return Sheet(text, choices)


# ---- mode ------------------------------------------------------------------------------------------------------------


def _modes(facts: Facts) -> Sheet:
    answering = facts.answering
    text = f"**Mode**\nWhat it may do without asking you.\nNow: {MODES.title(answering.mode.value)}."
    choices = []
    for mode in Mode:
        if mode is Mode.PLAN and answering.why_no_plan:
            text += f"\n\n{literal(answering.why_no_plan)}"
            continue
        deed = Choose(OptionsChange(mode=mode), f"Mode: {MODES.title(mode.value)}")
        sure = mode_question(mode) if answering.is_stronger(mode) else None
        ticked = mode is answering.mode
        choices.append(Choice(mode.value, MODES.title(mode.value), deed, ticked, sure, dangerous=mode is Mode.FULL))
    if answering.chosen.mode is not None:
        title = MODES.title(facts.settings.default_mode.value)
        choices.append(_as_everywhere(title, Choose(OptionsChange(mode=None), "Mode: as everywhere")))
    return Sheet(_with_waiting(text, View(name=Name.MODE), facts, choices), tuple(choices))


def _modes_everywhere(facts: Facts) -> Sheet:
    now = facts.settings.default_mode
    text = (
        "**Mode for every chat**\nWhat it may do without asking you, where a chat names no mode.\n"
        f"Now: {MODES.title(now.value)}.\n\n"
        "Full trust for every chat can only be set on the machine itself: `conch settings set default_mode full`"
    )
    choices = tuple(_mode_everywhere(mode, ticked=mode is now) for mode in Mode if mode is not Mode.FULL)
    return Sheet(text, choices)


def _mode_everywhere(mode: Mode, *, ticked: bool) -> Choice:
    choice = _everywhere("default_mode", mode.value, MODES.title(mode.value), "Mode", ticked=ticked)
    if ticked or mode not in WHAT_MODES_DO:
        return choice
    sure = f"**{choice.label}** {WHAT_MODES_DO[mode]}. Use it in every chat that names no mode?"
    return replace(choice, sure=sure)


# ---- status ----------------------------------------------------------------------------------------------------------


def _status(facts: Facts) -> Sheet:
    ways = (("Model", Name.MODEL), ("Effort", Name.EFFORT), ("Fast answers", Name.FAST), ("Mode", Name.MODE))
    choices = [Choice(name.value, f"{label} ›", Show(View(name=name))) for label, name in ways]
    choices += [_end_of(hold) for hold in facts.answering.holds]
    choices.append(Choice("look", "Look again", Show(View(name=Name.STATUS))))
    return Sheet("", tuple(choices), live=facts.status)


def _end_of(hold: SkillHold) -> Choice:
    title = " ".join(hold.title.split())
    words = [MAY[kind] for kind in ToolKind if kind.value in hold.holds]
    asks = f" before it would {listed(words, 'or')}" if words else ""
    return Choice(
        f"hold-{hold.skill_id}",
        f"End it: {title}",
        LetGo(hold.skill_id, title),
        sure=f"Because of “{literal(title)}” this chat asks{asks}. End that, so that only the mode counts?",
    )


# ---- what they share -------------------------------------------------------------------------------------------------


def _with_waiting(text: str, view: View, facts: Facts, choices: Sequence[Choice]) -> str:
    waits = facts.answering.waits and choices and not view.everywhere
    return f"{text}\n\n{WAITS}" if waits else text


def _as_everywhere(title: str, deed: Deed) -> Choice:
    return Choice(DEFAULT, f"As everywhere: {title}", deed, sure=f"Use **{title}** here, as in every other chat?")


def _everywhere(name: str, value: object, title: str, what: str, *, ticked: bool) -> Choice:
    sure = f"{what}: use **{title}** in every chat that says nothing else?"
    return Choice(
        str(value), title, Set({name: value}, f"{what} everywhere: {title}"), ticked, None if ticked else sure
    )


def _on_off(on: bool) -> str:
    return "On" if on else "Off"


def _word(on: bool) -> str:
    return "on" if on else "off"
