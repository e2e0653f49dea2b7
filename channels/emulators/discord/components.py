"""What stands under a message or in a form to press, pick or fill in: what Discord refuses, and how it keeps it.

Belongs here: checking components and giving them their numbers. How they look belongs to `seen`.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from channels.emulators.discord import limits
from channels.emulators.discord.errors import FormErrors

ROW, BUTTON, SELECT, INPUT = 1, 2, 3, 4
USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT = 5, 6, 7, 8
SECTION, TEXT_DISPLAY, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER, LABEL = 9, 10, 11, 12, 13, 14, 17, 18
SELECTS = (SELECT, USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT)
LINK = 5
"""The button style that opens an address."""

_V2 = (SECTION, TEXT_DISPLAY, GALLERY, FILE, SEPARATOR, CONTAINER)
_STYLES = range(1, 7)


def within(components: object) -> Iterator[dict[str, Any]]:
    """Every component, those inside of others right after what holds them."""
    for component in components if isinstance(components, (list, tuple)) else []:
        if isinstance(component, dict):
            yield component
            yield from within(component.get("components"))
            yield from within([component[k] for k in ("accessory", "component") if k in component])


def kept(components: object) -> tuple[dict[str, Any], ...]:
    """As Discord keeps them: each with a number, each button with whether it is grey."""
    numbers = itertools.count(1)
    return tuple(_kept(c, numbers) for c in components) if isinstance(components, (list, tuple)) else ()


def _kept(component: Mapping[str, Any], numbers: Iterator[int]) -> dict[str, Any]:
    stored = {"id": next(numbers)} | {k: v for k, v in component.items() if v is not None and not (k == "id" and not v)}
    if "components" in stored:
        stored["components"] = [_kept(inner, numbers) for inner in stored["components"]]
    for name in ("accessory", "component"):
        if name in stored:
            stored[name] = _kept(stored[name], numbers)
    if stored["type"] in SELECTS:
        stored = {"min_values": 1, "max_values": 1, "disabled": False} | stored
    return stored


def check(components: object, errors: FormErrors, *, v2: bool) -> None:
    """Say what is wrong with the components of a message."""
    if not isinstance(components, list):
        errors.add("components", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
        return
    if v2:
        errors.count("components", len(list(within(components))), limits.COMPONENTS_V2)
    else:
        errors.count("components", len(components), limits.ROWS)
    for place, component in enumerate(components):
        _check(component, f"components.{place}", errors, v2=v2)
    _unique(components, errors)


def _check(component: object, path: str, errors: FormErrors, *, v2: bool) -> None:
    kind = component.get("type") if isinstance(component, dict) else None
    if kind == ROW and isinstance(component, dict):
        _check_row(component, path, errors)
    elif v2 and kind in _V2 and isinstance(component, dict):
        _check_v2(component, path, errors)
    else:
        errors.add(f"{path}.type", "BASE_TYPE_CHOICES", "Value must be one of {1}.")


def _check_v2(component: dict[str, Any], path: str, errors: FormErrors) -> None:
    if component["type"] == TEXT_DISPLAY:
        errors.length(f"{path}.content", component.get("content"), limits.TEXT_DISPLAY, 1)
    for place, inner in enumerate(component.get("components", [])):
        _check(inner, f"{path}.components.{place}", errors, v2=True)
    if component["type"] == SECTION:
        accessory = component.get("accessory")
        if accessory is None:
            errors.required(f"{path}.accessory")
        elif accessory.get("type") == BUTTON:
            _check_button(accessory, f"{path}.accessory", errors)


def _check_row(row: dict[str, Any], path: str, errors: FormErrors) -> None:
    inner = row.get("components")
    if not isinstance(inner, list) or not inner:
        errors.add(f"{path}.components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
        return
    selects = [c for c in inner if c.get("type") in SELECTS]
    errors.count(f"{path}.components", len(inner), 1 if selects else limits.BUTTONS_IN_A_ROW, 1)
    if selects and len(selects) < len(inner):
        errors.add(f"{path}.components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The layout of this row is too wide.")
    for place, component in enumerate(inner):
        where = f"{path}.components.{place}"
        if component.get("type") == BUTTON:
            _check_button(component, where, errors)
        elif component.get("type") in SELECTS:
            check_select(component, where, errors)
        else:
            errors.add(f"{where}.type", "BASE_TYPE_CHOICES", "Value must be one of {2, 3, 5, 6, 7, 8}.")


def _check_button(button: dict[str, Any], path: str, errors: FormErrors) -> None:
    if button.get("style") not in _STYLES:
        errors.add(f"{path}.style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6}.")
    if not button.get("label") and not button.get("emoji"):
        errors.add(f"{path}.label", "BUTTON_COMPONENT_MISSING_LABEL", "A label or an emoji is required.")
    if button.get("label"):
        errors.length(f"{path}.label", button["label"], limits.LABEL)
    if button.get("style") != LINK:
        if button.get("url"):
            errors.add(f"{path}.url", "BUTTON_COMPONENT_INVALID_URL", "Only a link button has a url.")
        errors.length(f"{path}.custom_id", button.get("custom_id"), limits.CUSTOM_ID, 1)
        return
    if button.get("custom_id"):
        errors.add(f"{path}.custom_id", "BUTTON_COMPONENT_CUSTOM_ID_NOT_ALLOWED", "A link button has no custom id.")
    if not button.get("url"):
        errors.required(f"{path}.url")
    elif urlsplit(button["url"]).scheme not in ("http", "https", "discord"):
        words = f"Scheme {urlsplit(button['url']).scheme!r} must be one of ('http', 'https', 'discord')."
        errors.add(f"{path}.url", "URL_TYPE_INVALID_SCHEME", words)


def check_select(select: dict[str, Any], path: str, errors: FormErrors) -> None:
    """Say what is wrong with a list to pick from."""
    errors.length(f"{path}.custom_id", select.get("custom_id"), limits.CUSTOM_ID, 1)
    if select.get("placeholder") is not None:
        errors.length(f"{path}.placeholder", select["placeholder"], limits.PLACEHOLDER)
    if select.get("type") != SELECT:
        return
    options = select.get("options") or []
    errors.count(f"{path}.options", len(options), limits.OPTIONS, 1)
    least, most = select.get("min_values", 1), select.get("max_values", 1)
    if not 0 <= least <= most <= limits.OPTIONS or most > len(options):
        errors.add(f"{path}.max_values", "NUMBER_TYPE_MAX", f"There are {len(options)} options to pick from.")
    _check_options(options, f"{path}.options", errors)


def _check_options(options: list[dict[str, Any]], path: str, errors: FormErrors) -> None:
    seen: set[str] = set()
    for place, option in enumerate(options):
        for name in ("label", "value"):
            errors.length(f"{path}.{place}.{name}", option.get(name), limits.OPTION_TEXT, 1)
        if option.get("description") is not None:
            errors.length(f"{path}.{place}.description", option["description"], limits.OPTION_TEXT)
        if option.get("value") in seen:
            errors.add(f"{path}.{place}.value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "Value is already used.")
        seen.add(option.get("value", ""))


def _unique(components: list[Any], errors: FormErrors) -> None:
    """Each custom_id once in a message, whichever row it stands in."""
    used: set[str] = set()
    for place, top in enumerate(components):
        for component in within([top]):
            custom_id = component.get("custom_id")
            if custom_id in used:
                words = "Component custom id cannot be duplicated"
                errors.add(f"components.{place}", "COMPONENT_CUSTOM_ID_DUPLICATED", words)
            if custom_id:
                used.add(custom_id)


def check_form(form: dict[str, Any], errors: FormErrors) -> None:
    """Say what is wrong with a form (Discord calls it a modal)."""
    errors.length("title", form.get("title"), limits.MODAL_TITLE, 1)
    errors.length("custom_id", form.get("custom_id"), limits.CUSTOM_ID, 1)
    components = form.get("components")
    if not isinstance(components, list):
        errors.required("components")
        return
    errors.count("components", len(components), limits.MODAL_COMPONENTS, 1)
    for place, component in enumerate(components):
        _check_field(component, f"components.{place}", errors)
    _unique(components, errors)


def _check_field(component: dict[str, Any], path: str, errors: FormErrors) -> None:
    kind = component.get("type")
    if kind == TEXT_DISPLAY:
        errors.length(f"{path}.content", component.get("content"), limits.TEXT_DISPLAY, 1)
    elif kind == LABEL:
        errors.length(f"{path}.label", component.get("label"), limits.FIELD_LABEL, 1)
        if component.get("description") is not None:
            errors.length(f"{path}.description", component["description"], limits.FIELD_DESCRIPTION)
        inner = component.get("component") or {}
        if inner.get("label"):
            errors.add(f"{path}.component.label", "BASE_TYPE_FORBIDDEN", "A field in a label has no label itself.")
        _check_filled(inner, f"{path}.component", errors)
    elif kind == ROW:
        inner = (component.get("components") or [{}])[0]
        if inner.get("type") != INPUT:
            errors.add(f"{path}.components.0.type", "BASE_TYPE_CHOICES", "Value must be one of {4}.")
        errors.length(f"{path}.components.0.label", inner.get("label"), limits.FIELD_LABEL, 1)
        _check_filled(inner, f"{path}.components.0", errors)
    else:
        errors.add(f"{path}.type", "BASE_TYPE_CHOICES", "Value must be one of {1, 10, 18}.")


def _check_filled(component: dict[str, Any], path: str, errors: FormErrors) -> None:
    if component.get("type") in SELECTS:
        check_select(component, path, errors)
        return
    errors.length(f"{path}.custom_id", component.get("custom_id"), limits.CUSTOM_ID, 1)
    if component.get("type") != INPUT:
        return
    if component.get("style") not in (1, 2):
        errors.add(f"{path}.style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2}.")
    if component.get("placeholder") is not None:
        errors.length(f"{path}.placeholder", component["placeholder"], limits.OPTION_TEXT)
    most = component.get("max_length") or limits.INPUT
    if not 1 <= most <= limits.INPUT:
        errors.add(f"{path}.max_length", "NUMBER_TYPE_MAX", f"Must be between 1 and {limits.INPUT}.")
    if component.get("value") is not None:
        errors.length(f"{path}.value", component["value"], most)
