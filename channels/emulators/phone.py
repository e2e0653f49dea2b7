"""What every pretend app's phone can do, under the same names: one journey is played on each, whatever the app.

Belongs here: the verbs and what they mean for a person. What an app has besides (a draft, an album, a select menu)
is its own screen's. Ids of messages are the app's own: numbers or text.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class SeenAnswer(Protocol):
    """What a press brought back: a line that only the person who pressed sees, empty where the app shows none."""

    @property
    def text(self) -> str: ...  # noqa: D102 - said above


class Seen(Protocol):
    """A message as it looks on the screen now: its words as a person reads them, without markup."""

    @property
    def id(self) -> Any:  # noqa: ANN401 - a number here, text there
        """The app's own id of it."""
        ...

    @property
    def by_bot(self) -> bool:
        """Whether a bot said it."""
        ...

    @property
    def text(self) -> str:
        """Its words, those of blocks, embeds and cards among them; a line for each paragraph, a list's signs kept."""
        ...

    @property
    def labels(self) -> list[list[str]]:
        """What can be pressed under it, by rows: buttons, and the options of a list to pick from as a row each."""
        ...


class SeenForm(Protocol):
    """A form that a press opened: its title, and its fields' names with what stands on them."""

    @property
    def title(self) -> str: ...  # noqa: D102 - said above

    @property
    def fields(self) -> Mapping[str, str]:
        """The label of each field, by the name under which it is filled in."""
        ...


class Phone(Protocol):
    """One person's view of one chat. What they do is a coroutine; looking is not, with an app in this process."""

    @property
    def messages(self) -> Sequence[Any]:
        """What is there now (`Seen`), oldest first, also what only this person sees; without what was deleted."""
        ...

    @property
    def answers(self) -> Sequence[Any]:
        """What bots said (`Seen`)."""
        ...

    async def say(self, text: str) -> Any:  # noqa: ANN401 - the app's own `Seen`
        """Write a message."""
        ...

    async def command(self, words: str) -> Any:  # noqa: ANN401 - the app's own `Seen`, or None where nothing is posted
        """Give a command as people do in this app: `goal x` is `/goal x`, `/conch goal x`, or picked."""
        ...

    async def mention(self, text: str) -> Any:  # noqa: ANN401 - the app's own `Seen`
        """Write to the bot by name, in a group."""
        ...

    async def reply(self, message: Any, text: str) -> Any:  # noqa: ANN401 - the app's own `Seen`
        """Answer a message: quoting it, or in its thread, as the app does."""
        ...

    async def press(self, message: Any, label: str, *, stale: bool = False) -> Any:  # noqa: ANN401 - its `Press`
        """Press what has this label, or pick it in a list. `stale`: also one that an edit took away, on a slow phone.

        Raises:
            LookupError: there is none.
        """
        ...

    async def answer_to(self, press: Any, *, timeout: float = ...) -> SeenAnswer:  # noqa: ANN401 - what `press` gave
        """What the bot's answer to a press showed. What the app shows as an error to the person raises `LookupError`.

        Raises:
            TimeoutError: the bot did not answer in the app's time for it.
        """
        ...

    async def form_of(self, press: Any, *, timeout: float = ...) -> SeenForm:  # noqa: ANN401 - what `press` gave
        """The form that a press opened.

        Raises:
            TimeoutError: none was opened.
        """
        ...

    async def fill_in(self, form: Any, values: Mapping[str, str | Sequence[str]]) -> Any:  # noqa: ANN401 - a `Press`
        """Send a form with these values by the fields' labels; text, what is picked by its label, several as a list."""
        ...

    async def wait_for(self, condition: Callable[[list[Any]], T], *, timeout: float = ...) -> T:
        """Come back once `condition` holds of the messages, with what it gave.

        Raises:
            TimeoutError: naming what was seen instead.
        """
        ...

    async def wait_for_answer(self, count: int = 1, *, timeout: float = ...) -> Any:  # noqa: ANN401 - its `Seen`
        """The newest message of a bot, once there are `count` of them since the person last said something."""
        ...
