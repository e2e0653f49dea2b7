"""The menus about settings: the list of them, one of them, and what typed words mean for one. Pure.

Only what makes sense to change from a chat is here; `conch settings` on the machine itself changes the rest.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final

from channels.formatting.parts import literal
from channels.menu_views import Name, View
from channels.menus.facts import Facts
from channels.menus.menu import LOCK, Choice, Set, Sheet, Show
from commands.parsing import DEFAULT
from commands.values import EFFORTS, MODES
from core.errors import UsageError
from core.events import Effort
from core.settings import Settings


class Kind(Enum):
    """What a setting's value is, as a person types it."""

    TEXT = "words"
    TOKENS = "tokens"
    DOLLARS = "dollars"
    ENGINE = "an engine"
    """Chosen, never typed."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A setting with the words for it. `about` ends the sentence "This is …"."""

    title: str
    about: str
    kind: Kind


LISTED: Final[Mapping[str, Listed]] = MappingProxyType(
    {
        "fallback_engine": Listed("Fallback", "what takes over for one reply when another cannot answer", Kind.ENGINE),
        "assistant_name": Listed("Name", "what the assistant calls itself", Kind.TEXT),
        "voice": Listed("Voice", "how the assistant speaks", Kind.TEXT),
        "budget_day_cost": Listed("Dollars a day", "what all answers of a day (UTC) may cost", Kind.DOLLARS),
        "budget_day_tokens": Listed("Tokens a day", "what all answers of a day (UTC) may use", Kind.TOKENS),
        "budget_turn_cost": Listed("Dollars an answer", "what one answer may cost", Kind.DOLLARS),
        "budget_turn_tokens": Listed("Tokens an answer", "what one answer may use", Kind.TOKENS),
    }
)
"""In the order in which they are shown, after the defaults."""

NONE_SET: Final = "no limit"
LONGEST_SHOWN: Final = 24
"""Characters of a value on a button."""


def sheet(view: View, facts: Facts) -> Sheet:
    """The list, or the one that the view names."""
    name = view.setting if view.name is Name.SETTING else None
    if name is None or name not in LISTED:
        return _all(facts)
    return _fallback(facts) if name == "fallback_engine" else _one(name, LISTED[name], facts)


def locked(name: str) -> str:
    """Where a setting is changed that is fixed, as Markdown."""
    return f"{LOCK} It is set where Conch was started (`CONCH_{name.upper()}` or `conch.toml`): change it there."


# ---- the list --------------------------------------------------------------------------------------------------------


def _all(facts: Facts) -> Sheet:
    settings = facts.settings
    effort = settings.default_effort or Effort.AUTO
    defaults = (
        ("default_engine", Name.MODEL, "Model", facts.everywhere_model()),
        ("default_effort", Name.EFFORT, "Effort", EFFORTS.title(effort.value)),
        ("default_fast", Name.FAST, "Fast answers", "On" if settings.default_fast else "Off"),
        ("default_mode", Name.MODE, "Mode", MODES.title(settings.default_mode.value)),
    )
    choices = [
        _entry(facts, setting, f"{title}: {value}", View(name=name, everywhere=True))
        for setting, name, title, value in defaults
    ]
    choices += [
        _entry(facts, name, f"{one.title}: {_short(_shown(name, facts))}", View(name=Name.SETTING, setting=name))
        for name, one in LISTED.items()
    ]
    text = "**Settings**\nFor every chat. A chat's own choice of model, effort, speed or mode goes before them."
    return Sheet(text, tuple(choices))


def _entry(facts: Facts, setting: str, label: str, view: View) -> Choice:
    return Choice(setting, f"{LOCK} {label}" if is_fixed(setting, facts) else label, Show(view))


def is_fixed(setting: str, facts: Facts) -> bool:
    """Whether it can only be changed where Conch was started; a default model goes with its engine."""
    return setting in facts.fixed or (setting == "default_engine" and "default_model" in facts.fixed)


def setting_of(view: View) -> str | None:
    """Which setting a view within the settings is about."""
    if view.name is Name.SETTING:
        return view.setting
    names = {
        Name.MODEL: "default_engine",
        Name.EFFORT: "default_effort",
        Name.FAST: "default_fast",
        Name.MODE: "default_mode",
    }
    return names.get(view.name) if view.everywhere else None


# ---- one of them -----------------------------------------------------------------------------------------------------


def _one(name: str, one: Listed, facts: Facts) -> Sheet:
    text = f"**{one.title}**\nThis is {one.about}.\nNow: {literal(_shown(name, facts))}"
    ask = f"Send me {_asked(name, one)} as your next message, or {facts.cancel}."
    choices: tuple[Choice, ...] = ()
    if getattr(facts.settings, name) != Settings.model_fields[name].default:
        label = "No limit" if one.kind in (Kind.TOKENS, Kind.DOLLARS) else "As Conch comes"
        deed = Set({name: None}, f"{one.title}: {label.lower()}")
        choices = (Choice(DEFAULT, label, deed, sure=f"{one.title}: go back to **{label.lower()}**?"),)
    return Sheet(f"{text}\n\n{ask}", choices, waits_for=name)


def _asked(name: str, one: Listed) -> str:
    match one.kind:
        case Kind.TOKENS:
            return "the number of tokens (200000, 500k, 2M)"
        case Kind.DOLLARS:
            return "the amount in US dollars (5, 0.50)"
        case _:
            return f"the new words (up to {_longest(name)} characters)"


def _fallback(facts: Facts) -> Sheet:
    now = facts.settings.fallback_engine
    one = LISTED["fallback_engine"]
    text = f"**{one.title}**\nThis is {one.about}.\nNow: {literal(_shown('fallback_engine', facts))}"
    engines = [(choice.engine, choice.title) for choice in facts.offered]
    choices = tuple(
        Choice(
            engine or "none",
            title,
            Set({"fallback_engine": engine}, f"{one.title}: {title}"),
            ticked=engine == now,
            sure=None if engine == now else f"{one.title}: **{literal(title)}**, for every chat?",
        )
        for engine, title in [(None, "None"), *engines]
    )
    return Sheet(text, choices)


def _shown(name: str, facts: Facts) -> str:
    """A setting's value as a person reads it."""
    value = getattr(facts.settings, name)
    match LISTED[name].kind:
        case Kind.ENGINE:
            return facts.engine_title(value) if value else "none"
        case Kind.TOKENS:
            return f"{value:,}" if value is not None else NONE_SET
        case Kind.DOLLARS:
            return f"${value:,.2f}" if value is not None else NONE_SET
        case _:
            return value or "none"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1].rstrip() + "…"


# ---- what is typed for one -------------------------------------------------------------------------------------------

_NUMBER = re.compile(
    r"\$?\s*(?P<number>\d[\d,_ ]*(?:\.\d+)?|\.\d+)\s*(?P<unit>k|m)?\s*(?:\$|tokens?|dollars?|usd)?", re.I
)
_UNITS: Final = {"": 1, "k": 1_000, "m": 1_000_000}
LARGEST: Final = 10**12


def typed_value(name: str, words: str) -> str | int | float:
    """What typed words mean for a setting.

    Raises:
        UsageError: they do not fit, with what would.
    """
    one, said = LISTED[name], words.strip()
    if one.kind is Kind.TEXT:
        longest = _longest(name)
        if not said:
            raise UsageError("There are no words in that.")
        if len(said) > longest:
            raise UsageError(f"That is {len(said):,} characters; up to {longest:,} fit.")
        return said
    match = _NUMBER.fullmatch(said)
    if match is None:
        raise UsageError(f"I can't read that as a number. Send me {_asked(name, one)}.")
    number = float(re.sub(r"[,_ ]", "", match["number"])) * _UNITS[(match["unit"] or "").lower()]
    if number > LARGEST:
        raise UsageError("That is more than anybody can use. Send me a smaller number.")
    if one.kind is Kind.TOKENS and (number < 1 or number != int(number)):
        raise UsageError("Tokens are counted in whole numbers from 1 on.")
    if number <= 0:
        raise UsageError("It has to be more than nothing. To allow no answers at all, turn the bot off.")
    return int(number) if one.kind is Kind.TOKENS else number


def _longest(name: str) -> int:
    """As the settings themselves have it."""
    rules = Settings.model_fields[name].metadata
    return next((int(rule.max_length) for rule in rules if hasattr(rule, "max_length")), 1_000)


def said_value(name: str, settings: Settings) -> str:
    """That a setting is changed, as Markdown."""
    value = getattr(settings, name)
    one = LISTED[name]
    if one.kind is Kind.TOKENS:
        return f"{one.title}: {value:,} from now on."
    if one.kind is Kind.DOLLARS:
        return f"{one.title}: ${value:,.2f} from now on."
    return f"{one.title} is now “{literal(' '.join(str(value).split()))}”."
