"""The page of the settings, made from the one model: what each is for, where it comes from, its input."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import NoneType
from typing import Final, Literal, get_args, get_origin

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from commands.values import EFFORTS, MODES
from core.errors import ConchError
from core.settings import Settings
from web.administration import Administration
from web.console.desk import Desk, fields
from web.preferences import SettingView

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "The assistant": ("assistant_name", "voice"),
    "How it answers": (
        "default_engine",
        "default_model",
        "default_effort",
        "default_fast",
        "default_mode",
        "fallback_engine",
    ),
    "What may be used": ("budget_turn_tokens", "budget_turn_cost", "budget_day_tokens", "budget_day_cost"),
    "Messages": ("gather_ms", "messages_per_minute", "guest_answers_per_hour", "rate_per_chat", "rate_global"),
    "Commands, skills and suggestions": (
        "commands_for_people",
        "skills_automatic",
        "skills_when_asked",
        "skills_for_people",
        "muted_suggestions",
    ),
}
"""Which stand together; what is named nowhere stands at the end."""

REST: Final = "The rest"

TITLES: Final[Mapping[str, str]] = {
    "assistant_name": "Its name",
    "voice": "Its voice",
    "default_effort": "How hard it thinks",
    "default_fast": "Quick answers",
    "default_mode": "Without asking",
    "fallback_engine": "Takes over",
    "budget_turn_tokens": "Tokens, one answer",
    "budget_turn_cost": "Dollars, one answer",
    "budget_day_tokens": "Tokens, one day",
    "budget_day_cost": "Dollars, one day",
    "gather_ms": "Wait for more (ms)",
    "messages_per_minute": "Messages a minute",
    "guest_answers_per_hour": "Answers to guests an hour",
    "rate_per_chat": "Sent per second, one chat",
    "rate_global": "Sent per second, in all",
    "retention_days": "Days kept",
    "public_url": "Public address",
}
"""Names of settings that do not speak for themselves."""

LONG: Final = 500
"""Characters from which on a text gets a box of several lines."""

CHOICES: Final[Mapping[str, str]] = {
    **{item.word: item.title for item in (*MODES.items, *EFFORTS.items)},
    "true": "Yes",
    "false": "No",
}
"""What values are called, as in the menus of the chats."""


@dataclass(frozen=True, slots=True)
class Field:
    """A setting as the page shows it. `choices` are values with their words; `step`, `least` and `most` of a number."""

    view: SettingView
    title: str
    kind: Literal["text", "long", "list", "number", "choice"]
    choices: tuple[tuple[str, str], ...] = ()
    optional: bool = False
    step: str = "1"
    least: str = ""
    most: str = ""


class SettingPages:
    """The page. Full trust for every chat needs a sign-in not long ago; the rest does not."""

    def __init__(self, desk: Desk, administration: Administration) -> None:
        self._desk = desk
        self._settings = administration.settings

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/settings", self.overview, methods=["GET"], response_model=None)
        app.add_api_route(
            "/settings/default_mode",
            self.change_mode,
            methods=["POST"],
            response_model=None,
            dependencies=self._desk.fresh,
        )
        app.add_api_route("/settings/{name}", self.change, methods=["POST"], response_model=None)
        app.add_api_route("/settings/{name}/unset", self.unset, methods=["POST"], response_model=None)

    async def overview(self, request: Request) -> Response:
        """Every setting."""
        return self._desk.page(request, "console/settings.html", groups=await self._groups())

    async def change_mode(self, request: Request) -> Response:
        """Change what may be done without asking, where a chat says nothing."""
        return await self.change(request, "default_mode")

    async def change(self, request: Request, name: str) -> Response:
        """Change one. An empty value goes back to what the program was started with, where none can be."""
        value = (await fields(request)).get("value", "").strip()
        try:
            if value or not _optional(name):
                await self._settings.set(name, value)
            else:
                await self._settings.unset(name)
        except ConchError as fault:
            groups = await self._groups({name: value})
            return self._desk.refused(request, "console/settings.html", fault, groups=groups)
        return self._desk.done(request, "/settings", f"{titled(name)} is changed, and counts from now on.")

    async def unset(self, request: Request, name: str) -> Response:
        """Go back to what the program was started with."""
        try:
            await self._settings.unset(name)
        except ConchError as fault:
            return self._desk.refused(request, "console/settings.html", fault, groups=await self._groups())
        return self._desk.done(request, "/settings", f"{titled(name)} is as it was at the start.")

    async def _groups(self, typed: Mapping[str, str] | None = None) -> dict[str, Sequence[Field]]:
        """The fields by group; `typed` stands in its field in place of the value."""
        views = {view.name: view for view in await self._settings.list()}
        for name, value in (typed or {}).items():
            if name in views:
                views[name] = views[name].model_copy(update={"value": value})
        named = {name for names in GROUPS.values() for name in names}
        groups = {**GROUPS, REST: tuple(name for name in views if name not in named)}
        made = {title: [field_of(views[name]) for name in names if name in views] for title, names in groups.items()}
        return {title: found for title, found in made.items() if found}


def titled(name: str) -> str:
    """A setting's name for people."""
    return TITLES.get(name) or name.replace("_", " ").capitalize()


def field_of(view: SettingView) -> Field:
    """How a setting is typed, by its place in the model."""
    title, optional = titled(view.name), _optional(view.name)
    model = Settings.model_fields.get(view.name)
    if model is None:
        return Field(view, title, "text")
    kind, limits = _bare(model.annotation), _limits(model.metadata)
    if get_origin(kind) is tuple:
        return Field(view, title, "list", optional=True)
    if kind is bool:
        return Field(view, title, "choice", _choices(("true", "false")), optional)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Field(view, title, "choice", _choices([str(each.value) for each in kind]), optional)
    if kind in (int, float):
        step = "1" if kind is int else "any"
        return Field(view, title, "number", (), optional, step, limits.get("least", ""), limits.get("most", ""))
    return Field(view, title, "long" if int(limits.get("length") or 0) > LONG else "text", optional=optional)


def _choices(values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((value, CHOICES.get(value, value.capitalize())) for value in values)


def _optional(name: str) -> bool:
    """Whether nothing at all can be set."""
    model = Settings.model_fields.get(name)
    return model is not None and NoneType in get_args(model.annotation)


def _bare(annotation: object) -> object:
    """The type without None."""
    if get_origin(annotation) is tuple:
        return annotation
    left = [each for each in get_args(annotation) if each is not NoneType]
    return left[0] if len(left) == 1 else annotation


def _limits(metadata: Sequence[object]) -> Mapping[str, str]:
    """What the model allows, as an input takes it. Only what an input can say as well is here."""
    names = {"ge": "least", "le": "most", "max_length": "length"}
    return {said: str(getattr(each, name)) for each in metadata for name, said in names.items() if hasattr(each, name)}
