"""A menu as data: what it says, its buttons, and what each of them stands for. Pure.

What stands in a menu is in `answers` and `settings`; this knows how a list of choices becomes buttons.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from channels.base import ButtonStyle
from channels.menu_views import Name, View
from commands.menus import cut
from core.options import OptionsChange

FEWEST: Final = 3
MOST: Final = 9
"""Buttons of one menu, More, Previous and Back among them, whatever the app says it shows."""

LONGEST_LABEL: Final = 60
"""Characters; every app shows so many."""

TICK: Final = "✓"
LOCK: Final = "🔒"
MORE: Final = "More ›"
PREVIOUS: Final = "‹ Previous"
BACK: Final = "« Back"


@dataclass(frozen=True, slots=True)
class Show:
    """Show this instead."""

    view: View


@dataclass(frozen=True, slots=True)
class Choose:
    """Answer this chat so from now on; `said` is the quiet note that says it."""

    change: OptionsChange
    said: str


@dataclass(frozen=True, slots=True)
class Set:
    """Have these settings for everything; None goes back to what Conch comes with."""

    values: Mapping[str, Any]
    said: str


@dataclass(frozen=True, slots=True)
class LetGo:
    """End what a used skill holds back in this chat."""

    skill_id: str
    title: str


Deed = Show | Choose | Set | LetGo


@dataclass(frozen=True, slots=True)
class Choice:
    """One line to choose. `word` names it for as long as the menu is shown; `sure` is asked before it is done."""

    word: str
    label: str
    deed: Deed
    ticked: bool = False
    sure: str | None = None
    dangerous: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """All there is to say and to choose in a view. Texts are Markdown.

    `live` may change without the buttons meaning anything else. `waits_for` is the setting whose value may be typed.
    """

    text: str
    choices: tuple[Choice, ...] = ()
    live: str = ""
    waits_for: str | None = None


@dataclass(frozen=True, slots=True)
class MenuButton:
    """A button and what it stands for. An `option` is one of the choices, not a way to another page."""

    label: str
    deed: Deed
    style: ButtonStyle = ButtonStyle.PLAIN
    option: bool = False


@dataclass(frozen=True, slots=True)
class Menu:
    """What is shown: at most as many buttons as the app has room for."""

    text: str
    buttons: tuple[MenuButton, ...]
    live: str = field(default="", compare=False)
    waits_for: str | None = None

    @property
    def words(self) -> str:
        """The whole message, as Markdown."""
        return "\n\n".join(part for part in (self.text, self.live) if part)

    @property
    def revision(self) -> str:
        """Another one whenever anything that is shown means something else than before."""
        shown = (self.text, self.waits_for, [(button.label, _told(button.deed)) for button in self.buttons])
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:32]


def drawn(sheet: Sheet, view: View, room: int) -> Menu:
    """The sheet as buttons: one page of it, or the question whether a choice is meant."""
    asked = next((choice for choice in sheet.choices if choice.word == view.sure and choice.sure), None)
    if asked is not None and asked.sure is not None:
        style = ButtonStyle.DANGER if asked.dangerous else ButtonStyle.PRIMARY
        no = Show(view.model_copy(update={"sure": None}))
        return Menu(asked.sure, (MenuButton("Yes", asked.deed, style), MenuButton("No, leave it", no)))
    buttons = paged([_button(choice, view) for choice in sheet.choices], view, room)
    return Menu(sheet.text, buttons, sheet.live, sheet.waits_for)


def paged(entries: Sequence[MenuButton], view: View, room: int) -> tuple[MenuButton, ...]:
    """The entries of the view's page with the ways to the others, at most `room` buttons in all."""
    room = min(MOST, max(FEWEST, room))
    back = (MenuButton(BACK, Show(View(name=Name.SETTINGS))),) if view.within else ()
    pages = _pages(entries, room, len(back))
    number = min(view.page, len(pages) - 1)
    previous = (MenuButton(PREVIOUS, _turned(view, number - 1)),) if number else ()
    more = (MenuButton(MORE, _turned(view, number + 1)),) if number < len(pages) - 1 else ()
    shown = (*pages[number], *previous, *more)
    return (*shown, *back) if len(shown) + len(back) <= room else shown


def _pages(entries: Sequence[MenuButton], room: int, back: int) -> list[Sequence[MenuButton]]:
    """Where three buttons are all there is, the pages in the middle have no room for Back; Previous leads to one."""
    if len(entries) + back <= room:
        return [entries]
    edge, middle = room - back - 1, max(1, room - back - 2)
    pages, left = [entries[:edge]], entries[edge:]
    while len(left) > edge:
        pages.append(left[:middle])
        left = left[middle:]
    return [*pages, left]


def _turned(view: View, page: int) -> Show:
    return Show(view.model_copy(update={"page": page}))


def _button(choice: Choice, view: View) -> MenuButton:
    label = cut(f"{TICK} {choice.label}" if choice.ticked else choice.label, LONGEST_LABEL)
    if choice.sure is None:
        return MenuButton(label, choice.deed, option=True)
    return MenuButton(label, Show(view.model_copy(update={"sure": choice.word})), option=True)


def _told(deed: Deed) -> str:
    match deed:
        case Show(view):
            return view.model_dump_json(exclude_defaults=True)
        case Choose(change):
            return change.model_dump_json(exclude_unset=True)
        case Set(values):
            return repr(sorted(values.items()))
        case LetGo(skill_id):
            return f"let go of {skill_id}"
