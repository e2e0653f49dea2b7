"""What people pressed, and what that lets a bot do: open a view for three seconds, answer by a URL for half an hour.

Belongs here: presses, triggers, response URLs and views by their ids, and how long each works.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from channels.emulators.clock import Clock
from channels.emulators.slack import limits
from channels.emulators.slack.chats import Chat, Message
from channels.emulators.slack.errors import ApiError
from channels.emulators.slack.people import TEAM_ID, Bot, Person


@dataclass(eq=False, slots=True)
class View:
    """A form or a Home tab as a bot gave it. `errors` is what stands under its fields, by block_id."""

    id: str
    bot: Bot
    person: Person
    json: Mapping[str, Any]
    hash: str
    root: str
    open: bool = True
    errors: Mapping[str, str] = field(default_factory=dict)

    def to_json(self, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The `view` object; `values` is what was filled in."""
        defaults = {"private_metadata": "", "callback_id": "", "external_id": "", "clear_on_close": False}
        return {
            **defaults,
            "close": None,
            "submit": None,
            "notify_on_close": False,
            **self.json,
            "id": self.id,
            "team_id": TEAM_ID,
            "state": {"values": dict(values or {})},
            "hash": self.hash,
            "previous_view_id": None,
            "root_view_id": self.root,
            "app_id": self.bot.app_id,
            "app_installed_team_id": TEAM_ID,
            "bot_id": self.bot.bot_id,
        }


@dataclass(eq=False, slots=True)
class Press:
    """Something that a person did and waits for: a button, a pick, a form sent, a command.

    `failed` is what Slack shows where the app did not acknowledge; `notes` are lines that only they see.
    """

    id: str
    bot: Bot
    person: Person
    chat: Chat | None
    message: Message | None = None
    acked: bool = False
    failed: str | None = None
    notes: list[str] = field(default_factory=list)
    view: View | None = None
    since: int = 0
    """How far the journal was when it happened."""


@dataclass(eq=False, slots=True)
class Trigger:
    """What opens a view, once. `at` is monotonic."""

    press: Press
    at: float
    used: bool = False


@dataclass(eq=False, slots=True)
class ResponseUrl:
    """Where a bot may answer somebody up to five times."""

    press: Press
    thread: str | None
    at: float
    uses: int = 0


class Interactions:
    """Everything that somebody waits for, by id."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.presses: dict[str, Press] = {}
        self.views: dict[str, View] = {}
        self.homes: dict[tuple[str, str], View] = {}
        """What the Home tab shows, by app and person."""
        self._triggers: dict[str, Trigger] = {}
        self._responses: dict[str, ResponseUrl] = {}

    def press(self, bot: Bot, person: Person, chat: Chat | None, message: Message | None, since: int) -> Press:
        """Somebody did something."""
        press = Press(secrets.token_hex(6), bot, person, chat, message, since=since)
        self.presses[press.id] = press
        return press

    def trigger(self, press: Press) -> str:
        """A trigger_id for it."""
        trigger_id = f"{secrets.randbits(40)}.{secrets.randbits(30)}.{secrets.token_hex(16)}"
        self._triggers[trigger_id] = Trigger(press, self._clock.monotonic())
        return trigger_id

    def triggered(self, bot: Bot, trigger_id: str) -> Press:
        """What a trigger_id came from; it is used up.

        Raises:
            ApiError: unknown, used, or older than three seconds.
        """
        trigger = self._triggers.get(trigger_id)
        if trigger is None or trigger.press.bot is not bot:
            raise ApiError("invalid_trigger_id")
        if trigger.used:
            raise ApiError("exchanged_trigger_id")
        if self._clock.monotonic() - trigger.at > limits.TRIGGER_SECONDS:
            raise ApiError("expired_trigger_id")
        trigger.used = True
        return trigger.press

    def response_path(self, press: Press, thread: str | None) -> str:
        """The path of a response_url for it."""
        key = secrets.token_urlsafe(16)
        self._responses[key] = ResponseUrl(press, thread, self._clock.monotonic())
        return f"/response/{key}"

    def respond(self, key: str) -> ResponseUrl:
        """The response URL behind a path; used once more.

        Raises:
            ApiError: unknown, too old, or used five times.
        """
        response = self._responses.get(key)
        if response is None:
            raise ApiError("invalid_url")
        if self._clock.monotonic() - response.at > limits.RESPONSE_URL_SECONDS:
            raise ApiError("expired_url")
        if response.uses >= limits.RESPONSE_URL_USES:
            raise ApiError("used_url")
        response.uses += 1
        return response

    def open(self, bot: Bot, person: Person, json: Mapping[str, Any], root: str | None = None) -> View:
        """A new view."""
        view_id = f"V0{secrets.token_hex(4).upper()}"
        view = View(view_id, bot, person, json, secrets.token_hex(6), root or view_id)
        self.views[view_id] = view
        return view

    def replace(self, view: View, json: Mapping[str, Any]) -> None:
        """Another content for a view."""
        view.json, view.hash, view.errors = json, secrets.token_hex(6), {}
