"""Slack's two markups as a person reads them: the signs are gone, links are their labels, mentions are names.

Belongs here: text in, words out. Which text a block holds belongs to `drawing`.
"""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

Names = Callable[[str], str]
"""The name of a person, an app or a channel by its id; the id itself where nobody has it."""

_CODE = re.compile(r"```\n?(.*?)\n?```|`([^`\n]+)`", re.DOTALL)
_ANGLE = re.compile(r"<([^<>\n]+)>")
_STYLES = [re.compile(rf"(?<![\w{re.escape(s)}]){re.escape(s)}(?=\S)([^\n]*?\S){re.escape(s)}(?![\w])") for s in "*_~"]
_QUOTE = re.compile(r"^(?:&gt;|>) ?", re.MULTILINE)
_ZERO_WIDTH = str.maketrans("", "", "\u200b\u2060\ufeff")
_MENTION = re.compile(r"<([@#!][^<>\s]+)>")

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def escaped(words: str) -> str:
    """What a person typed, as Slack keeps it."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescaped(text: str) -> str:
    """Slack knows these three and no other."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def plain(text: str, names: Names) -> str:
    """The words of mrkdwn."""
    pieces: list[str] = []
    end = 0
    for match in _CODE.finditer(text):
        pieces.append(_styled(text[end : match.start()], names))
        pieces.append(_angles(match[1] if match[1] is not None else match[2], names))
        end = match.end()
    pieces.append(_styled(text[end:], names))
    return unescaped("".join(pieces)).translate(_ZERO_WIDTH)


def named(text: str, names: Names) -> str:
    """The same text with its signs, people and channels by name; what a phone draws from."""
    return _MENTION.sub(lambda match: _angle(match[1], names), text)


def plain_markdown(text: str, names: Names) -> str:
    """The words of a markdown block: a list's signs are kept, a table's cells stand between bars."""
    guarded = _MENTION.sub(lambda match: _angle(match[1], names).replace("_", r"\_").replace("*", r"\*"), text)
    tree = SyntaxTreeNode(_MARKDOWN.parse(guarded))
    return "\n".join(_block(node) for node in tree.children).translate(_ZERO_WIDTH)


def _styled(text: str, names: Names) -> str:
    links: list[str] = []

    def keep(match: re.Match[str]) -> str:
        links.append(_angle(match[1], names))
        return f"\x00{len(links) - 1}\x00"

    text = _ANGLE.sub(keep, _QUOTE.sub("", text))
    for style in _STYLES:
        text = style.sub(r"\1", text)
    return re.sub("\x00(\\d+)\x00", lambda match: links[int(match[1])], text)


def _angles(text: str, names: Names) -> str:
    return _ANGLE.sub(lambda match: _angle(match[1], names), text)


def _angle(inside: str, names: Names) -> str:
    target, _, label = inside.partition("|")
    if target.startswith("@"):
        return f"@{names(target[1:])}"
    if target.startswith("#"):
        return f"#{label or names(target[1:])}"
    if target.startswith("!"):
        return label or f"@{target[1:].partition('^')[0]}"
    return label or target.removeprefix("mailto:")


def _block(node: SyntaxTreeNode) -> str:
    if node.type in ("fence", "code_block"):
        return node.content.removesuffix("\n")
    if node.type in ("bullet_list", "ordered_list"):
        return _list(node)
    if node.type == "table":
        rows = [row for part in node.children for row in part.children]
        return "\n".join(" | ".join(_inline(cell) for cell in row.children) for row in rows)
    if node.type == "hr":
        return "───"
    if node.type == "inline" or not node.children:
        return _inline(node)
    if node.type in ("paragraph", "heading"):
        return _inline(node)
    return "\n".join(_block(child) for child in node.children)


def _list(node: SyntaxTreeNode) -> str:
    first = int(node.attrs.get("start", 1))
    lines: list[str] = []
    for place, item in enumerate(node.children):
        sign = "•" if node.type == "bullet_list" else f"{first + place}."
        inside = "\n".join(_block(child) for child in item.children).split("\n")
        lines += [f"{sign} {inside[0]}", *(f"  {line}" for line in inside[1:])]
    return "\n".join(lines)


def _inline(node: SyntaxTreeNode) -> str:
    if node.type in ("text", "code_inline", "html_inline"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return "\n"
    if node.type == "image":
        return node.content
    return "".join(_inline(child) for child in node.children)
