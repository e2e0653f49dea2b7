"""How a chat looks in a terminal, and in a pipe. What there is to show is the terminal's to say."""

from rich.console import Console
from rich.control import Control
from rich.filesize import decimal
from rich.live import Live
from rich.segment import ControlType
from rich.text import Text

from channels.formatting.clean import clean
from channels.memory.chat import SeenFile, SeenMessage

PROMPT = "› "

_ROOM_BELOW = 3
"""Lines that a preview leaves free."""


class Screen:
    """Prints what the bot says. Only a `lively` one has a prompt, previews and hints; a pipe gets the words alone.

    Whatever is printed has no control characters left: a message cannot move the cursor, colour or clear the screen.
    """

    def __init__(self, console: Console, *, lively: bool) -> None:
        self._console = console
        self._lively = lively
        self._preview: Live | None = None
        self._prompted = False
        self._printed = False

    def show(self, message: SeenMessage) -> None:
        """A message, in place of the preview."""
        self.end_preview()
        self._take_back_prompt()
        if self._printed and not self._lively:
            self._print(Text())
        if message.edits:
            self._print(Text("changed to:", "dim"))
        if message.text:
            self._print(Text(clean(message.text)))
        if message.file is not None:
            self._print(_line_of(message.file))
        if self._lively:
            self._print(Text())
        self._printed = True

    def preview(self, text: str) -> None:
        """The end of what is being written, as much as fits."""
        if not self._lively:
            return
        self._take_back_prompt()
        if self._preview is None:
            self._preview = Live(console=self._console, auto_refresh=False, transient=True)
            self._preview.start()
        height = max(1, self._console.height - _ROOM_BELOW)
        lines = Text(clean(text), "dim").wrap(self._console, self._console.width)[-height:]
        self._preview.update(Text("\n").join(lines), refresh=True)

    def end_preview(self) -> None:
        """Take the preview away."""
        if self._preview is not None:
            self._preview.stop()
            self._preview = None

    def prompt(self) -> None:
        """Ask for the next line."""
        if self._lively and not self._prompted:
            self._console.print(Text(PROMPT, "bold"), end="")
            self._prompted = True

    def entered(self) -> None:
        """The person ended a line: the prompt is theirs now."""
        self._prompted = False

    def hint(self, words: str) -> None:
        """A word about the terminal itself."""
        if self._lively:
            self.end_preview()
            self._take_back_prompt()
            self._print(Text(words, "dim"))

    def close(self) -> None:
        """Leave the cursor at the beginning of a line."""
        self.end_preview()
        if self._prompted:
            self._console.print()
            self._prompted = False

    def _take_back_prompt(self) -> None:
        if self._prompted:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
            self._prompted = False

    def _print(self, text: Text) -> None:
        # A pipe has no width: what reads it wraps lines, if anything does.
        self._console.print(text, soft_wrap=not self._lively)


def _line_of(file: SeenFile) -> Text:
    name = " ".join(clean(file.name).split())
    line = Text(f"[{name}, {decimal(file.size)}] ", "cyan")
    return line.append(clean(str(file.path)), "dim")
