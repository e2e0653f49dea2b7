"""Promises about what Conch puts into a chat: every card is drawn whole or in words, and no limit is exceeded by it.

What is sent here is made by `channels.composing` and `channels.cards`, and looked at as people see it.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from channels.abilities import FormMessages, Forms, NativeMenus, Presses
from channels.base import Button, Press
from channels.cards.drawing import Drawn, drawn
from channels.cards.filling import Filling
from channels.cards.forms import Way, form_of, way_of
from channels.cards.offered import Connecting, offer_drawn
from channels.cards.prompts import ANSWER, checklist_text, folded_text, permission_prompt, plan_text, question_prompt
from channels.cards.views import view_text
from channels.chips import with_buttons
from channels.choices import has_buttons, room_for
from channels.composing import MadeFile, compose
from channels.conformance import samples
from channels.conformance.promise import Promise, deliver, lacking, letters, listening, unfit
from channels.conformance.rig import FillsIn, Rig, ShowsMenu
from channels.formatting.parts import Dialect, format_message
from channels.menu_views import Name, View
from channels.menus.menu import Choice, Set, Sheet
from channels.menus.menu import drawn as menu_drawn
from commands.menus import native_menu
from core.events import QuestionAsked

KEY: Final = "a card"


# ---- long answers ----------------------------------------------------------------------------------------------------


async def buttons_stand_only_under_the_last_part(rig: Rig) -> None:
    """A long answer arrives whole and in order, in as few parts as it takes; what can be pressed comes last."""
    most = rig.channel.capabilities.max_text or 4_000
    numbered = " ".join(f"word{number}" for number in range(most // 4))
    shown = await _shown(rig, Drawn(numbered, (Button("Yes", token="tok-1"), Button("No", token="tok-2"))))

    said = [word for part, _ in shown for word in letters(part)]
    assert said[: most // 4] == numbered.split()
    assert len(shown) > 1 or rig.channel.capabilities.max_text is None
    assert all(not under for _, under in shown[:-1])
    assert _offers(rig, shown[-1], ["Yes", "No"])


async def nothing_that_is_composed_exceeds_a_limit(rig: Rig) -> None:
    """Code, tables, signs of two units, words without a gap: each part is taken, and none is empty."""
    for markdown in samples.LONG_TEXTS:
        shown = await _shown(rig, Drawn(markdown))

        assert shown
        assert all(part.strip() for part, _ in shown)


async def a_file_that_is_too_large_is_told_instead(rig: Rig) -> None:
    """Never a silent loss: its name stands in a line that says so."""
    capabilities = rig.channel.capabilities
    file = MadeFile(Path("never-read"), "holiday", "video/mp4", capabilities.max_upload + 1)
    before = len(rig.seen())
    await deliver(rig, compose(capabilities, rig.chat, KEY, "", files=[file]))

    (line,) = rig.seen()[before:]
    assert {"holiday", "large"} <= set(letters(line))


async def as_many_buttons_as_promised_are_whole(rig: Rig) -> None:
    """`button_limit` of them with `max_label` characters each; an app without buttons says them with numbers."""
    capabilities = rig.channel.capabilities
    labels = [f"{place} ".ljust(capabilities.max_label, "n") for place in range(1, room_for(capabilities) + 1)]
    buttons = tuple(Button(label, token=f"tok-{place}") for place, label in enumerate(labels))
    (shown,) = await _shown(rig, Drawn("Pick", buttons))

    assert _offers(rig, shown, labels)


# ---- cards -----------------------------------------------------------------------------------------------------------


async def every_kind_of_question_can_be_answered(rig: Rig) -> None:
    """It is seen with everything that can be picked: as buttons, in a form, or in words where there is neither."""
    async with listening(rig) as ear:
        for question in samples.QUESTIONS:
            way = way_of(rig.channel, QuestionAsked(question=question))
            prompt = question_prompt(question, Filling(), way=way)
            drawing = drawn(prompt, rig.channel.capabilities, lambda what: f"tok-{what}")
            ear.forms["tok-form"] = form_of(question, "tok-form")
            (shown,) = await _shown(rig, drawing)

            assert _says(shown[0], prompt.text)
            assert _offers(rig, shown, [button.label for button in prompt.buttons], numbered=not prompt.typed)
            if way in (Way.FORM, Way.FIELDS) and (drawing.form or any(button.form for button in drawing.buttons)):
                fields = await _filler(rig).open_form(ANSWER if way is Way.FORM else None)
                assert all(any(field.label in label for label in fields) for field in question.fields)


async def what_is_filled_in_comes_back_by_its_field(rig: Rig) -> None:
    """A form that is sent is one press with what stands in it, an option by its id."""
    if not has_buttons(rig.channel.capabilities) or not isinstance(rig.channel, Forms | FormMessages):
        raise lacking(Forms)
    question = samples.question(samples.NAME, samples.NIGHTS, samples.DRINK)
    way, filler = way_of(rig.channel, QuestionAsked(question=question)), _filler(rig)
    drawing = drawn(question_prompt(question, Filling(), way=way), rig.channel.capabilities, lambda what: f"tok-{what}")
    async with listening(rig) as ear:
        ear.forms["tok-form"] = form_of(question, "tok-form")
        await _shown(rig, drawing)
        labels = await filler.open_form(ANSWER if way is Way.FORM else None)
        await filler.fill_in(dict(zip(labels, ("Ada", "5", "Cocoa"), strict=True)))
        (press,) = await ear.until_heard(Press)

    assert isinstance(press, Press)
    assert (press.token, press.filled) == ("tok-form", {"name": ("Ada",), "nights": ("5",), "drink": ("cocoa",)})


async def a_permission_can_be_given_and_refused(rig: Rig) -> None:
    """With what it is for and why it is asked, and every way to answer."""
    for asked in samples.PERMISSIONS:
        prompt = permission_prompt(asked)
        (shown,) = await _shown(rig, drawn(prompt, rig.channel.capabilities, str))

        assert _says(shown[0], prompt.text)
        assert _offers(rig, shown, [button.label for button in prompt.buttons])


async def a_plan_is_read_before_it_is_started(rig: Rig) -> None:
    """Its steps and its words, then the question; and how far its turn is, while it goes on and afterwards."""
    prompt = permission_prompt(samples.PLAN)
    (plan,) = await _shown(rig, Drawn(plan_text(samples.PLAN)))
    (start,) = await _shown(rig, drawn(prompt, rig.channel.capabilities, str))
    checklist = checklist_text(samples.STEPS, most=rig.channel.capabilities.max_text)
    (steps,) = await _shown(rig, Drawn(checklist))
    (folded,) = await _shown(rig, Drawn(folded_text(samples.STEPS)))

    assert all(_says(plan[0], said) for said in ("The plan", "Look around", "Write it down", "Nothing is changed"))
    assert _says(start[0], prompt.text)
    assert _offers(rig, start, ["Start", "Keep planning"])
    assert all(_says(steps[0], step.title) for step in samples.STEPS)
    assert _says(folded[0], "1 of 3 done")


async def an_offer_can_be_taken(rig: Rig) -> None:
    """What is offered, what for, and how it is taken; a link is on a button, or in the text where none can open it."""
    for offer in samples.OFFERS:
        for connecting in (Connecting(), Connecting(samples.LINK)):
            drawing = offer_drawn(offer, rig.channel.capabilities, str, connecting=connecting)
            (shown,) = await _shown(rig, drawing)

            assert _says(shown[0], f"{offer.name} {offer.description} {offer.why}")
            assert _offers(rig, shown, [button.label for button in drawing.buttons])
            assert "Connect" in shown[1] or connecting.link is None or offer.skill_mode or "connect/abc" in shown[0]


async def chips_stand_under_the_answer(rig: Rig) -> None:
    """What may be sent next can be tapped under the last part; an app without buttons gets none."""
    capabilities = rig.channel.capabilities
    if not has_buttons(capabilities):
        raise lacking(Presses)
    buttons = [Button(chip, token=f"tok.{place}", says=chip) for place, chip in enumerate(samples.CHIPS)]
    before = len(rig.seen())
    posts = with_buttons(compose(capabilities, rig.chat, KEY, "An answer"), KEY, buttons)
    await deliver(rig, posts or ())

    assert list(rig.seen()[before:]) == ["An answer"]
    assert list(rig.labels()[-1]) == list(samples.CHIPS)


async def what_a_tool_found_is_a_list_to_read(rig: Rig) -> None:
    """Every kind of view says what it found, or that it found nothing."""
    for view in samples.VIEWS:
        (shown,) = await _shown(rig, Drawn(view_text(view)))

        assert _says(shown[0], "Breakfast" if view.rows else "No appointments")


async def a_menu_shows_its_choices(rig: Rig) -> None:
    """A page of choices, the one in use ticked, and the ways to the other pages."""
    choices = [Choice(f"c{place}", f"Choice {place}", Set({}, ""), ticked=place == 1) for place in range(12)]
    menu = menu_drawn(Sheet("Which one", tuple(choices)), View(name=Name.MODEL), room_for(rig.channel.capabilities))
    buttons = tuple(
        Button(button.label, token=f"tok.{place}", style=button.style, option=button.option)
        for place, button in enumerate(menu.buttons)
    )
    (shown,) = await _shown(rig, Drawn(menu.words, buttons))

    assert _says(shown[0], "Which one")
    assert _offers(rig, shown, [button.label for button in buttons])


# ---- the app's own menu ----------------------------------------------------------------------------------------------


async def the_apps_menu_is_the_one_that_was_set(rig: Rig) -> None:
    """After it was set, after it was set anew, and after it was set to what it was."""
    if not isinstance(rig.channel, NativeMenus):
        raise lacking(NativeMenus)
    if not isinstance(rig, ShowsMenu):
        raise unfit(rig, ShowsMenu, "NativeMenus")
    whole = native_menu(rig.channel.capabilities.kind)
    fewer = replace(whole, default=whole.default[:3], groups=None if whole.groups is None else whole.groups[:3])
    for menu in (whole, fewer, fewer, whole):
        await rig.channel.set_menu(menu)

        assert sorted(rig.menu()) == sorted(entry.name for entry in menu.default)


# ---- looking ---------------------------------------------------------------------------------------------------------

_Shown = tuple[str, list[str]]
"""A message as it is seen: its words, and what stands on its buttons; what sends a form is part of the form."""


async def _shown(rig: Rig, drawing: Drawn) -> list[_Shown]:
    """Send what was drawn, and look at what came of it."""
    before = len(rig.seen())
    key = f"{KEY}:{before}"  # an app that takes keys takes each of them once
    posts = compose(
        rig.channel.capabilities, rig.chat, key, drawing.markdown, buttons=drawing.buttons, form=drawing.form
    )
    await deliver(rig, posts)
    sending = [drawing.form.submit] if drawing.form is not None else []
    return [
        (text, [label for label in under if label not in sending])
        for text, under in zip(rig.seen()[before:], rig.labels()[before:], strict=True)
    ]


def _says(seen: str, markdown: str) -> bool:
    """Whether all these words are seen, in their order, whatever signs stand between them."""
    plain = " ".join(part.plain for part in format_message(markdown, Dialect.text))
    return f" {' '.join(letters(plain))} " in f" {' '.join(letters(seen))} "


def _offers(rig: Rig, shown: _Shown, labels: Sequence[str], *, numbered: bool = True) -> bool:
    """Whether all of these, and nothing else, can be pressed; or, without buttons, whether the text says them."""
    if has_buttons(rig.channel.capabilities):
        return sorted(shown[1]) == sorted(_ticks_aside(shown[1], labels))
    at_hand = [f"{place} {label}" for place, label in enumerate(labels, start=1)] if numbered else labels
    return not shown[1] and all(_says(shown[0], label) for label in at_hand)


def _ticks_aside(seen: Sequence[str], labels: Sequence[str]) -> list[str]:
    """The labels as they are seen: what can be ticked has a sign before it."""
    return [next((one for one in seen if one[2:] == label and one[1] == " "), label) for label in labels]


def _filler(rig: Rig) -> FillsIn:
    if not isinstance(rig, FillsIn):
        raise unfit(rig, FillsIn, "forms")
    return rig


DRAWING: Final[tuple[Promise, ...]] = (
    buttons_stand_only_under_the_last_part,
    nothing_that_is_composed_exceeds_a_limit,
    a_file_that_is_too_large_is_told_instead,
    as_many_buttons_as_promised_are_whole,
    every_kind_of_question_can_be_answered,
    what_is_filled_in_comes_back_by_its_field,
    a_permission_can_be_given_and_refused,
    a_plan_is_read_before_it_is_started,
    an_offer_can_be_taken,
    chips_stand_under_the_answer,
    what_a_tool_found_is_a_list_to_read,
    a_menu_shows_its_choices,
    the_apps_menu_is_the_one_that_was_set,
)
