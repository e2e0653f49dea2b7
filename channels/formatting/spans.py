"""The words inside a block: inline tokens to styled runs, one tuple of runs for each line. No blocks, no markup."""

from collections.abc import Sequence

from markdown_it.token import Token

from channels.formatting.lines import Link, Run, Runs, Style, merged
from channels.formatting.links import LinkRules, shown

STYLES = {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRIKE}


def styled_lines(tokens: Sequence[Token], rules: LinkRules, longest: int) -> list[Runs]:
    """The lines of a paragraph, a heading or a cell; a break in the source is a break for the reader.

    `longest`: of a link's address, see `links.shown`.
    """
    reader = SpanReader(rules, longest)
    reader.read(tokens)
    return [trimmed(merged(line)) for line in reader.lines]


def trimmed(runs: Runs) -> Runs:
    """Without spaces at either end, where Markdown ignores them and some app would read them as markup."""
    kept = list(runs)
    while kept and not kept[0].code and (words := kept[0].text.lstrip()) != kept[0].text:
        kept[0:1] = [kept[0]._replace(text=words)] if words else []
    while kept and not kept[-1].code and (words := kept[-1].text.rstrip()) != kept[-1].text:
        kept[-1:] = [kept[-1]._replace(text=words)] if words else []
    return tuple(kept)


def bare_words(tokens: Sequence[Token]) -> str:
    """What the tokens say, without looks and breaks."""
    return "".join(
        bare_words(token.children or [])
        if token.type == "image"
        else token.content or " " * token.type.endswith("break")
        for token in tokens
    )


class SpanReader:
    """Walks inline tokens once, with the looks that are open."""

    def __init__(self, rules: LinkRules, longest: int) -> None:
        self.lines: list[list[Run]] = [[]]
        self._rules = rules
        self._longest = longest
        self._open: list[Style | Link] = []

    def read(self, tokens: Sequence[Token]) -> None:
        """Read on; emphasis nests in the tokens, so the innermost is always the next to close."""
        position = 0
        while position < len(tokens):
            token = tokens[position]
            if token.type == "link_open":
                end = end_of_link(tokens, position)
                self._link(tokens[position + 1 : end], str(token.attrs["href"]))
                position = end
            elif token.type == "image":
                self._link(token.children or [], str(token.attrs["src"]))
            elif token.type.endswith("break"):
                self.lines.append([])
            elif token.nesting:
                self._emphasis(token)
            else:
                self._say(token.content, code=token.type == "code_inline")
            position += 1

    def _emphasis(self, token: Token) -> None:
        if token.nesting > 0:
            self._open.append(STYLES[token.tag])
        else:
            self._open.pop()

    def _link(self, label: Sequence[Token], href: str) -> None:
        """A link; inside another (a picture that is one) only its words."""
        if any(isinstance(style, Link) for style in self._open):
            self.read(label)
            return
        how = shown(bare_words(label), href, self._rules, self._longest)
        if how.linked:
            self._open.append(Link(href))
        if how.words is None:
            self.read(label)
        else:
            self._say(how.words)
        if how.linked:
            self._open.pop()
        self._say(how.after)

    def _say(self, text: str, *, code: bool = False) -> None:
        styles = tuple(dict.fromkeys(self._open)) if self._open else ()
        lines = text.split("\n")
        for number, words in enumerate(lines):
            if number:
                self.lines.append([])
            self.lines[-1].append(Run(words, styles, code))


def end_of_link(tokens: Sequence[Token], start: int) -> int:
    """Where the link that opens at `start` closes; links do not nest in Markdown."""
    return next((i for i in range(start, len(tokens)) if tokens[i].type == "link_close"), len(tokens))
