"""The map of what can be turned on, for the model: what may be offered at all, and how it is told. Pure.

The lines stand in the same order from turn to turn, as providers cache a prompt by its prefix. Whether one offer shows
is decided in `core.offers.desk`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from core.cards import OfferKind
from core.offers.catalog import CatalogApp

MAX_MAP: Final = 2_400
"""Characters of the whole section."""
MAX_SENTENCE: Final = 140
MAX_DESCRIPTION: Final = 300
MAX_NAME: Final = 80
MAX_TARGET: Final = 240

_HEAD: Final = (
    "What the owner could turn on, and has not. You can use none of it now; `offer` shows them a card that turns it on,"
    " after which you are asked to carry on."
)
_RULES: Final = (
    "Offer only what would clearly do what was asked, and one thing at most. First answer what you can answer without"
    " it. Never offer what the person said they do not use. Explain no set-up: the card does that."
)

_SENTENCE_END: Final = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s|$)")
"""A dot inside a version number has no space behind it, so it ends nothing."""


class SkillFacts(Protocol):
    """What is known of a skill."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def title(self) -> str:
        """Its name for people."""
        ...

    @property
    def description(self) -> str:
        """What it is good for."""
        ...

    @property
    def mode(self) -> Literal["off", "when-asked", "automatic"]:
        """When it is used."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that could be turned on. `skill_mode` is None for an app."""

    kind: OfferKind
    target: str
    name: str
    description: str
    featured: bool = False
    skill_mode: Literal["off", "when-asked"] | None = None

    @property
    def key(self) -> str:
        """What names it among muted suggestions: an app's id, or `skill:` and the skill's."""
        return self.target if self.kind is OfferKind.APP else f"{self.kind.value}:{self.target}"


def candidates(
    apps: Sequence[CatalogApp],
    skills: Sequence[SkillFacts],
    *,
    connected: Collection[str] = (),
    reached: Collection[str] = (),
) -> tuple[Candidate, ...]:
    """All that could be turned on, before mutes: featured apps by name, then skills by title, then other apps.

    `reached` are the apps that the engine uses by itself.
    """
    those = [app for app in apps if can_be_offered(app) and app.id not in connected and app.id not in reached]
    found = [*map(_of_app, those), *(one for one in map(_of_skill, skills) if one is not None)]
    return tuple(sorted(found, key=_place))


def can_be_offered(app: CatalogApp) -> bool:
    """Whether a card for it would lead anywhere."""
    return app.can_be_connected and not app.retired


def offer_map(
    known: Sequence[Candidate], *, muted: Collection[str] = (), named: Collection[str] = (), limit: int = MAX_MAP
) -> str:
    """The section; empty where there is nothing to tell, or nothing fits.

    What does not fit is left out from the end and counted. An app that the newest message names (`named` are ids) is
    never left out: where it would be, and only then, it stands in front.
    """
    shown = [one for one in known if one.key not in muted]
    ahead: list[Candidate] = []
    while True:
        ordered = [*ahead, *(one for one in shown if one not in ahead)]
        count = _fitting(ordered, limit)
        late = [one for one in ordered[count:] if one.kind is OfferKind.APP and one.target in named]
        if not count or not late or late[0] in ahead:
            return _section(ordered, count) if count else ""
        ahead += late


def first_sentence(description: str) -> str:
    """At most 140 characters, on one line."""
    line = " ".join(description.split())
    end = _SENTENCE_END.search(line)
    return _cut(line[: end.end()] if end else line, MAX_SENTENCE)


def _of_app(app: CatalogApp) -> Candidate:
    return Candidate(OfferKind.APP, app.id, app.name, app.tagline, app.featured)


def _of_skill(skill: SkillFacts) -> Candidate | None:
    """None for one that is used by itself already, or whose id is too long to be offered."""
    if skill.mode == "automatic" or len(skill.id) > MAX_TARGET:
        return None
    name, description = _cut(" ".join(skill.title.split()), MAX_NAME), " ".join(skill.description.split())
    return Candidate(OfferKind.SKILL, skill.id, name, _cut(description, MAX_DESCRIPTION), skill_mode=skill.mode)


def _place(one: Candidate) -> tuple[int, str, str]:
    rank = 1 if one.kind is OfferKind.SKILL else 0 if one.featured else 2
    return rank, one.name.casefold(), one.target


def _fitting(ordered: Sequence[Candidate], limit: int) -> int:
    """How many of the first fit."""
    return next((count for count in range(len(ordered), 0, -1) if len(_section(ordered, count)) <= limit), 0)


def _section(ordered: Sequence[Candidate], count: int) -> str:
    lines = [_line(one) for one in ordered[:count]]
    left = len(ordered) - count
    return "\n".join([_HEAD, *lines, *([f"({left} more)"] if left else []), _RULES])


def _line(one: Candidate) -> str:
    match one.kind:
        case OfferKind.APP:
            return f"- app `{one.target}`: {one.name}. {one.description}."
        case OfferKind.SKILL:
            asked = " (when asked)" if one.skill_mode == "when-asked" else ""
            return f"- skill `{one.target}`: {one.name}{asked}. {first_sentence(one.description)}"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


# ---- not connected yet ---------------------------------------------------------------------------------------------


def not_connected(apps: Sequence[CatalogApp]) -> str:
    """What a model is told of apps that the person's words mean and that are not connected; empty for none."""
    if not apps:
        return ""
    names = ", ".join(app.name for app in apps)
    return (
        f"Not connected yet: {names}. You see nothing of what is in there. Never pretend to: say so in a few words, and"
        " help with what you can."
    )
