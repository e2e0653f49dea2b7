"""Which apps a person means, by their own words. Pure.

A cue that is missed costs little, as the assistant can still offer; one that is wrong is in the way. So when in doubt
there is none: nothing counts that stands in code, in a quote, an address or a file's name, nothing in a clause that
says no, and nothing that is talk about the app rather than a wish to use it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from core.offers.catalog import CatalogApp

MAX_READ: Final = 4_000
"""Characters of a message in which a cue is looked for."""
MAX_NAMED: Final = 20_000
"""Characters of a message in which a name is."""
MAX_CLAUSE: Final = 500
"""Characters; what goes on for longer without a stop is no request, and would be slow to look at."""

_GAP = "\N{REPLACEMENT CHARACTER}"
"""Stands for the app, where its surroundings are looked at."""

_NOT_WORDS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"```[\s\S]*?(?:```|\Z)",
        r"`[^`\n]*`",
        r"^[ \t]*>.*$",
        r"(?<![a-zA-Z0-9+.-])[a-zA-Z][a-zA-Z0-9+.-]*://\S+|\bwww\.\S+",
        r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*",
        r"(?<!\S)\S*[/\\]\S*",
        r"(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.[a-zA-Z][a-zA-Z0-9]{0,7}\b",
        r"\b\w+_\w+\b",
    )
)
"""Each begins where nothing of its kind stands before it, so that a long run of it is looked at once.

Code, quoted lines, web addresses, mail addresses, paths, file names, names in code."""

_CLAUSE_ENDS: Final = re.compile(r"[.!?;:\n]+|,|\bbut\b|\bthough\b", re.IGNORECASE)

_FRIENDLY: Final = re.compile(
    r"\bwhy (?:don't|not|can't)|\b(?:can't|couldn't|won't|don't) you\b|\bdon't forget\b|\bnot (?:only|just)\b"
    r"|\bnot sure\b|\bno (?:problem|idea|rush|worries)\b|\b(?:can't|cannot|couldn't|don't) (?:find|see|remember)"
    r"|\bdon't know\b|\bdo not know\b",
    re.IGNORECASE,
)
"""No's that ask for something all the same."""

_NO: Final = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|dont|doesnt|isnt|cannot|instead of|rather than|except|ignore|avoid|"
    r"quit|hate|disconnect|stopped using|stop using|got rid of|no longer|"
    r"(?:do|does|did|is|are|was|were|wo|would|should|could|ca|have|has|had)n't)\b",
    re.IGNORECASE,
)

_ABOUT: Final = re.compile(
    rf"\bwhat(?:'s| is| are| does)(?: an?| the)? {_GAP}(?! (?:say|look|show|have)\b)"
    rf"|\bwho (?:made|makes|owns|founded|runs|built|invented|is behind)\b"
    rf"|\bhow (?:does|do|did|safe|good|much)\b.*{_GAP}.*\b(?:work|cost|make|compare)s?\b"
    rf"|\b(?:tell me|read|write|essay|article|post|talk|joke|poem|question|hear|heard|think|thinks|news)s?"
    rf" (?:\w+ )?about (?:the )?{_GAP}"
    rf"|\b(?:think|opinion|opinions|review|reviews|history|pricing|price|cost|alternatives?|competitors?|founders?"
    rf"|features|explain|like|unlike|better than|worse than|versus|vs|compare[ds]?|comparing|switch(?:ed|ing)? from"
    rf"|migrat(?:e|ed|ing) from|build(?:ing)?|clone) (?:(?:of|to|for|with|the|an?|like) )*{_GAP}"
    rf"|{_GAP}(?:'s)? (?:versus|vs|or|api|apis|sdk|clone|docs|documentation|pricing|price|logo|stock|shares|company|ceo"
    rf"|founder|alternative|alternatives|competitor|is (?:an?|the|better|worse|down|owned|great|good|bad|slow|free)"
    rf"|was|works|costs|better|worse|integration for|plugin)\b",
    re.IGNORECASE,
)
"""Talk about an app; the app stands there as the gap sign."""


def meant(words: str, apps: Sequence[CatalogApp]) -> tuple[CatalogApp, ...]:
    """The apps that a person wants something of, in the order in which the words come to them.

    Of apps that the same words mean, featured ones come first, then by name.
    """
    found: dict[str, tuple[int, bool, str]] = {}
    known = {app.id: app for app in apps}
    for number, clause in enumerate(_clauses(words)):
        for app in apps:
            place = _place(clause, app)
            if place is not None:
                found.setdefault(app.id, (number * MAX_READ + place, not app.featured, app.name.casefold()))
    return tuple(known[app_id] for app_id in sorted(found, key=found.__getitem__))


def named(words: str, apps: Sequence[CatalogApp]) -> frozenset[str]:
    """The ids of the apps that a message names, by name or id, as a whole word or phrase and however it is meant."""
    text = _straight(words[:MAX_NAMED])
    return frozenset(app.id for app in apps if any(_whole(each).search(text) for each in (app.name, app.id)))


def _clauses(words: str) -> Iterator[str]:
    text = _straight(words[:MAX_READ])
    for pattern in _NOT_WORDS:
        text = pattern.sub(" | ", text)  # so that the words around it do not meet
    for clause in _CLAUSE_ENDS.split(text):
        if len(clause) <= MAX_CLAUSE and not _NO.search(_FRIENDLY.sub(" ", clause)):
            yield clause.strip()


def _place(clause: str, app: CatalogApp) -> int | None:
    """Where a clause asks something of an app."""
    small = clause.lower()
    for cue in (app.name, *app.cues):
        if cue.lower().partition(" ")[0] not in small:
            continue  # most often; a pattern takes forty times as long
        for hit in _whole(cue).finditer(clause):
            only_a_word = app.everyday_word and cue == app.name and (hit[0] != app.name or hit.start() == 0)
            around = f"{clause[: hit.start()]}{_GAP}{clause[hit.end() :]}"
            if not only_a_word and not _ABOUT.search(around):
                return hit.start()
    return None


def _straight(words: str) -> str:
    return words.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace(_GAP, " ")


@lru_cache(maxsize=512)
def _whole(phrase: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, phrase.split()))
    return re.compile(rf"(?<![\w-]){words}(?![\w-])", re.IGNORECASE)
