"""Teams' Markdown for messages of text: bold, italic, strike, code, quotes and links; the rest is told by words.

Lists and headings come out on some of its clients only, tables on none, and a lone line break is a space
(learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages; MicrosoftDocs/msteams-docs#740).
A mention needs an entity beside the text, so that words alone call nobody.
"""

from channels.formatting.clean import utf16
from channels.formatting.commonmark import Markdown, linked_address, protected
from channels.formatting.flow import Look
from channels.formatting.links import WEB, LinkRules
from channels.formatting.slack import ENTITY

NO_BREAK_SPACE = "\u00a0"
"""Indents a line inside a paragraph, where Markdown drops spaces."""


def escaped(text: str) -> str:
    """Words between addresses; Teams reads tags in Markdown."""
    return ENTITY.sub("&amp;", protected(text)).replace("<", "&lt;")


def as_it_is(code: str) -> str:
    """Code calls nobody."""
    return code


TEAMS = Markdown(
    look=Look(bullet="• ", links=LinkRules(WEB | {"mailto"})),
    escaped=escaped,
    address=linked_address,
    harmless=as_it_is,
    count=utf16,
    headings=0,
    marks_lists=False,
    newline="  \n",
    line_end="  \n",
    space=NO_BREAK_SPACE,
)
