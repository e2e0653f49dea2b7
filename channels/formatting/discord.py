"""Discord's Markdown (support.discord.com, "Markdown Text 101"), in which nothing calls anyone.

The adapter forbids mentions once more with each message (`allowed_mentions`); this is the wall in front of it.
"""

import re

from channels.formatting.commonmark import ZERO_WIDTH_SPACE, Markdown, protected
from channels.formatting.flow import Look
from channels.formatting.links import WEB, LinkRules

# @everyone, @here, <@1>, <@!1>, <@&1>, <#1>: a zero-width space after the sign, as discord.py's
# `escape_mentions` does; `react@18` is left alone.
CALLS = re.compile(r"@(?=everyone|here)|(?<=<)@(?=[!&]?\d)|(?<=<)#(?=\d)", re.IGNORECASE)
# Custom emoji, times, commands, channels by name, addresses without preview.
ANGLE = re.compile(r"<(?=[@#:/a-z])", re.IGNORECASE)


def calling_nobody(text: str) -> str:
    """The text without a working mention."""
    return CALLS.sub(rf"\g<0>{ZERO_WIDTH_SPACE}", text) if "@" in text or "#" in text else text


def escaped(text: str) -> str:
    """Words between addresses."""
    return ANGLE.sub(r"\\<", calling_nobody(protected(text)))


DISCORD = Markdown(
    look=Look(links=LinkRules(WEB, masks_addresses=False)),
    escaped=escaped,
    address=calling_nobody,  # Discord reads an address before any emphasis inside it
    harmless=calling_nobody,
    count=len,
    headings=3,
    fences_grow=False,
)
