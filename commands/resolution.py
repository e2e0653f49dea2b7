"""Which thing a typed name means: Conch's command or a name the person has besides. Who may run it is not asked."""

from collections.abc import Iterable
from dataclasses import dataclass

from commands import registry
from commands.command import Command
from commands.naming import fold_name, is_name


@dataclass(frozen=True, slots=True)
class OtherNames:
    """The names someone can type besides Conch's own, without slash and as they are spelled where they come from."""

    own: tuple[str, ...] = ()
    """Saved commands of the person's own."""
    skills: tuple[str, ...] = ()
    engine: tuple[str, ...] = ()
    """What the engine in use has as commands."""


NO_OTHERS = OtherNames()


@dataclass(frozen=True, slots=True)
class Builtin:
    """One of Conch's commands."""

    command: Command


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A saved command of the person's own, to be filled in and sent."""

    name: str


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill of the person's, to be passed on as typed."""

    name: str


@dataclass(frozen=True, slots=True)
class EngineCommand:
    """A command of the engine in use, to be passed on as typed."""

    name: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No command at all; `similar_commands` says what was probably meant."""

    typed: str


Resolution = Builtin | OwnCommand | Skill | EngineCommand | Unknown


def resolve(typed: str, others: OtherNames = NO_OTHERS) -> Resolution:
    """What the name means, in the first of these that has it: Conch, own commands, skills, the engine.

    A command of Conch's that yields comes after the own command or skill with the *typed* name: a skill `connect`
    takes `/connect`, but leaves `/apps`, of which it is another name, alone.
    """
    command = registry.find(typed)
    if command is not None and not command.yields:
        return Builtin(command)
    if (own := _spelled(typed, others.own)) is not None:
        return OwnCommand(own)
    if (skill := _spelled(typed, others.skills)) is not None:
        return Skill(skill)
    if command is not None:
        return Builtin(command)
    if (engine := _spelled(typed, others.engine)) is not None:
        return EngineCommand(engine)
    return Unknown(typed)


def reachable(others: OtherNames) -> OtherNames:
    """Only the names that do something when typed: those that can be typed and that nothing before them has taken."""
    return OtherNames(
        own=tuple(name for name in others.own if _means(name, OwnCommand(name), others)),
        skills=tuple(name for name in others.skills if _means(name, Skill(name), others)),
        engine=tuple(name for name in others.engine if _means(name, EngineCommand(name), others)),
    )


def _means(name: str, meaning: Resolution, others: OtherNames) -> bool:
    # Folded, since that is how parsing hands on what was typed.
    return is_name(name) and resolve(fold_name(name), others) == meaning


def _spelled(typed: str, names: Iterable[str]) -> str | None:
    """The name as it is spelled where it comes from; an exact match goes before one in another case."""
    folded = fold_name(typed)
    alike = [name for name in names if fold_name(name) == folded]
    return typed if typed in alike else next(iter(alike), None)
