import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.command import Place
from commands.registry import find, listed_at
from commands.resolution import OtherNames
from commands.similar import edit_distance, similar_commands

WORDS = st.text(st.sampled_from("abcd"), max_size=6)


def similar(typed: str, place: Place = Place.OWNER_CHAT, others: OtherNames | None = None) -> tuple[str, ...]:
    return similar_commands(typed, place, others or OtherNames(), pending=())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("modle", ("model", "mode")),
        ("efort", ("effort",)),
        ("claer", ("clear",)),
        ("hepl", ("help",)),
        ("comp", ("compact",)),
        ("rset", ("clear",)),
        ("xyzzy", ()),
    ],
)
def test_the_known_answers(typed: str, meant: tuple[str, ...]) -> None:
    assert similar(typed) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("MODLE", ("model", "mode")),
        ("stpo", ("stop",)),
        ("ne", ("new",)),
        ("n", ()),
        ("hxlx", ()),
        ("modxxl", ("model",)),
        ("xxdel", ("model",)),
        ("xxxel", ()),
        ("sto", ("stop",)),
        ("", ()),
    ],
)
def test_a_short_name_allows_one_slip_and_a_longer_one_two(typed: str, meant: tuple[str, ...]) -> None:
    assert similar(typed) == meant


def test_a_prefix_comes_before_a_slip() -> None:
    assert similar("re", others=OtherNames(own=("rex", "r2"))) == ("rex", "clear")
    assert similar("go", others=OtherNames(own=("do",))) == ("goal", "do")


@pytest.mark.parametrize(("typed", "meant"), [("x", ()), ("!", ()), ("??", ("help",))])
def test_a_name_of_one_sign_is_not_meant_by_every_other_sign(typed: str, meant: tuple[str, ...]) -> None:
    assert similar(typed) == meant


def test_equal_scores_go_by_length_and_then_by_alphabet() -> None:
    others = OtherNames(own=("zebra2", "zebra1", "zebr"))

    assert similar("zebra", others=others) == ("zebra1", "zebra2")
    assert similar("zabra", others=OtherNames(own=("zebras", "zebra", "xabra"))) == ("xabra", "zebra")


def test_own_commands_and_skills_are_suggested_and_those_of_the_engine_are_not() -> None:
    others = OtherNames(own=("daily",), skills=("dairy",), engine=("daisy",))

    assert similar("daizy", others=others) == ("daily", "dairy")


def test_a_name_of_their_own_that_would_run_something_else_is_not_suggested() -> None:
    people = similar("modle", Place.PERSON_CHAT, OtherNames(own=("model",)))

    assert people == ()


def test_what_is_of_their_own_under_another_name_of_ours_is_suggested_instead_of_ours() -> None:
    others = OtherNames(skills=("connect",))

    suggested = similar("conect", Place.CONSOLE, others)

    assert suggested[0] == "connect"
    assert "apps" not in suggested


def test_hidden_commands_are_never_suggested() -> None:
    assert similar("cancle") == ()
    assert similar("strat", Place.GROUP) == ()


def test_a_pending_command_is_not_suggested() -> None:
    suggested = similar_commands("modle", Place.OWNER_CHAT, pending=("model",))

    assert suggested == ("mode",)


def test_nobody_is_pointed_to_what_they_may_not_run() -> None:
    assert similar("modle", Place.PERSON_CHAT) == ()
    assert similar("claer", Place.GROUP) == ()
    assert similar("exprot", Place.OWNER_CHAT) == ()
    assert similar("exprot", Place.CONSOLE) == ("export",)


@given(st.text(), st.sampled_from(Place), st.lists(st.text(max_size=5), max_size=3))
def test_any_text_gets_at_most_two_suggestions_that_can_be_run(typed: str, place: Place, own: list[str]) -> None:
    suggested = similar(typed, place, OtherNames(own=tuple(own)))

    assert len(suggested) <= 2
    assert len(set(suggested)) == len(suggested)
    assert set(suggested) <= {command.name for command in listed_at(place, pending=())} | set(own)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("", "", 0), ("ab", "ab", 0), ("ab", "ba", 1), ("", "abc", 3), ("ca", "abc", 3), ("kitten", "sitting", 3)],
)
def test_the_distance_counts_inserts_deletes_replacements_and_swaps(one: str, other: str, distance: int) -> None:
    assert edit_distance(one, other) == distance


@given(WORDS, WORDS)
def test_the_distance_is_the_same_both_ways_and_nothing_only_to_itself(one: str, other: str) -> None:
    distance = edit_distance(one, other)

    assert distance == edit_distance(other, one)
    assert (distance == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))


@given(st.sampled_from([command.name for command in listed_at(Place.OWNER_CHAT, pending=())]), st.data())
def test_one_letter_left_out_of_a_long_name_still_finds_it(name: str, data: st.DataObject) -> None:
    gap = data.draw(st.integers(0, len(name) - 1))
    typed = name[:gap] + name[gap + 1 :]

    assert name in similar(typed) or find(typed) is not None or len(typed) < 2
