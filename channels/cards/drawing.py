"""How a neutral prompt becomes Markdown and buttons for one app: what does not fit on a button goes into the text.

Pure.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from channels.base import Button, Capabilities, Form
from channels.cards.filling import OPTION, Tap
from channels.cards.forms import form_of
from channels.cards.prompts import Prompt, PromptButton
from channels.choices import MOST, Choice, as_numbers, as_words, has_buttons
from channels.formatting.parts import literal

TICK, NO_TICK = "✓ ", "○ "
"""Before what can be ticked; both as wide, so that no button moves under the finger."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Markdown, and the buttons under it; none where the app has none. `form` stands in the message itself."""

    markdown: str
    buttons: tuple[Button, ...] = ()
    form: Form | None = None


def drawn(prompt: Prompt, capabilities: Capabilities, token_for: Callable[[str], str]) -> Drawn:
    """A prompt in one app. `token_for` makes a button's token from what it does."""
    if not has_buttons(capabilities):
        return Drawn("\n\n".join([prompt.text, *_in_words(prompt)]))
    too_long = [place for place, button in enumerate(prompt.buttons) if _width(button) > capabilities.max_label]
    numbered = max(too_long, default=-1) + 1
    text = "\n\n".join([prompt.text, *_listed(prompt.buttons[:numbered])])
    buttons = (
        _button(button, str(place + 1) if place < numbered else button.label, token_for)
        for place, button in enumerate(prompt.buttons)
    )
    form = form_of(prompt.fields, token_for(Tap.FORM)) if prompt.fields is not None else None
    return Drawn(text, tuple(buttons), form)


def _button(button: PromptButton, label: str, token_for: Callable[[str], str]) -> Button:
    mark = "" if button.ticked is None else TICK if button.ticked else NO_TICK
    return Button(
        f"{mark}{label}",
        token=token_for(button.what),
        style=button.style,
        option=button.option,
        form=button.form,
    )


def _width(button: PromptButton) -> int:
    return len(button.label) + (0 if button.ticked is None else len(TICK))


def _listed(buttons: Sequence[PromptButton]) -> list[str]:
    """Labels that are too long for buttons, and those before them, so that the numbers count through."""
    lines = [f"{place}\\. {literal(button.label)}" for place, button in enumerate(buttons, start=1)]
    return ["\n".join(lines)] if lines else []


def _in_words(prompt: Prompt) -> list[str]:
    labels = [button.label for button in prompt.buttons]
    if not labels:
        return []
    if not prompt.typed:
        return [as_numbers(labels)]
    picks = any(button.what.startswith(OPTION) for button in prompt.buttons)
    return [as_words(labels, "Reply" if picks else "Or reply")]


def choices_of(prompt: Prompt) -> tuple[Choice, ...]:
    """What typed words can pick; an app shows its buttons, or their numbers, in the same order."""
    return tuple(Choice(button.label, button.style) for button in prompt.buttons[:MOST])


def with_note(markdown: str, note: str | None) -> str:
    """A card that nobody can answer any more, and what was decided."""
    return f"{markdown}\n\n_{literal(note)}_" if note else markdown
