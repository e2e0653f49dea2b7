"""Small checks of JSON that are put together to say what a block may hold. Each gives Slack's words with a pointer.

Belongs here: the kinds of checks. What Slack's blocks are made of belongs to `blocks`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from channels.emulators.slack import limits

Check = Callable[[Any, str], Iterator[str]]
"""From a value and the pointer to it to what is wrong with it."""


def wrong(words: str, pointer: str) -> str:
    """As Slack says it."""
    return f"{words} [json-pointer:{pointer}]"


def string(most: int, least: int = 1) -> Check:
    """Text of so many characters."""

    def check(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
        if not isinstance(value, str):
            yield wrong("must be a string", at)
        elif len(value) < least:
            yield wrong(f"must be more than {least - 1} characters", at)
        elif len(value) > most:
            yield wrong(f"must be less than {most + 1} characters", at)

    return check


def flag(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
    """True or false."""
    if not isinstance(value, bool):
        yield wrong("must be a boolean", at)


def number(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
    """A number, or one as text, as number inputs have their bounds."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        yield wrong("must be a number", at)


def anything(_value: Any, _at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
    """What is not looked at."""
    return iter(())


def one_of(*words: str) -> Check:
    """One of these words."""

    def check(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
        if value not in words:
            yield wrong("must be a valid enum value", at)

    return check


def items(of: Check, most: int, least: int = 1) -> Check:
    """A list of so many."""

    def check(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
        if not isinstance(value, list):
            yield wrong("must be an array", at)
            return
        if len(value) < least:
            yield wrong(f"no fewer than {least} items allowed", at)
        if len(value) > most:
            yield wrong(f"no more than {most} items allowed", at)
        for place, item in enumerate(value):
            yield from of(item, f"{at}/{place}")

    return check


def fields(required: Mapping[str, Check], optional: Mapping[str, Check]) -> Check:
    """An object that has these fields and no other, besides `type`."""
    known = {**required, **optional, "type": anything}

    def check(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
        if not isinstance(value, Mapping):
            yield wrong("must be an object", at)
            return
        for name in required:
            if value.get(name) is None:
                yield wrong(f"missing required field: {name}", at)
        for name, item in value.items():
            if name not in known:
                yield wrong(f"invalid additional property: {name}", at)
            elif item is not None:
                yield from known[name](item, f"{at}/{name}")

    return check


def typed(table: Mapping[str, Check]) -> Check:
    """An object whose `type` says what it must be."""

    def check(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
        kind = value.get("type") if isinstance(value, Mapping) else None
        if kind is None:
            yield wrong("missing required field: type", at)
        elif kind not in table:
            yield wrong(f"unsupported type: {kind}", f"{at}/type")
        else:
            yield from table[kind](value, at)

    return check


def text(most: int, *, plain: bool = False, least: int = 1) -> Check:
    """A text object; `plain` where mrkdwn is not understood."""
    plain_text = fields({"text": string(most, least)}, {"emoji": flag})
    if plain:
        return typed({"plain_text": plain_text})
    return typed({"plain_text": plain_text, "mrkdwn": fields({"text": string(most, least)}, {"verbatim": flag})})


def link(value: Any, at: str) -> Iterator[str]:  # noqa: ANN401 JSON is anything
    """An address that Slack opens."""
    yield from string(limits.URL)(value, at)
    if isinstance(value, str) and not value.startswith(("http://", "https://", "mailto:", "slack://")):
        yield wrong("must be a valid URL", at)
