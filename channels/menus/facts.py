"""What menus are made of: a picture of how a chat is answered, what there is to choose, and the settings. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from channels.commands.options import Answering
from channels.formatting.parts import literal
from core.engines.base import ModelInfo
from core.engines.catalogue import EngineChoice
from core.settings import Settings


@dataclass(frozen=True)
class Facts:
    """One moment. `fixed` are the settings that can only be changed where Conch was started.

    `status` are the lines of `/status`, `cancel` and `model_command` how these commands are written here (Markdown).
    """

    answering: Answering
    offered: Sequence[EngineChoice]
    fixed: frozenset[str] = frozenset()
    status: str = ""
    cancel: str = "`/cancel`"
    model_command: str = "`/model`"

    @property
    def settings(self) -> Settings:
        """As they are now."""
        return self.answering.settings

    @cached_property
    def model(self) -> ModelInfo | None:
        """The one that answers in this chat."""
        return self.answering.model(tuple(self.offered))

    def engine(self, engine_id: str | None) -> EngineChoice | None:
        """What there is of an engine; None where it is not connected."""
        return next((choice for choice in self.offered if choice.engine == engine_id), None)

    def engine_title(self, engine_id: str) -> str:
        """Its name for people."""
        choice = self.engine(engine_id)
        return choice.title if choice else engine_id

    def everywhere_model(self) -> str:
        """What answers where a chat names nothing, as a person reads it."""
        engine = self.engine(self.answering.default_engine)
        if engine is None:
            return self.answering.default_engine
        named = self.settings.default_model
        if named is None:
            first = engine.models[0].title if engine.models else None
            return first or engine.title
        return next((model.title for model in engine.models if model.id == named), named)

    def answers_now(self) -> str:
        """What answers in this chat, as Markdown: `GPT-5 (OpenAI)`."""
        title = literal(self.answering.engine_title)
        return f"{literal(self.model.title)} ({title})" if self.model else title
