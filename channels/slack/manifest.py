"""The app's manifest: what somebody pastes at Slack to make the app, with all that the adapter needs switched on.

Pure, made from `limits` and the registry of commands. Source: docs.slack.dev/reference/app-manifest.
"""

import json
from typing import Any

from channels.slack import limits
from commands.menus import native_menu

NAME = "Conch"
DESCRIPTION = "Your assistant, in Slack"


def manifest(address: str | None = None) -> dict[str, Any]:
    """The manifest. With an `address` Slack brings what comes in there; without, the app listens by Socket Mode."""
    entry = native_menu("slack").default[0]
    command: dict[str, Any] = {
        "command": limits.COMMAND,
        "description": entry.description,
        "usage_hint": entry.argument_hint or "",
        "should_escape": True,  # so that people and channels come by their ids
    }
    events: dict[str, Any] = {"bot_events": list(limits.EVENTS)}
    interactivity: dict[str, Any] = {"is_enabled": True}
    if address is not None:
        command["url"] = events["request_url"] = interactivity["request_url"] = address
    return {
        "display_information": {"name": NAME, "description": DESCRIPTION},
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": NAME, "always_online": True},
            "slash_commands": [command],
        },
        "oauth_config": {"scopes": {"bot": list(limits.SCOPES)}},
        "settings": {
            "event_subscriptions": events,
            "interactivity": interactivity,
            "org_deploy_enabled": False,
            "socket_mode_enabled": address is None,
            "token_rotation_enabled": False,
        },
    }


def as_text(address: str | None = None) -> str:
    """The manifest as it is pasted: JSON, which Slack takes as well as YAML."""
    return json.dumps(manifest(address), indent=2, ensure_ascii=False)
