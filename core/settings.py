"""What the owner may set about how Conch works: one model for every place that shows or changes it.

Where the values come from (environment, file, console) is the program's business.
"""

from pydantic import BaseModel, ConfigDict, Field

from core.events import Effort, Mode


class Settings(BaseModel):
    """All settings of the core and the channels, with their defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    assistant_name: str = Field("Conch", max_length=80, description="What the assistant calls itself")
    voice: str = Field("", max_length=1_000, description="How the assistant speaks")
    default_engine: str | None = Field(None, description="The engine that answers where a chat names none")
    default_model: str | None = Field(
        None, description="The model of that engine which answers where a chat names none"
    )
    default_effort: Effort | None = Field(None, description="How hard it thinks where a chat names no effort")
    default_fast: bool | None = Field(None, description="Whether quick answers are preferred where a chat says nothing")
    default_mode: Mode = Field(Mode.ASK, description="What it may do without asking where a chat names no mode")
    fallback_engine: str | None = Field(
        None,
        description="The engine that answers instead, for one reply, when another cannot be reached or is at its limit",
    )
    budget_turn_tokens: int | None = Field(None, ge=1, description="Tokens that one answer may use, in and out")
    budget_turn_cost: float | None = Field(
        None, gt=0, description="US dollars that one answer may cost, where its price is known"
    )
    budget_day_tokens: int | None = Field(None, ge=1, description="Tokens that all answers of a day (UTC) may use")
    budget_day_cost: float | None = Field(
        None, gt=0, description="US dollars that all answers of a day (UTC) may cost, where prices are known"
    )
    gather_ms: int = Field(700, ge=0, le=3_000, description="How long messages that belong together are waited for")
    messages_per_minute: int = Field(20, ge=0, description="From one person; 0 means no limit")
    guest_answers_per_hour: int = Field(
        20, ge=0, description="In one group, to people who are not let in; 0 means none"
    )
    rate_per_chat: float | None = Field(None, ge=0, description="Messages a second to one chat; 0 means no limit")
    rate_global: float | None = Field(None, ge=0, description="Messages a second in all; 0 means no limit")
    commands_for_people: tuple[str, ...] = Field(
        (), description="Your own commands that people whom you let in may use too"
    )
    muted_suggestions: tuple[str, ...] = Field(
        (), description="What is never suggested any more: apps by their ids, skills as `skill:` and the id"
    )
    skills_automatic: tuple[str, ...] = Field((), description="Skills that the assistant uses whenever they fit")
    skills_when_asked: tuple[str, ...] = Field((), description="Skills that are used only when they are called by name")
    skills_for_people: tuple[str, ...] = Field(
        (), description="Skills, among those that are on, that people whom you let in may use too"
    )
    retention_days: int = Field(30, ge=1, description="How long finished deliveries are kept")
    public_url: str | None = Field(None, description="The address at which the outside reaches Conch")
