"""What everything that is shown to the owner has in common."""

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    """Something shown to the owner, or given by them."""

    model_config = ConfigDict(frozen=True, extra="ignore")
