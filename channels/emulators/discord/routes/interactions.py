"""Answers to what people did: the first one, and what an interaction's token opens for a quarter of an hour.

Belongs here: callbacks and the addresses under `/webhooks`. The life of an interaction belongs to `interactions`.
"""

from typing import Any

from channels.emulators.discord import components, limits
from channels.emulators.discord.calls import Call, Reply
from channels.emulators.discord.errors import FormErrors, unknown
from channels.emulators.discord.forms import changed_content, check_message, new_content
from channels.emulators.discord.interactions import (
    CHANGE,
    CHANGE_LATER,
    COMMAND,
    OPEN_FORM,
    SAY,
    SAY_LATER,
    SUGGEST,
    Interaction,
    must_fit,
)
from channels.emulators.discord.places import EPHEMERAL, LOADING, V2, Content, Message
from channels.emulators.discord.world import COMMAND_REPLY, DEFAULT

_FLAGS = EPHEMERAL | V2 | 1 << 2 | 1 << 12


async def answer(call: Call) -> Reply:
    """POST: the first answer."""
    interaction = call.world.interactions.to_answer(call.place["interaction_id"], call.place["interaction_token"])
    kind = must_fit(interaction, call.fields.get("type"))
    data = call.fields.get("data") or {}
    _ANSWERS[kind](call, interaction, data)
    call.world.interactions.settle(interaction, kind)
    call.world.show("answered", interaction.channel, detail=interaction)
    if call.query.get("with_response", "").lower() in ("1", "true"):
        return Reply(_response(call, interaction, kind))
    return Reply()


def _response(call: Call, interaction: Interaction, kind: int) -> dict[str, Any]:
    said = interaction.original
    about: dict[str, Any] = {"id": interaction.id, "type": interaction.kind}
    if said is None or kind not in (SAY, SAY_LATER, CHANGE):
        return {"interaction": about}
    about |= {
        "response_message_id": said.id,
        "response_message_loading": bool(said.flags & LOADING),
        "response_message_ephemeral": bool(said.flags & EPHEMERAL),
    }
    return {"interaction": about, "resource": {"type": kind, "message": call.told(said)}}


def _say(call: Call, interaction: Interaction, data: dict[str, Any]) -> None:
    check_message(data)
    interaction.original = _post(call, interaction, data)


def _say_later(call: Call, interaction: Interaction, data: dict[str, Any]) -> None:
    flags = LOADING | (data.get("flags") or 0) & EPHEMERAL
    interaction.original = call.world.post(
        interaction.channel,
        interaction.bot,
        Content(),
        flags=flags,
        only_for=interaction.person if flags & EPHEMERAL else None,
        interaction=_metadata(interaction),
        kind=_kind(interaction),
    )


def _change_later(call: Call, interaction: Interaction, data: dict[str, Any]) -> None:
    interaction.original = interaction.message


def _change(call: Call, interaction: Interaction, data: dict[str, Any]) -> None:
    message = interaction.message
    if message is None:
        raise unknown("Message")
    check_message(data, flags=message.flags)
    interaction.original = message
    if not message.deleted:
        call.world.edit(message, changed_content(data, call.uploads, call.world.ids, message.content))


def _suggest(call: Call, interaction: Interaction, data: dict[str, Any]) -> None:
    errors, choices = FormErrors(), data.get("choices") or []
    errors.count("data.choices", len(choices), limits.CHOICES)
    for place, choice in enumerate(choices):
        errors.length(f"data.choices.{place}.name", choice.get("name"), limits.OPTION_TEXT, 1)
        if isinstance(choice.get("value"), str):
            errors.length(f"data.choices.{place}.value", choice["value"], limits.OPTION_TEXT, 1)
    errors.raise_if_any()
    interaction.suggestions = list(choices)


def _open_form(call: Call, interaction: Interaction, data: dict[str, Any]) -> None:
    errors = FormErrors()
    components.check_form(data, errors)
    errors.raise_if_any()
    interaction.form = data | {"components": list(components.kept(data["components"]))}


_ANSWERS = {
    SAY: _say,
    SAY_LATER: _say_later,
    CHANGE_LATER: _change_later,
    CHANGE: _change,
    SUGGEST: _suggest,
    OPEN_FORM: _open_form,
}


def _post(call: Call, interaction: Interaction, data: dict[str, Any]) -> Message:
    flags = (data.get("flags") or 0) & _FLAGS
    whispered = bool(flags & EPHEMERAL)
    message = call.world.post(
        interaction.channel,
        interaction.bot,
        new_content(data, call.uploads, call.world.ids),
        data.get("allowed_mentions"),
        flags=flags,
        only_for=interaction.person if whispered else None,
        interaction=_metadata(interaction),
        kind=_kind(interaction),
    )
    if whispered:
        interaction.whispers.append(message)
    return message


def _kind(interaction: Interaction) -> int:
    return COMMAND_REPLY if interaction.kind == COMMAND else DEFAULT


def _metadata(interaction: Interaction) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": interaction.id,
        "type": interaction.kind,
        "user": interaction.person.user,
        "authorizing_integration_owners": {},
    }
    if interaction.kind == COMMAND:
        return told | {"name": interaction.data["name"], "command_type": 1}
    if interaction.message is not None:
        told["interacted_message_id"] = interaction.message.id
    return told


# ---- with the token of an interaction ------------------------------------------------------------------------------


async def follow_up(call: Call) -> Reply:
    """POST: a further message. The first after "thinking …" takes that one's place, as on the real Discord."""
    interaction = _interaction(call)
    check_message(call.fields)
    original = interaction.original
    if original is not None and original.flags & LOADING and not original.deleted:
        return Reply(call.told(_fill(call, original)))
    return Reply(call.told(_post(call, interaction, call.fields)))


async def edit(call: Call) -> Reply:
    """PATCH: change an answer."""
    message = _answer(call, _interaction(call))
    check_message(call.fields, flags=message.flags)
    return Reply(call.told(_fill(call, message)))


async def get(call: Call) -> Reply:
    """GET: an answer."""
    return Reply(call.told(_answer(call, _interaction(call))))


async def delete(call: Call) -> Reply:
    """DELETE: take an answer away."""
    call.world.delete(_answer(call, _interaction(call)))
    return Reply()


def _fill(call: Call, message: Message) -> Message:
    content = changed_content(call.fields, call.uploads, call.world.ids, message.content)
    flags = message.flags & ~LOADING | (call.fields.get("flags") or 0) & V2
    call.world.edit(message, content, flags=flags)
    return message


def _interaction(call: Call) -> Interaction:
    return call.world.interactions.by_token(call.place["application_id"], call.place["interaction_token"])


def _answer(call: Call, interaction: Interaction) -> Message:
    which = call.place.get("message_id", "@original")
    found = interaction.original if which == "@original" else interaction.channel.messages.get(which)
    if found is None or found.deleted or found.author is not interaction.bot:
        raise unknown("Message")
    if found.only_for is not None and found.only_for is not interaction.person:
        raise unknown("Message")
    return found
