"""From Slack's own way of writing to the words as people read them, with the mention of the bot cut out.

Pure. Source: docs.slack.dev/messaging/formatting-message-text (what `<…>` and the three entities mean).
"""

import html
import re
from collections.abc import Mapping

_SPECIAL = re.compile(r"<([^<>]*)>")


def mentions(text: str, user_id: str) -> bool:
    """Whether a person of this id is named in it."""
    return re.search(rf"<@{re.escape(user_id)}(\|[^>]*)?>", text) is not None


def plain_words(text: str, own_id: str, names: Mapping[str, str]) -> str:
    """The words: people by name where it is known, addresses as they are, entities read."""
    own = re.compile(rf"[ \t]*<@{re.escape(own_id)}(?:\|[^>]*)?>[:,]?")
    cut = own.sub("", text) if mentions(text, own_id) else text
    words = _SPECIAL.sub(lambda found: _meant(found.group(1), names), cut)
    return html.unescape(words).strip()


def _meant(inner: str, names: Mapping[str, str]) -> str:
    target, bar, label = inner.partition("|")
    if target.startswith("@"):
        return f"@{names.get(target[1:]) or label or target[1:]}"
    if target.startswith("#"):
        return f"#{label or target[1:]}"
    if target.startswith("!"):
        return _called(target[1:], label)
    if bar and label and label not in (target, target.removeprefix("mailto:"), target.removeprefix("http://")):
        return f"{label} ({target})"
    return target.removeprefix("mailto:") if not bar else label if target.startswith("mailto:") else target


def _called(target: str, label: str) -> str:
    """Everybody, a group of people, a date."""
    name = target.partition("^")[0]
    return label or (f"@{name}" if name in ("channel", "here", "everyone") else target)
