"""The page of the skills: what each may do in plain words, and when it is used."""

from typing import Final, cast

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from core.errors import ConchError, UsageError
from core.skills.skill import MODE_WORDS, SkillMode, may
from web.console.backing import SkillCommands
from web.console.desk import Desk, fields

MODES: Final = MODE_WORDS


class SkillPages:
    """The page."""

    def __init__(self, desk: Desk, skills: SkillCommands) -> None:
        self._desk = desk
        self._skills = skills

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        app.add_api_route("/skills", self.overview, methods=["GET"], response_model=None)
        app.add_api_route("/skills/{name}", self.use, methods=["POST"], response_model=None)

    async def overview(self, request: Request) -> Response:
        """Every skill."""
        return self._desk.page(request, "console/skills.html", **await self._all())

    async def use(self, request: Request, name: str) -> Response:
        """Say when it is used."""
        try:
            mode = (await fields(request)).get("mode", "")
            if mode not in MODES:
                raise UsageError("Choose Off, When I ask, or Automatically.")
            skill = await self._skills.use(name, cast("SkillMode", mode))
        except ConchError as fault:
            return self._desk.refused(request, "console/skills.html", fault, **await self._all())
        words = {
            "automatic": f"“{skill.title}” is used whenever it fits, or when you send `/{skill.id}`.",
            "when-asked": f"“{skill.title}” is used only when you send `/{skill.id}`.",
            "off": f"“{skill.title}” is off.",
        }
        return self._desk.done(request, "/skills", words[skill.mode])

    async def _all(self) -> dict[str, object]:
        skills = [(skill, may(skill)) for skill in await self._skills.list()]
        return {"skills": skills, "modes": MODES}
