"""What an app is posted when somebody acts: a press, a form, a command. Pure.

Belongs here: the JSON of interactions, as docs.slack.dev/reference/interaction-payloads has it. Doing them belongs to
`acting`.
"""

from collections.abc import Mapping
from typing import Any

from channels.emulators.slack.chats import Chat
from channels.emulators.slack.interactions import Press, View
from channels.emulators.slack.people import TEAM_DOMAIN, TEAM_ID


def block_actions(press: Press, action: Mapping[str, Any], trigger: str, response_url: str) -> dict[str, Any]:
    """Something under a message was pressed or picked."""
    message, chat = press.message, press.chat
    if message is None or chat is None:
        raise LookupError("nothing was pressed")
    container = {"type": "message", "message_ts": message.ts, "channel_id": chat.id}
    about: dict[str, Any] = {"container": container | {"is_ephemeral": message.only_for is not None}}
    if message.thread is not None:
        container["thread_ts"] = message.thread
    about |= {"channel": _room(chat), "response_url": response_url, "state": {"values": {}}}
    if message.only_for is None:
        about["message"] = message.to_json()
    return _interaction("block_actions", press, trigger) | about | {"actions": [action]}


def view_actions(press: Press, view: View, action: Mapping[str, Any], trigger: str) -> dict[str, Any]:
    """Something in a view was pressed."""
    about = {"container": {"type": "view", "view_id": view.id}, "view": view.to_json(), "actions": [action]}
    return _interaction("block_actions", press, trigger) | about


def view_submission(press: Press, view: View, values: Mapping[str, Any], trigger: str) -> dict[str, Any]:
    """A form was sent."""
    return _interaction("view_submission", press, trigger) | {"view": view.to_json(values), "response_urls": []}


def view_closed(press: Press, view: View) -> dict[str, Any]:
    """A form was closed."""
    closed = _interaction("view_closed", press, "") | {"view": view.to_json(), "is_cleared": False}
    del closed["trigger_id"]
    return closed


def slash_command(press: Press, command: str, text: str, trigger: str, response_url: str) -> dict[str, Any]:
    """A command was typed; every value is text, as the form's fields are."""
    chat = press.chat
    if chat is None:
        raise LookupError("a command is typed somewhere")
    return {
        "token": "pretend",
        "team_id": TEAM_ID,
        "team_domain": TEAM_DOMAIN,
        "channel_id": chat.id,
        "channel_name": chat.name,
        "user_id": press.person.id,
        "user_name": press.person.handle,
        "command": command,
        "text": text,
        "api_app_id": press.bot.app_id,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger,
    }


def _interaction(kind: str, press: Press, trigger: str) -> dict[str, Any]:
    return {
        "type": kind,
        "user": press.person.brief,
        "api_app_id": press.bot.app_id,
        "token": "pretend",
        "trigger_id": trigger,
        "team": {"id": TEAM_ID, "domain": TEAM_DOMAIN},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _room(chat: Chat) -> dict[str, Any]:
    return {"id": chat.id, "name": chat.name}
