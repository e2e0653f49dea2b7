"""Forms and the Home tab."""

from collections.abc import Mapping
from typing import Any

from channels.emulators.slack.blocks import check_view
from channels.emulators.slack.contents import named
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.interactions import View
from channels.emulators.slack.methods.call import JSON, NOT_PLAYED, TEXT, Call, Method
from channels.emulators.slack.people import Person

_DEEPEST = 3
"""Views on top of one another [docs.slack.dev/surfaces/modals]."""


async def open_view(call: Call) -> Mapping[str, Any]:
    """A form for whoever did something less than three seconds ago."""
    view = _view(call)
    press = call.world.interactions.triggered(call.bot, call.text("trigger_id"))
    press.view = call.world.interactions.open(call.bot, press.person, view)
    call.world.show("form_opened", press.chat, press=press.id, view=press.view.id)
    return {"view": press.view.to_json()}


async def push(call: Call) -> Mapping[str, Any]:
    """Another form on top of the one in which somebody just did something."""
    view = _view(call)
    press = call.world.interactions.triggered(call.bot, call.text("trigger_id"))
    if press.view is None:
        raise ApiError("not_found")
    root = press.view.root
    if sum(v.open and v.root == root for v in call.world.interactions.views.values()) >= _DEEPEST:
        raise ApiError("push_limit_reached")
    press.view = call.world.interactions.open(call.bot, press.person, view, root)
    call.world.show("form_opened", press.chat, press=press.id, view=press.view.id)
    return {"view": press.view.to_json()}


async def update(call: Call) -> Mapping[str, Any]:
    """Another content for a form that is open."""
    view = _view(call)
    found = _open(call)
    if found is None or found.bot is not call.bot or not found.open:
        raise ApiError("not_found")
    if call.text("hash") and call.text("hash") != found.hash:
        raise ApiError("hash_conflict")
    call.world.interactions.replace(found, view)
    call.world.show("form_updated", view=found.id)
    return {"view": found.to_json()}


async def publish(call: Call) -> Mapping[str, Any]:
    """What somebody's Home tab shows."""
    person = call.world.accounts.get(call.text("user_id"))
    if not isinstance(person, Person):
        raise ApiError("user_not_found")
    view = _view(call, home=True)
    homes, key = call.world.interactions.homes, (call.bot.app_id, person.id)
    if call.text("hash") and key in homes and homes[key].hash != call.text("hash"):
        raise ApiError("hash_conflict")
    homes[key] = call.world.interactions.open(call.bot, person, view)
    call.world.show("home", call.world.private_chat(person, call.bot))
    return {"view": homes[key].to_json()}


def _view(call: Call, *, home: bool = False) -> Mapping[str, Any]:
    view = call.values.get("view")
    if not isinstance(view, Mapping):
        raise ApiError("invalid_arguments", ["failed to match all allowed schemas [json-pointer:/view]"])
    wrong = check_view(view, home=home)
    if wrong:
        raise ApiError("invalid_arguments", wrong)
    return {**view, "blocks": named(view["blocks"])}


def _open(call: Call) -> View | None:
    views = call.world.interactions.views
    if call.text("view_id"):
        return views.get(call.text("view_id"))
    name = call.text("external_id")
    return next((v for v in views.values() if name and v.json.get("external_id") == name), None)


_TRIGGERED = {"trigger_id": TEXT, "view": JSON, "interactivity_pointer": NOT_PLAYED}

METHODS = (
    Method("views.open", _TRIGGERED, open_view, ("view", "trigger_id")),
    Method("views.push", _TRIGGERED, push, ("view", "trigger_id")),
    Method("views.update", {"view_id": TEXT, "external_id": TEXT, "view": JSON, "hash": TEXT}, update, ("view",)),
    Method(
        "views.publish",
        {"user_id": TEXT, "view": JSON, "hash": TEXT, "interactivity_pointer": NOT_PLAYED},
        publish,
        ("user_id", "view"),
    ),
)
