"""One-tap actions: buttons under a message that wait for nobody, such as Undo after a clear.

An action is data, never a closure, so that it outlives the process that offered it. What becomes of a pressed one is
decided where commands and messages are taken; a question that waits for its answer is no action.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from channels.base import Button, ButtonStyle
from core.store.changes import Change


class _ActionData(BaseModel):
    """Once stored, names and meanings never change; a kind that a release does not know is a button that is gone."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class RunCommand(_ActionData):
    """Run a command as if the person had typed it, with the same checks. `name` without a slash."""

    kind: Literal["command"] = "command"
    name: str
    arguments: str = ""


class UndoClear(_ActionData):
    """Take back the clear that the conversation's log has at `seq`."""

    kind: Literal["undo-clear"] = "undo-clear"
    conversation_id: str
    seq: int


class SendText(_ActionData):
    """Send these words as the person's own message; a slash in front of them makes no command of them."""

    kind: Literal["text"] = "text"
    text: str


Action = Annotated[RunCommand | UndoClear | SendText, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class LabelledAction:
    """An action and the button for it. The label is plain text; over 75 characters it is shortened."""

    label: str
    action: Action
    style: ButtonStyle = ButtonStyle.PLAIN


@dataclass(frozen=True, slots=True)
class Offered:
    """Buttons for a message, and what must be stored in the transaction of its post for them to work."""

    buttons: tuple[Button, ...]
    change: Change[object]
