"""Forms as a person fills them in: from what the bot sent to what goes back.

Belongs here: reading a form's fields and making its submission. Checking what a bot sends belongs to `components`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.discord import components as parts
from channels.emulators.discord import limits
from channels.emulators.discord.interactions import Interaction
from channels.emulators.discord.seen import SeenForm

Given = str | Sequence[str]


def seen_form(interaction: Interaction) -> SeenForm:
    """The form that an interaction opened.

    Raises:
        LookupError: it opened none.
    """
    form = interaction.form
    if form is None:
        raise LookupError("no form was opened")
    fields = list(_fields(form))
    return SeenForm(
        id=interaction.id,
        title=form["title"],
        fields={field["custom_id"]: label["label"] for label, field in fields},
        texts=tuple(c["content"] for c in form["components"] if c["type"] == parts.TEXT_DISPLAY),
        descriptions={f["custom_id"]: label["description"] for label, f in fields if label.get("description")},
        required=tuple(f["custom_id"] for _, f in fields if f.get("required", True)),
        options={f["custom_id"]: tuple(o["label"] for o in f["options"]) for _, f in fields if f.get("options")},
        several=tuple(f["custom_id"] for _, f in fields if f.get("max_values", 1) > 1),
        values={f["custom_id"]: f["value"] for _, f in fields if f.get("value")},
    )


def _fields(form: Mapping[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What carries the label, and the field itself, which may be the same."""
    found = []
    for component in form["components"]:
        if component["type"] == parts.LABEL:
            found.append((component, component["component"]))
        elif component["type"] == parts.ROW:
            found += [(inner, inner) for inner in component["components"]]
    return found


def submission(interaction: Interaction, values: Mapping[str, Given]) -> dict[str, Any]:
    """The data of the interaction that sends a form; `values` by label, or by name.

    Raises:
        LookupError: no such field, or Discord would not let it be sent like this.
    """
    form = interaction.form
    if form is None:
        raise LookupError("no form was opened")
    left, sent = dict(values), []
    for component in form["components"]:
        if component["type"] == parts.TEXT_DISPLAY:
            sent.append({"type": parts.TEXT_DISPLAY, "id": component["id"]})
        elif component["type"] == parts.LABEL:
            inner = _filled(component["component"], component["label"], left)
            sent.append({"type": parts.LABEL, "id": component["id"], "component": inner})
        else:
            within = [_filled(field, field["label"], left) for field in component["components"]]
            sent.append({"type": parts.ROW, "id": component["id"], "components": within})
    if left:
        raise LookupError(f"the form has no {', '.join(left)}")
    return {"custom_id": form["custom_id"], "components": sent}


def _filled(field: Mapping[str, Any], label: str, left: dict[str, Given]) -> dict[str, Any]:
    name = field["custom_id"]
    given = left.pop(label, left.pop(name, None))
    about = {"type": field["type"], "id": field["id"], "custom_id": name}
    if field["type"] == parts.INPUT:
        return about | {"value": _typed(field, label, given)}
    return about | {"values": _picked(field, label, given)}


def _typed(field: Mapping[str, Any], label: str, given: Given | None) -> str:
    text = field.get("value", "") if given is None else given
    if not isinstance(text, str):
        raise LookupError(f"{label!r} takes text")
    least, most = field.get("min_length") or 0, field.get("max_length") or limits.INPUT
    if field.get("required", True):
        least = max(least, 1)
    if (text or least) and not least <= len(text) <= most and (text or field.get("required", True)):
        raise LookupError(f"{label!r} takes {least} to {most} characters")
    return text


def _picked(field: Mapping[str, Any], label: str, given: Given | None) -> list[str]:
    options = field.get("options") or []
    if given is None:
        return [o["value"] for o in options if o.get("default")]
    wanted = [given] if isinstance(given, str) else list(given)
    values = [o["value"] for w in wanted for o in options if w in (o["label"], o["value"])]
    least, most = field.get("min_values", 1), field.get("max_values", 1)
    if len(values) != len(wanted) or not least <= len(values) <= most:
        raise LookupError(f"{label!r} takes {least} to {most} of {[o['label'] for o in options]}")
    return values
