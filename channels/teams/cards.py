"""Adaptive Cards: a message's buttons and fields, as Teams draws them.

Pure. A card stands under the message's words and has none of its own: a card's text knows no code and no quotes.
A press comes back as `Action.Execute`, which is answered at once; where a client does not know that, as
`Action.Submit`, which comes as a message. Source: adaptivecards.io/explorer, versions up to 1.5.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from channels.base import Button, ButtonStyle, Form
from channels.teams import forms, limits

CARD = "application/vnd.microsoft.card.adaptive"
MESSAGE = "application/vnd.microsoft.activity.message"
SCHEMA = "http://adaptivecards.io/schemas/adaptive-card.json"
TOKEN = "token"  # noqa: S105 - the name of a field

_STYLES = {ButtonStyle.PRIMARY: "positive", ButtonStyle.DANGER: "destructive"}
_NOTHING: Mapping[str, str] = {}
_EMPTY: Mapping[str, tuple[str, ...]] = {}

Json = Mapping[str, Any]


def card(
    buttons: Sequence[Button],
    form: Form | None = None,
    filled: Mapping[str, tuple[str, ...]] = _EMPTY,
    faults: Mapping[str, str] = _NOTHING,
) -> dict[str, Any]:
    """The card: fields with what is `filled` in and what is wrong with it, then all buttons."""
    body = [] if form is None else forms.elements(form, filled, faults)
    actions = [_action(button) for button in buttons]
    if form is not None:
        data = {TOKEN: form.token, forms.FIELDS: forms.carried(form)}
        actions.insert(0, _execute(form.submit, data, "positive"))
    rows = range(0, len(actions), limits.BUTTONS_IN_A_ROW)
    body += [{"type": "ActionSet", "actions": actions[at : at + limits.BUTTONS_IN_A_ROW]} for at in rows]
    return {"type": "AdaptiveCard", "$schema": SCHEMA, "version": limits.CARD_VERSION, "body": body}


def attachment(shown: Json) -> dict[str, Any]:
    """The card as a part of a message."""
    return {"contentType": CARD, "content": shown}


def _action(button: Button) -> dict[str, Any]:
    if button.url is not None:
        return {"type": "Action.OpenUrl", "title": _cut(button.label), "url": button.url}
    # Its press needs nothing of what is filled in, and no field keeps it from being sent.
    return _execute(button.label, {TOKEN: button.token}, _STYLES.get(button.style), inputs=False)


def _execute(label: str, data: Json, style: str | None, *, inputs: bool = True) -> dict[str, Any]:
    common: dict[str, Any] = {"title": _cut(label), "data": dict(data)}
    if style is not None:
        common["style"] = style
    if not inputs:
        common["associatedInputs"] = "none"
    return {"type": "Action.Execute", "verb": "press", **common, "fallback": {"type": "Action.Submit", **common}}


def _cut(label: str) -> str:
    return label if len(label) <= 200 else label[:199].rstrip() + "…"


# ---- answers to presses --------------------------------------------------------------------------------------------


def taken() -> dict[str, Any]:
    """A press arrived. The card is not sent along: what comes of the press may be shown before this answer is."""
    return {"statusCode": 200, "type": MESSAGE, "value": "Got it."}


def instead(shown: Json) -> dict[str, Any]:
    """The card looks like this now."""
    return {"statusCode": 200, "type": CARD, "value": dict(shown)}


def unknown() -> dict[str, Any]:
    """This is no press of ours."""
    value = {"code": "BadRequest", "message": "This button does nothing any more."}
    return {"statusCode": 400, "type": "application/vnd.microsoft.error", "value": value}
