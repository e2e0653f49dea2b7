"""Settings that count at once, and what models used. Secrets are no such settings: nothing here holds one."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Body, Query

from core.settings import Settings
from web.api import schemas
from web.api.document import Section, refusals
from web.api.parts import By, Parts, Unmet
from web.preferences import UsageView

_NAME_ENGINES = ("default_engine", "fallback_engine")

_SENSITIVE = "default_mode"
"""What may be done without asking, in every chat that says nothing of its own. Going back (null) is never sensitive."""

Changes = Annotated[
    dict[str, schemas.Text | bool | int | float | list[schemas.Text] | None],
    Body(description="Settings by name; null goes back to what Conch was started with"),
]


class SettingRoutes:
    """The routes."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def add_to(self, api: Section) -> None:
        """Register them."""
        api.add_api_route("/settings", self.list_settings, responses=refusals(), summary="Every setting")
        api.add_api_route(
            "/settings",
            self.change_settings,
            methods=["PATCH"],
            responses=refusals(),
            summary="Change settings, all or none",
            openapi_extra={"requestBody": {"content": {"application/json": {"schema": _schema()}}}},
        )
        api.add_api_route("/usage", self.get_usage, responses=refusals(), summary="What models used")

    async def list_settings(self) -> schemas.SettingsView:
        """That can be changed while Conch runs."""
        return await self._settings()

    async def change_settings(self, changes: Changes, by: By) -> schemas.SettingsView:
        """They count from now on. 422 where there is no such setting, it is fixed, or the value does not fit.

        403 `too-long-ago` where a browser, not a token, sets the mode and came in more than ten minutes ago.
        """
        if changes.get(_SENSITIVE) is not None and not by.is_recent:
            raise Unmet(403, "too-long-ago")
        for name in _NAME_ENGINES:
            engine = changes.get(name)
            if isinstance(engine, str) and self._parts.engines.get(engine) is None:
                names = ", ".join(each.id for each in self._parts.engines.all())
                raise Unmet(422, "invalid", f"There is no engine “{engine}”. There is: {names}.")
        await self._parts.preferences.change(changes, by.by)
        return await self._settings()

    async def get_usage(
        self, days: Annotated[int, Query(ge=1, le=3_660, description="How many days back, today among them (UTC)")] = 7
    ) -> UsageView:
        """By day, engine and model, in tokens and US dollars."""
        return await self._parts.administration.usage(days)

    async def _settings(self) -> schemas.SettingsView:
        values = self._parts.preferences.current.model_dump()
        shown = await self._parts.administration.settings.list()
        return schemas.SettingsView(
            settings=tuple(
                schemas.SettingNow(
                    name=each.name,
                    value=values[each.name],
                    source=each.source,
                    fixed=each.fixed,
                    description=each.description,
                )
                for each in shown
            )
        )


def _schema() -> Mapping[str, Any]:
    """What may be changed, as a JSON schema: every setting with its own limits or null, none of them required."""
    known = Settings.model_json_schema(ref_template="#/components/schemas/{model}")["properties"]
    properties = {
        name: {"anyOf": [rules, {"type": "null"}], "description": rules.get("description", "")}
        for name, rules in known.items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}
