"""Markdown as HTML that is safe to put into a page, whoever wrote it: CommonMark with tables and strikethrough.

What a browser may get is a short list of elements; anything else, and every address that is no web or mail address, is
taken out. A picture becomes a link to it, for a page of ours loads nothing from elsewhere.
"""

from functools import cache
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

TAGS: Final = {
    *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li"),
    *("strong", "em", "s", "code", "pre", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES: Final = {"a": {"href"}, "ol": {"start"}, "pre": {"tabindex"}, "th": {"align"}, "td": {"align"}}
SCHEMES: Final = {"http", "https", "mailto"}

LONGEST: Final = 200_000
"""Characters that are read as Markdown; of more the rest stands there as plain text."""


def render(text: str) -> Markup:
    """The whole text."""
    return Markup("").join(blocks(text))


def blocks(text: str) -> tuple[Markup, ...]:
    """The text block by block (a paragraph, a list, a table …); what comes later changes only the last of them."""
    read, rest = text[:LONGEST], text[LONGEST:]
    tokens = _reader().parse(read)
    made = [_cleaned(_reader().renderer.render(part, _reader().options, {})) for part in _split(tokens)]
    return (*made, Markup("<pre tabindex='0'>{}</pre>").format(rest)) if rest else tuple(made)


def _cleaned(html: str) -> Markup:
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return Markup(clean)  # noqa: S704 - the one place where markup that was made of outside data is trusted


def _split(tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each block at the top."""
    parts: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            parts.append([])
        parts[-1].append(token)
        depth += token.nesting
    return parts


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "linkify": True})
    reader.enable(["table", "strikethrough", "linkify"])
    if reader.linkify is not None:  # `example.com` may be the name of a file, so only whole addresses become links
        reader.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
    reader.add_render_rule("image", _picture)
    reader.add_render_rule("fence", _code)
    reader.add_render_rule("code_block", _code)
    reader.add_render_rule("th_open", _cell)
    reader.add_render_rule("td_open", _cell)
    return reader


def _picture(self: object, tokens: list[Token], at: int, options: object, env: object) -> str:
    token = tokens[at]
    words = token.content or "picture"
    return str(Markup('<a href="{}">{}</a>').format(str(token.attrs.get("src", "")), words))


def _code(self: object, tokens: list[Token], at: int, options: object, env: object) -> str:
    return str(Markup('<pre tabindex="0"><code>{}</code></pre>\n').format(tokens[at].content))


def _cell(self: object, tokens: list[Token], at: int, options: object, env: object) -> str:
    """Styles are for no page of ours; how a column stands is said by an attribute."""
    token = tokens[at]
    style = str(token.attrs.get("style", ""))
    side = style.partition("text-align:")[2]
    return f'<{token.tag} align="{side}">' if side in ("left", "right", "center") else f"<{token.tag}>"
