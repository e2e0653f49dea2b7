"""Every address of the REST API that there is here.

Belongs here: the table, and finding the line for a request. `calls` and faults name a line by its method and template.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from channels.emulators.discord.calls import Call, Reply
from channels.emulators.discord.routes import commands, door, interactions, messages, places

Handler = Callable[[Call], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Route:
    """One line. `open` routes carry their right in the address; the others want a bot's token."""

    method: str
    template: str
    handler: Handler
    open: bool = False
    pattern: "re.Pattern[str]" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        named = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.template)
        object.__setattr__(self, "pattern", re.compile(named))

    @property
    def name(self) -> str:
        """As calls and faults name it: `POST /channels/{channel_id}/messages`."""
        return f"{self.method} {self.template}"


_CHANNEL = "/channels/{channel_id}"
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_REACTION = "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me"
_COMMANDS = "/applications/{application_id}/commands"
_GUILD_COMMANDS = "/applications/{application_id}/guilds/{guild_id}/commands"
_ANSWERS = "/webhooks/{application_id}/{interaction_token}"
_FIRST = "/webhooks/{application_id}/{interaction_token}/messages/@original"
_LATER = "/webhooks/{application_id}/{interaction_token}/messages/{message_id}"

ROUTES: tuple[Route, ...] = (
    Route("GET", "/gateway", door.gateway, open=True),
    Route("GET", "/gateway/bot", door.gateway_bot),
    Route("GET", "/users/@me", places.me),
    Route("GET", "/users/{user_id}", places.user),
    Route("GET", "/oauth2/applications/@me", places.application),
    Route("GET", "/applications/@me", places.application),
    Route("POST", "/users/@me/channels", places.open_private),
    Route("GET", "/guilds/{guild_id}", places.guild),
    Route("DELETE", "/users/@me/guilds/{guild_id}", places.leave),
    Route("GET", _CHANNEL, places.channel),
    Route("PATCH", _CHANNEL, places.change_channel),
    Route("PUT", "/channels/{channel_id}/thread-members/@me", places.join_thread),
    Route("POST", f"{_CHANNEL}/typing", messages.typing),
    Route("GET", f"{_CHANNEL}/messages", messages.history),
    Route("POST", f"{_CHANNEL}/messages", messages.create),
    Route("GET", _MESSAGE, messages.get),
    Route("PATCH", _MESSAGE, messages.edit),
    Route("DELETE", _MESSAGE, messages.delete),
    Route("POST", f"{_MESSAGE}/threads", places.open_thread),
    Route("PUT", _REACTION, messages.react),
    Route("DELETE", _REACTION, messages.unreact),
    *(
        Route(method, template, handler)
        for all_, one in (
            (_COMMANDS, f"{_COMMANDS}/{{command_id}}"),
            (_GUILD_COMMANDS, f"{_GUILD_COMMANDS}/{{command_id}}"),
        )
        for method, template, handler in (
            ("GET", all_, commands.read),
            ("PUT", all_, commands.replace),
            ("POST", all_, commands.create),
            ("PATCH", one, commands.edit),
            ("DELETE", one, commands.delete),
        )
    ),
    Route("POST", "/interactions/{interaction_id}/{interaction_token}/callback", interactions.answer, open=True),
    Route("POST", _ANSWERS, interactions.follow_up, open=True),
    Route("GET", _FIRST, interactions.get, open=True),
    Route("PATCH", _FIRST, interactions.edit, open=True),
    Route("DELETE", _FIRST, interactions.delete, open=True),
    Route("GET", _LATER, interactions.get, open=True),
    Route("PATCH", _LATER, interactions.edit, open=True),
    Route("DELETE", _LATER, interactions.delete, open=True),
)


def find(method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """The line for a request below `/api/v10`, and the parts of its address."""
    for route in ROUTES:
        if route.method == method and (match := route.pattern.fullmatch(path)):
            return route, match.groupdict()
    return None
