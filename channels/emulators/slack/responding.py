"""What a response_url or an acknowledgement with words does to the screen of whoever acted.

Belongs here: `response_type`, `replace_original`, `delete_original`. Source: docs.slack.dev/interactivity/
handling-user-interaction.
"""

from collections.abc import Mapping
from typing import Any

from channels.emulators.slack.contents import content_of
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.interactions import Press
from channels.emulators.slack.world import World

_KNOWN = frozenset(
    {
        "text",
        "blocks",
        "attachments",
        "response_type",
        "replace_original",
        "delete_original",
        "thread_ts",
        "unfurl_links",
        "unfurl_media",
        "metadata",
    }
)


def respond(world: World, press: Press, thread: str | None, given: Mapping[str, Any]) -> None:
    """Show what the bot answers.

    Raises:
        ApiError: the words are not allowed, or there is nothing to replace.
    """
    unknown = given.keys() - _KNOWN
    if unknown:
        raise ApiError("invalid_payload", [f"strict: no field {sorted(unknown)[0]}"])
    original = press.message
    if given.get("delete_original"):
        if original is None:
            raise ApiError("no_original")
        world.delete(original)
        return
    content = content_of(world.strict, given)
    if given.get("replace_original"):
        if original is None or original.deleted:
            raise ApiError("no_original")
        world.edit(original, content)
        return
    if press.chat is None:
        raise ApiError("channel_not_found")
    alone = given.get("response_type", "ephemeral") != "in_channel"
    thread = given.get("thread_ts", thread)
    posted = world.post(press.chat, press.bot, content, thread=thread, only_for=press.person.id if alone else None)
    if alone:
        press.notes.append(posted.content.text)
        world.show("press_answered", press.chat, press=press.id)
