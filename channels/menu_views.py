"""Which menu is shown, and where in it: what commands ask for and what is stored with a menu. Pure.

What a view holds is in `channels.menus`.
"""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Name(StrEnum):
    """Which menu it is. Once stored, a name never changes its meaning."""

    MODEL = "model"
    EFFORT = "effort"
    FAST = "fast"
    MODE = "mode"
    STATUS = "status"
    SETTINGS = "settings"
    SETTING = "setting"
    """One setting, named in the view."""


class View(BaseModel):
    """What of a menu is shown."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Name
    everywhere: bool = False
    """It is about what holds where a chat names nothing; else about this chat."""
    engine: str | None = None
    """Whose models are shown; None: those of the engine in use."""
    setting: str | None = None
    page: int = 0
    sure: str | None = None
    """The word of the choice that is asked about once more."""

    @property
    def within(self) -> bool:
        """Whether it was reached from the settings."""
        return self.everywhere or self.name is Name.SETTING
