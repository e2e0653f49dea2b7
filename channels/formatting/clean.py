"""Text that any app takes: what an app refuses or drops in silence is taken out before anything is measured."""

import re
import unicodedata

BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
SPACES = re.compile("[\x0b\x0c\x1c-\x1f]")
# The rest of the control characters; what turns the direction of the text after it (Telegram drops it as well);
# byte order marks and noncharacters.
REFUSED = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
SURROGATES = re.compile("[\ud800-\udfff]")
NOTHING_SEEN = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Characters that draw nothing although their category is that of a letter, a mark or a symbol."""


def clean(text: str) -> str:
    """The same words without NUL, other control characters, lone surrogates and turned directions; breaks as `\\n`."""
    if text.isascii() and text.isprintable():
        return text
    if SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return REFUSED.sub("", SPACES.sub(" ", BREAKS.sub("\n", text)))


def shows(text: str) -> bool:
    """Whether a reader would see anything. An app refuses a message of spaces and zero-width characters as empty."""
    return any(unicodedata.category(c) not in {"Cc", "Cf", "Zs", "Zl", "Zp"} for c in text if not hidden(c))


def hidden(character: str) -> bool:
    """Draws nothing of its own: fillers and variation selectors."""
    return character in NOTHING_SEEN or "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def utf16(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
