"""What can be typed in the console, with the words that commands take and which of these is in use."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from channels.commands.options import Answering, efforts_of
from commands import registry
from commands.menus import MenuEntry, native_menu
from commands.resolution import OtherNames, reachable
from commands.values import ValueItem, Values, ValueSource
from core.engines.catalogue import Catalogue, EngineChoice
from core.events import Effort

MOST_MODELS: Final = 200


@dataclass(frozen=True, slots=True)
class Typable:
    """One thing to type: a command of Conch's, or (`own`) a saved command or a skill of the owner's."""

    name: str
    description: str
    section: str
    hint: str = ""
    needs_args: bool = False
    values: Values | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class Choices:
    """Fills lists in. `theme` is how the asking browser shows the console."""

    answering: Answering
    offered: tuple[EngineChoice, ...]
    theme: str = "system"

    def of(self, name: str, values: Values) -> Values:
        """The words of a command, the one in use ticked."""
        filled = values.filled({ValueSource.MODELS: self._models()})
        match name:
            case "model":
                return filled
            case "effort":
                able = efforts_of(self.answering.model(self.offered))
                kept = tuple(item for item in filled.items if item.word in {effort.value for effort in able})
                return replace(filled, items=kept).ticked((self.answering.effort or Effort.AUTO).value)
            case "fast":
                return filled.ticked("on" if self.answering.fast else "off")
            case "mode":
                shown = [item for item in filled.items if not (item.word == "plan" and self.answering.why_no_plan)]
                return replace(filled, items=tuple(shown)).ticked(self.answering.mode.value)
            case "theme":
                return filled.ticked(self.theme)
            case _:
                return filled

    def _models(self) -> list[ValueItem]:
        answers = self.answering.model(self.offered)
        items = []
        for engine in self.offered:
            if not engine.models:
                items.append(ValueItem(engine.engine, engine.title, engine.engine == self.answering.engine))
            for model in engine.models:
                current = engine.engine == self.answering.engine and answers is not None and model.id == answers.id
                items.append(ValueItem(f"{engine.engine}/{model.id}", f"{model.title} ({engine.title})", current))
        return items[:MOST_MODELS]


async def choices(answering: Answering, catalogue: Catalogue, theme: str) -> Choices:
    """What there is to choose now; no engine is waited for."""
    return Choices(answering, await catalogue.known(), theme)


def typables(choices: Choices, others: OtherNames) -> Sequence[Typable]:
    """Everything that can be typed, in the order in which it is shown."""
    mine = reachable(others)
    return (
        *(_typable(entry, choices) for entry in native_menu("console").default),
        *(Typable(name, "A saved command of yours", "Your own commands", own=True) for name in mine.own),
        *(Typable(name, "A skill", "Skills", own=True) for name in mine.skills),
    )


def _typable(entry: MenuEntry, choices: Choices) -> Typable:
    values = choices.of(entry.name, entry.values) if entry.values else None
    needs_args = registry.named(entry.name).needs_args
    return Typable(entry.name, entry.description, entry.section.value, entry.argument_hint, needs_args, values)
