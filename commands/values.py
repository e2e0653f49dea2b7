"""The words that commands take: closed lists and suggestions. Which command takes which stands in `registry`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class ValuesKind(StrEnum):
    """What a menu may do with the words."""

    CHOOSE = "choose"
    """A closed list; the one in use is ticked, and choosing one runs the command with it."""
    SUGGEST = "suggest"
    """Suggestions for free text; they fill in words and never run anything by themselves."""


class ValueSource(StrEnum):
    """Where a list comes from that only the running program knows."""

    MODELS = "models"


class Effort(StrEnum):
    """How long a model thinks before it answers; `AUTO` leaves it to the engine."""

    AUTO = "auto"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class ValueItem:
    """One word: what is typed, what a person reads, and whether it is the one in use."""

    word: str
    title: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Values:
    """The words of one command under a heading: either fixed `items`, or those of a `source` passed in later."""

    kind: ValuesKind
    heading: str
    items: tuple[ValueItem, ...] = ()
    source: ValueSource | None = None

    def filled(self, sources: Mapping[ValueSource, Sequence[ValueItem]]) -> "Values":
        """With the items of the named source; a fixed list is returned as it is.

        Raises:
            KeyError: the list has a source that was not passed in.
        """
        return self if self.source is None else replace(self, items=tuple(sources[self.source]))

    def ticked(self, word: str | None) -> "Values":
        """With `word` as the one in use and no other; a word that is not listed (or None) leaves nothing ticked."""
        return replace(self, items=tuple(replace(item, current=item.word == word) for item in self.items))

    def title(self, word: str) -> str:
        """What a person reads for a word; the word itself where it is not listed."""
        return next((item.title for item in self.items if item.word == word), word)

    def word(self, typed: str) -> str | None:
        """The listed word that somebody typed, by itself or by its title, in any case; None when it is none."""
        wanted = " ".join(typed.split()).lower()
        return next((item.word for item in self.items if wanted in (item.word, item.title.lower())), None)


GOALS = Values(ValuesKind.SUGGEST, "Goal", (ValueItem("clear", "Clear the goal"),))
PLANS = Values(ValuesKind.SUGGEST, "Plan first", (ValueItem("on", "Plan first"), ValueItem("off", "Act as usual")))
MODELS = Values(ValuesKind.CHOOSE, "Model", source=ValueSource.MODELS)
EFFORTS = Values(
    ValuesKind.CHOOSE,
    "Effort",
    (
        ValueItem(Effort.AUTO.value, "Auto"),
        ValueItem(Effort.LOW.value, "Low"),
        ValueItem(Effort.MEDIUM.value, "Medium"),
        ValueItem(Effort.HIGH.value, "High"),
        ValueItem(Effort.XHIGH.value, "Extra high"),
        ValueItem(Effort.MAX.value, "Max"),
    ),
)
SPEEDS = Values(ValuesKind.CHOOSE, "Fast answers", (ValueItem("on", "On"), ValueItem("off", "Off")))
MODES = Values(
    ValuesKind.CHOOSE,
    "Mode",
    (
        ValueItem("plan", "Plan only"),
        ValueItem("ask", "Ask first"),
        ValueItem("edit", "Edit freely"),
        ValueItem("auto", "Auto"),
        ValueItem("full", "Full trust"),
    ),
)
THEMES = Values(
    ValuesKind.CHOOSE,
    "Theme",
    (ValueItem("system", "As this device"), ValueItem("light", "Light"), ValueItem("dark", "Dark")),
)
