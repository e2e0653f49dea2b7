"""What people do that a bot answers: presses of cards, suggested actions, files that they agree to.

Belongs here: sending it, and what the person sees then. What a screen offers belongs to `screen`.
"""

from collections.abc import Mapping
from typing import Any

from channels.emulators.teams import cards, files, payloads
from channels.emulators.teams.card_checks import card_faults
from channels.emulators.teams.cards import CARD, Json
from channels.emulators.teams.chats import Chat, Content, Message
from channels.emulators.teams.deliveries import NotTaken
from channels.emulators.teams.filling import NOTHING, Values, gathered
from channels.emulators.teams.payloads import Pressed
from channels.emulators.teams.people import Bot, Person
from channels.emulators.teams.presses import Press
from channels.emulators.teams.world import World

UNREACHED = "Unable to reach app. Please try again."
FAILED = "Something went wrong. Please try again."

MESSAGE = "application/vnd.microsoft.activity.message"


def press(
    world: World, person: Person, message: Message, content: Content, label: str, values: Values = NOTHING
) -> Press | None:
    """Press what has this label under a message that looks like `content`; None where nothing has it.

    Raises:
        LookupError: it only opens a page, or is switched off.
        ValueError: what is filled in may not be sent.
    """
    for attachment in content.attachments:
        if attachment.get("contentType") == files.CONSENT and label in (files.ACCEPT, files.DECLINE):
            return _consent(world, person, message, attachment, accepted=label == files.ACCEPT)
    for card in cards.cards_of(content.attachments):
        found = cards.action_named(card, label)
        if found is not None:
            return act(world, person, message, *found, values)
    return None


def act(world: World, person: Person, message: Message, action: Json, card: Json, values: Values = NOTHING) -> Press:
    """Do what an action of a card does.

    Raises:
        LookupError: it only opens a page, or is switched off.
        ValueError: what is filled in may not be sent.
    """
    kind, label = action.get("type"), cards.title_of(action)
    if action.get("isEnabled", True) is False:
        raise LookupError(f"{label!r} is switched off")
    if kind == "Action.OpenUrl":
        raise LookupError(f"{label!r} only opens {action['url']}")
    made = _made(world, person, message)
    if kind == "Action.ShowCard":
        made.acked, made.shown = True, label
        return made
    data = action.get("data")
    held = gathered(card, action, values)
    merged = {**data, **held} if isinstance(data, Mapping) else (data if data is not None and not held else held)
    if kind == "Action.Execute":
        world.deliveries.begin(_execute(world, made, action, merged, "manual"))
    else:
        world.deliveries.begin(_submit(world, made, merged))
    return made


def suggested(world: World, person: Person, message: Message, action: Json) -> Press:
    """Tap a suggested action: the person says its words."""
    made = _made(world, person, message)
    made.acked = True
    world.post(message.chat, person, Content(str(action.get("value") or action.get("title") or "")))
    return made


def refresh(world: World, message: Message) -> None:
    """Let a card refresh itself for those that it names (universal actions: sequential workflows)."""
    if not isinstance(message.sender, Bot):
        return
    for card in cards.cards_of(message.content.attachments):
        asked = card.get("refresh")
        if not asked:
            continue
        for person in message.chat.people:
            if not person.old_app and person.id in asked.get("userIds", [each.id for each in message.chat.people]):
                made = Press(message.sender, person, message.chat, message)
                data = asked["action"].get("data") or {}
                world.deliveries.begin(_execute(world, made, asked["action"], data, "automatic"))


def _made(world: World, person: Person, message: Message) -> Press:
    if not isinstance(message.sender, Bot):
        raise LookupError("buttons stand under a bot's messages")
    made = Press(message.sender, person, message.chat, message, since=world.journal.last)
    world.pressed(made)
    return made


def _consent(world: World, person: Person, message: Message, card: Json, *, accepted: bool) -> Press:
    made = _made(world, person, message)
    about = card["content"]
    value: dict[str, Any] = {"type": "fileUpload", "action": "accept" if accepted else "decline"}
    value["context"] = about["acceptContext" if accepted else "declineContext"]
    if accepted:
        upload = world.files.begin(str(card["name"]), int(about["sizeInBytes"]))
        name = upload.name
        value["uploadInfo"] = {
            "name": name,
            "uploadUrl": world.files.upload_url(upload),
            "contentUrl": f"https://pretend-my.sharepoint.com/personal/files/{name}",
            "uniqueId": upload.id,
            "fileType": name.rpartition(".")[2] if "." in name else "",
        }
    world.deliveries.begin(_ask(world, made, "fileConsent/invoke", value))
    return made


async def _submit(world: World, made: Press, value: object) -> None:
    """Bring what `Action.Submit` sends: a message with a value, or words where `msteams` says so."""
    message = made.message
    assert message is not None  # noqa: S101 a card stands in a message
    text, value = _teams_way(world, made.chat, made.person, value)
    if value is not None:
        told = payloads.value(message, made.person, made.bot, Pressed(world.new_id(), value, text), world.clock.now())
        try:
            await world.deliveries.bring(made.bot, told)
        except NotTaken:
            made.failed = FAILED
    made.acked = made.failed is None
    world.show("press_acked" if made.acked else "press_failed", made.chat, press=made.id)


def _teams_way(world: World, chat: Chat, person: Person, value: object) -> tuple[str | None, object]:
    """What `msteams` in the data makes of a press (cards/cards-actions): shown words, or a value with words."""
    asked = value.get("msteams") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(asked, Mapping):
        return None, value
    if asked.get("type") == "imBack":
        world.post(chat, person, Content(str(asked["value"])))
        return None, None
    if asked.get("type") == "messageBack":
        if asked.get("displayText"):
            world.note(chat, person, str(asked["displayText"]))
        rest = {name: given for name, given in value.items() if name != "msteams"}
        return str(asked.get("text", "")), {**rest, **(asked.get("value") or {})}
    return None, value


async def _execute(world: World, made: Press, action: Json, data: object, trigger: str) -> None:
    """Bring an `Action.Execute`, and show what it brought."""
    asked = {name: action[name] for name in ("id", "verb", "title") if name in action}
    value = {"action": {"type": "Action.Execute", **asked, "data": data}, "trigger": trigger}
    await _ask(world, made, "adaptiveCard/action", value)


async def _ask(world: World, made: Press, name: str, value: object) -> None:
    message = made.message
    assert message is not None  # noqa: S101 a card stands in a message
    activity = payloads.invoke(
        name, made.chat, made.person, made.bot, world.new_id(), value, world.clock.now(), replyToId=message.id
    )
    try:
        answer = await world.deliveries.ask(made.bot, activity)
    except NotTaken as refusal:
        made.failed = UNREACHED if refusal.status == 0 else FAILED
    else:
        if name == "adaptiveCard/action":
            _follow(world, made, message, answer)
        made.acked = made.failed is None
    world.show("press_acked" if made.acked else "press_failed", made.chat, press=made.id)


def _follow(world: World, made: Press, message: Message, answer: Any) -> None:  # noqa: ANN401 JSON is anything
    """Do what the answer says; of universal-action-model: the response format."""
    if not isinstance(answer, Mapping) or not isinstance(answer.get("statusCode"), int):
        made.failed = FAILED
        return
    kind, value = answer.get("type"), answer.get("value")
    if answer["statusCode"] >= 400:
        words = value.get("message") if isinstance(value, Mapping) else None
        made.failed = str(words) if words else FAILED
    elif kind == CARD and isinstance(value, Mapping):
        faults = card_faults(value, strict=world.strict)
        if faults:
            world.problems.append(f"card in an answer: {'; '.join(faults)}")
            made.failed = FAILED
        else:
            world.replace_card(message, made.person, value)
    elif kind == MESSAGE and isinstance(value, str):
        made.notes.append(value)
    else:
        made.failed = FAILED
