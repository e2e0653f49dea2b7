"""How a chat is answered (engine, model, effort, speed, mode), and what somebody chose anew about it."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from core.events import Effort, Mode, OptionsSet


class OptionsChange(BaseModel):
    """What somebody chose: only fields that were given count, and one that was given as None goes back to the default.

    Another engine goes without the model that the earlier one was told, unless a model comes with it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    engine: str | None = None
    model: str | None = None
    effort: Effort | None = None
    fast: bool | None = None
    mode: Mode | None = None

    def applied_to(self, options: OptionsSet) -> OptionsSet:
        """The whole set as it is after it."""
        chosen: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        if "engine" in chosen and chosen["engine"] != options.engine:
            chosen.setdefault("model", None)
        return options.model_copy(update=chosen)

    def then(self, later: "OptionsChange") -> "OptionsChange":
        """Both, the later one winning; for choices that wait for a conversation to begin."""
        whole = later.applied_to(self.applied_to(OptionsSet()))
        names = self.model_fields_set | later.model_fields_set
        return OptionsChange(**{name: getattr(whole, name) for name in names})
