"""Whom a text is meant for; Telegram counts places in UTF-16 units."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels.telegram.mentions import Addressed, read_address

BOT_ID = 77


def units(words: str) -> int:
    return len(words.encode("utf-16-le", "surrogatepass")) // 2


def entity(kind: str, before: str, words: str, **more: Any) -> Mapping[str, Any]:
    """An entity over `words` where `before` stands in front of them."""
    return {"type": kind, "offset": units(before), "length": units(words), **more}


def mentions(text: str) -> list[Mapping[str, Any]]:
    """An entity for every `@conch_bot` in the text."""
    pieces = text.split("@conch_bot")
    return [entity("mention", "@conch_bot".join(pieces[: place + 1]), "@conch_bot") for place in range(len(pieces) - 1)]


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("@conch_bot what is up?", "what is up?"),
        ("@conch_bot, what is up?", "what is up?"),
        ("@conch_bot: what is up?", "what is up?"),
        ("what is up @conch_bot", "what is up"),
        ("@conch_bot @conch_bot twice @conch_bot", "twice"),
        ("  @conch_bot  spaces  ", "spaces"),
        ("ask @conch_bot about it", "ask @conch_bot about it"),
        ("is it so, @conch_bot?", "is it so, @conch_bot?"),
        ("@conch_bot :)", ":)"),
        ("@conch_bot", ""),
        ("😀 @conch_bot", "😀"),
        ("@conch_bot 😀 ok", "😀 ok"),
    ],
)
def test_the_bots_name_is_cut_at_the_edges_and_kept_in_the_middle(text: str, without: str) -> None:
    addressed = read_address(text, mentions(text), BOT_ID, "conch_bot")

    assert addressed == Addressed(without, mentioned=True)


def test_the_name_is_found_behind_letters_that_take_two_units() -> None:
    text = "🏳️‍🌈👩‍👩‍👧 hi @conch_bot"

    addressed = read_address(text, mentions(text), BOT_ID, "Conch_Bot")

    assert addressed == Addressed("🏳️‍🌈👩‍👩‍👧 hi", mentioned=True)


def test_a_name_without_an_at_is_recognised_by_the_id() -> None:
    named = entity("text_mention", "", "Conch", user={"id": BOT_ID})

    assert read_address("Conch hello", [named], BOT_ID, None) == Addressed("hello", mentioned=True)


@pytest.mark.report("R103")
def test_somebody_who_only_shares_the_name_is_not_the_bot() -> None:
    named = entity("text_mention", "", "Conch", user={"id": 5})

    assert read_address("Conch hello", [named], BOT_ID, "conch_bot") == Addressed("Conch hello")


def test_words_that_look_like_a_mention_and_are_none_stay() -> None:
    code = entity("code", "", "@conch_bot")

    assert read_address("@conch_bot", [code], BOT_ID, "conch_bot") == Addressed("@conch_bot")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/help@conch_bot", Addressed("/help", mentioned=True)),
        ("/help@CONCH_bot me", Addressed("/help me", mentioned=True)),
        ("/help@other_bot", Addressed("/help@other_bot", to_other_bot=True)),
        ("/help@my_conch_bot", Addressed("/help@my_conch_bot", to_other_bot=True)),
        ("/help", Addressed("/help")),
    ],
)
def test_a_command_says_which_bot_it_is_for(text: str, expected: Addressed) -> None:
    command = entity("bot_command", "", text.split(" ", maxsplit=1)[0])

    assert read_address(text, [command], BOT_ID, "conch_bot") == expected


def test_another_bots_command_in_the_middle_is_only_talked_about() -> None:
    command = entity("bot_command", "try ", "/help@other_bot")

    assert read_address("try /help@other_bot", [command], BOT_ID, "conch_bot") == Addressed("try /help@other_bot")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=st.text(max_size=30),
    spots=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4),
    kind=st.sampled_from(["mention", "bot_command"]),
)
def test_entities_anywhere_break_nothing(text: str, spots: list[tuple[int, int]], kind: str) -> None:
    entities = [{"type": kind, "offset": start, "length": length} for start, length in spots]

    addressed = read_address(text, entities, BOT_ID, "conch_bot")

    assert addressed.text.strip() in text


@pytest.mark.parametrize("place", [{"offset": -1, "length": 3}, {"offset": 0, "length": -3}])
def test_an_entity_before_the_text_is_a_value_error(place: Mapping[str, int]) -> None:
    with pytest.raises(ValueError, match="outside its text"):
        read_address("text", [{"type": "mention", **place}], BOT_ID, "conch_bot")
