"""What answers a chat, of an engine's models: what the chat chose, else what the owner set for every chat."""

from core.engines.base import Engine, ModelOptions
from core.engines.registry import Engines
from core.events import OptionsSet
from core.preferences import Preferences


class Chosen:
    """Looks it up anew each time, for a setting counts at once.

    A model belongs to one engine: the chat's to the one that it chose (else the default one), the owner's to the
    default one. Whichever other engine answers, answers with its own.
    """

    def __init__(self, engines: Engines, preferences: Preferences) -> None:
        self._engines = engines
        self._preferences = preferences

    def options(self, options: OptionsSet, engine: Engine) -> ModelOptions:
        """What an engine is told in a chat with these options; None is its own default."""
        settings, default = self._preferences.current, self._engines.default.id
        theirs = options.model if engine.id == (options.engine or default) else None
        return ModelOptions(
            model=theirs or (settings.default_model if engine.id == default else None),
            effort=options.effort or settings.default_effort,
            fast=options.fast if options.fast is not None else settings.default_fast,
        )

    def model(self, options: OptionsSet, engine: Engine) -> str | None:
        """The model that answers, as far as it is known without asking anybody."""
        return self.options(options, engine).model or engine.default_model()
