"""What people do that an app must acknowledge: presses, forms, commands.

Belongs here: sending it, and what the person sees when the app says nothing or answers in its acknowledgement. What a
screen offers belongs to `screen`.
"""

from collections.abc import Mapping
from typing import Any

from channels.emulators.slack import payloads
from channels.emulators.slack.blocks import check_view
from channels.emulators.slack.chats import Chat, Content, Message
from channels.emulators.slack.contents import named
from channels.emulators.slack.envelopes import INTERACTIVE, SLASH, NotTaken
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.interactions import Press, View
from channels.emulators.slack.people import Bot, Person
from channels.emulators.slack.responding import respond
from channels.emulators.slack.world import World

SLACKBOT = Person("USLACKBOT", "Slackbot", "slackbot")

PRESS_FAILED = "This app did not respond. Try again or contact the app's owner."
FORM_FAILED = "We had some trouble connecting. Try again?"


def press(world: World, person: Person, message: Message, action: Mapping[str, Any]) -> Press:
    """Press or pick something under a message of a bot."""
    if not isinstance(message.sender, Bot):
        raise LookupError("buttons stand under a bot's messages")
    made = world.interactions.press(message.sender, person, message.chat, message, world.journal.last)
    trigger = world.interactions.trigger(made)
    url = _response_url(world, made, message.thread)
    payload = payloads.block_actions(made, dict(action) | {"action_ts": world.new_ts()}, trigger, url)
    world.deliveries.begin(_interact(world, made, payload, PRESS_FAILED))
    return made


def press_in_view(world: World, view: View, action: Mapping[str, Any]) -> Press:
    """Press something in a form or a Home tab."""
    made = world.interactions.press(view.bot, view.person, None, None, world.journal.last)
    made.view = view
    trigger = world.interactions.trigger(made)
    payload = payloads.view_actions(made, view, dict(action) | {"action_ts": world.new_ts()}, trigger)
    world.deliveries.begin(_interact(world, made, payload, PRESS_FAILED))
    return made


def command(world: World, person: Person, chat: Chat, bot: Bot, name: str, text: str) -> Press:
    """Type a command of an app; nothing of it stands in the chat."""
    made = world.interactions.press(bot, person, chat, None, world.journal.last)
    trigger = world.interactions.trigger(made)
    payload = payloads.slash_command(made, name, text, trigger, _response_url(world, made, None))
    world.deliveries.begin(_command(world, made, name, payload))
    return made


def submit(world: World, view: View, values: Mapping[str, Any], chat: Chat | None) -> Press:
    """Send a form."""
    made = world.interactions.press(view.bot, view.person, chat, None, world.journal.last)
    made.view, view.errors = view, {}
    payload = payloads.view_submission(made, view, values, world.interactions.trigger(made))
    world.deliveries.begin(_submit(world, made, view, payload))
    return made


def close(world: World, view: View) -> Press:
    """Close a form without sending it; the app hears of it where it asked to."""
    made = world.interactions.press(view.bot, view.person, None, None, world.journal.last)
    view.open = False
    if view.json.get("notify_on_close"):
        world.deliveries.begin(_interact(world, made, payloads.view_closed(made, view), ""))
    return made


async def _interact(world: World, made: Press, payload: Mapping[str, Any], failed: str) -> None:
    try:
        await world.deliveries.ask(made.bot, INTERACTIVE, payload)
    except NotTaken:
        made.failed = failed
        world.show("press_failed", made.chat, press=made.id)
    else:
        made.acked = True
        world.show("press_acked", made.chat, press=made.id)


async def _submit(world: World, made: Press, view: View, payload: Mapping[str, Any]) -> None:
    try:
        answer = await world.deliveries.ask(made.bot, INTERACTIVE, payload)
    except NotTaken:
        made.failed = FORM_FAILED
        world.show("press_failed", made.chat, press=made.id)
        return
    made.acked = True
    if not _follow(world, made, view, answer):
        made.failed = FORM_FAILED
    world.show("form_answered", made.chat, press=made.id, view=view.id)


def _follow(world: World, made: Press, view: View, answer: Mapping[str, Any]) -> bool:
    """Do what the acknowledgement of a form says; False where Slack cannot make anything of it."""
    action, given = answer.get("response_action"), answer.get("view")
    if action == "errors":
        view.errors = dict(answer.get("errors") or {})
        made.notes += [str(words) for words in view.errors.values()]
        return bool(view.errors)
    if action in ("update", "push"):
        if not isinstance(given, Mapping) or check_view(given):
            return False
        json = {**given, "blocks": named(given["blocks"])}
        if action == "update":
            world.interactions.replace(view, json)
        else:
            made.view = world.interactions.open(view.bot, view.person, json, view.root)
    elif action == "clear":
        for other in world.interactions.views.values():
            other.open = other.open and other.root != view.root
    else:
        view.open = False
    return True


async def _command(world: World, made: Press, name: str, payload: Mapping[str, Any]) -> None:
    failed = "operation_timeout"
    try:
        answer = await world.deliveries.ask(made.bot, SLASH, payload)
        made.acked = True
        if answer:
            respond(world, made, None, answer)
    except NotTaken as refusal:
        failed = "operation_timeout" if "timeout" in refusal.reason else "dispatch_failed"
    except ApiError as refusal:
        failed = refusal.code
    world.show("command_answered", made.chat, press=made.id)
    if made.acked or made.chat is None:
        return
    made.failed = f'{name} failed with the error "{failed}"'
    world.post(made.chat, SLACKBOT, Content(made.failed), only_for=made.person.id)


def _response_url(world: World, made: Press, thread: str | None) -> str:
    return world.files.base + world.interactions.response_path(made, thread)
