"""Markdown to tokens: CommonMark with tables and strikethrough, HTML as text; nothing may get lost or take for ever.

What the tokens mean is `flow`'s and `spans`'s.
"""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, blockquote, list_block, table
from markdown_it.rules_block.table import escapedSplit, getLine
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, autolink, image
from markdown_it.token import Token

from channels.formatting import limits

DEEPEST = 16
"""Quotes count one level, lists two. Deeper markers stay text; the parser itself would drop what is below its own
limit of 20 without a word."""

MANY_BRACKETS = 1000
"""The parser looks for the end of a link from each opening bracket; a paragraph with more is text."""

MANY_CELLS = 1000
"""A table of more is looked at twice; the parser fills up short rows with cells, however many."""

ADDRESS_REST = re.compile(r"://(?:[^\s<>\[\]\"`|\\&]|&(?!#?\w+;))+")
SCHEME = re.compile(r"https?$", re.IGNORECASE)
AUTOLINK = re.compile(r"<(?:https?:|mailto:|tg:|[^\s<>:]+@)", re.IGNORECASE)

BlockRule = Callable[[StateBlock, int, int, bool], bool]


def parse(text: str) -> list[Token]:
    """Tokens of clean text. More than `limits.PARSED` characters are one paragraph after the other, unformatted."""
    return PARSER.parse(text) if len(text) <= limits.PARSED else unformatted(text)


def unformatted(text: str) -> list[Token]:
    """Every line as it stands."""
    tokens = []
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            content = Token("text", "", 0, content=line)
            tokens.append(Token("inline", "", 0, map=[number, number + 1], children=[content]))
    return tokens


def not_too_deep(rule: BlockRule) -> BlockRule:
    """The rule, until the text is nested deeper than anyone reads."""

    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < DEEPEST and rule(state, start, end, silent)

    return guarded


def whole_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Tables; the parser drops what a row has more than the header, here it stays in the last cell."""
    if not table(state, start, end, True) or mostly_missing(state, start, end):
        return False
    if silent:
        return True
    before = len(state.tokens)
    table(state, start, end, False)
    columns, row, last = 0, 0, None
    for token in state.tokens[before:]:
        if token.type == "th_open":
            columns += 1
        elif token.type == "tr_open" and token.map:
            row = token.map[0]
        elif token.type == "inline":
            last = token
        elif token.type == "tr_close" and last:
            last.content = " | ".join([last.content, *cells_of(getLine(state, row))[columns:]])
    return True


def mostly_missing(state: StateBlock, start: int, end: int) -> bool:
    """Whether a table would have more cells than its source has characters: a thousand columns, and rows of one."""
    last = start
    while last < end and not state.isEmpty(last):
        last += 1
    cells = (last - start) * getLine(state, start + 1).count("|")
    return cells > MANY_CELLS and cells > state.eMarks[last - 1] - state.bMarks[start]


def cells_of(row: str) -> list[str]:
    """The source of the cells of a row, as the parser tells them apart."""
    cells = [cell.strip() for cell in escapedSplit(row.strip())]
    cells = cells[1:] if cells and not cells[0] else cells
    return cells[:-1] if cells and not cells[-1] else cells


def lone_image(state: StateInline, silent: bool) -> bool:
    """Images, but none inside the words of another: the parser would go one call deeper for each."""
    if state.env.get("image"):
        return False
    state.env["image"] = True
    try:
        return image(state, silent)
    finally:
        state.env["image"] = False


def bare_address(state: StateInline, silent: bool) -> bool:
    """A web address among words is words to its end: `_` and `*` in it are no emphasis."""
    found = ADDRESS_REST.match(state.src, state.pos)
    if not found or not SCHEME.search(state.src, max(0, state.pos - len("https")), state.pos):
        return False
    rest = found.group().rstrip("?!.,:;*_~'")
    while rest.endswith(")") and rest.count(")") > rest.count("("):
        rest = rest[:-1]
    if not silent:
        state.pending += rest
    state.pos += len(rest)
    return True


def known_address(state: StateInline, silent: bool) -> bool:
    """An address between angle brackets, unless it is `<std::string>`."""
    return AUTOLINK.match(state.src, state.pos) is not None and autolink(state, silent)


def inline(state: StateCore) -> None:
    """Parse the words of each block, unless they are made to be slow."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if token.content.count("[") > MANY_BRACKETS:
            token.children.append(Token("text", "", 0, content=token.content))
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def build_parser() -> MarkdownIt:
    """The parser of this package; building it takes longer than using it."""
    options = {"html": False, "store_labels": True, "inline_definitions": True}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    ends_paragraphs: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.at("blockquote", not_too_deep(blockquote), ends_paragraphs)
    parser.block.ruler.at("list", not_too_deep(list_block), {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("table", whole_table, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.at("image", lone_image)
    parser.inline.ruler.at("autolink", known_address)
    parser.inline.ruler.before("link", "bare_address", bare_address)
    parser.core.ruler.at("inline", inline)
    return parser


PARSER = build_parser()
