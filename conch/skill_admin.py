"""What the owner's commands about skills do, over the settings of the running server or of the data folder."""

from collections.abc import Mapping

from commands.naming import fold_name
from core.errors import NotFound
from core.skills.folder import Found
from core.skills.modes import SETTINGS, changed, with_modes
from core.skills.skill import Skill, SkillMode
from web.preferences import SettingCommands


class SkillAdmin:
    """Looks at skills that were found, and says when they are used."""

    def __init__(self, settings: SettingCommands, found: Found) -> None:
        self._settings = settings
        self._found = found

    async def list(self) -> tuple[Skill, ...]:
        """Every skill, with when it is used."""
        return with_modes(self._found.skills, await self._lists())

    async def find(self, name: str) -> Skill:
        """One of them, by the name after the slash.

        Raises:
            NotFound: there is none, with what there is.
        """
        wanted = fold_name(name.removeprefix("/"))
        skills = await self.list()
        for skill in skills:
            if skill.id == wanted:
                return skill
        raise NotFound(f"There is no skill “{name}”. There is: {', '.join(skill.id for skill in skills)}.")

    async def use(self, name: str, mode: SkillMode) -> Skill:
        """Have it used so from now on.

        Raises:
            NotFound: there is none of that name.
            UsageError: the lists are set where Conch was started.
        """
        skill = await self.find(name)
        before = await self._lists()
        for each, ids in changed(before, skill.id, mode).items():
            if ids != before[each]:
                await self._settings.set(SETTINGS[each], ", ".join(ids))
        return await self.find(skill.id)

    async def _lists(self) -> Mapping[SkillMode, tuple[str, ...]]:
        values = {view.name: view.value for view in await self._settings.list()}
        return {mode: _split(values.get(name, "")) for mode, name in SETTINGS.items()}


def _split(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())
