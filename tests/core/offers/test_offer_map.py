"""The map of what can be turned on: its budget, its order, what is left out and what never is."""

from dataclasses import dataclass, replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.offers.catalog import DEMO_CALENDAR, CatalogApp, Connects, catalog
from core.offers.map import MAX_MAP, MAX_SENTENCE, Candidate, candidates, first_sentence, not_connected, offer_map


@dataclass(frozen=True)
class Skill:
    id: str
    title: str
    description: str = "Does something useful. And more."
    mode: Literal["off", "when-asked", "automatic"] = "off"


def app(name: str, *, featured: bool = False, retired: bool = False, ready: bool = True) -> CatalogApp:
    return CatalogApp(
        name.lower(), name, f"Do {name} things", "#000000", Connects.SIGN_IN, (), featured, retired, ready
    )


ALL_READY = tuple(replace(one, can_be_connected=True) for one in catalog(demo=True))
MANY = tuple(app(f"App{number:03}") for number in range(100))


def targets(known: tuple[Candidate, ...]) -> list[str]:
    return [one.target for one in known]


def shown(section: str) -> list[str]:
    return [line.split("`")[1] for line in section.splitlines() if line.startswith("- ")]


def test_it_goes_featured_apps_then_skills_then_other_apps_each_by_name() -> None:
    apps = (app("Zeta"), app("beta", featured=True), app("Alpha"), app("Gamma", featured=True))
    skills = (Skill("t", "Trips"), Skill("n", "notes"))

    known = candidates(apps, skills)

    assert targets(known) == ["beta", "gamma", "n", "t", "alpha", "zeta"]


def test_what_is_connected_retired_reached_or_not_built_is_left_out() -> None:
    apps = (app("A"), app("B"), app("C"), app("D", retired=True), app("E", ready=False))

    known = candidates(apps, (), connected={"a"}, reached={"b"})

    assert targets(known) == ["c"]


def test_a_skill_that_is_used_by_itself_is_left_out() -> None:
    skills = (Skill("a", "A", mode="automatic"), Skill("b", "B", mode="when-asked"), Skill("c", "C"))

    known = candidates((), skills)

    assert targets(known) == ["b", "c"]


def test_a_line_says_what_it_is() -> None:
    skills = (Skill("trips", "Trip planner", "Plans trips with v2.0 maps. Long.", mode="when-asked"),)

    section = offer_map(candidates((app("Zeta"),), skills))

    assert "- app `zeta`: Zeta. Do Zeta things.\n" in section
    assert "- skill `trips`: Trip planner (when asked). Plans trips with v2.0 maps.\n" in section


def test_its_rules_stand_at_its_end() -> None:
    section = offer_map(candidates((app("Zeta"),), ()))

    assert section.splitlines()[-1].startswith("Offer only what would clearly do what was asked")


def test_what_is_muted_is_left_out_an_app_by_its_id_and_a_skill_by_its_own() -> None:
    known = candidates((app("a"), app("b")), (Skill("a", "Skill A"), Skill("b", "Skill B")))

    section = offer_map(known, muted=("a", "skill:b"))

    assert shown(section) == ["a", "b"]
    assert "- skill `a`" in section
    assert "- app `b`" in section


def test_the_whole_catalog_and_some_skills_fit() -> None:
    skills = [Skill(f"skill-{number}", f"Skill {number}", "x" * 400) for number in range(30)]

    section = offer_map(candidates(ALL_READY, skills))

    assert len(section) <= MAX_MAP
    assert len(offer_map(candidates(ALL_READY, ()))) <= MAX_MAP
    assert shown(offer_map(candidates(ALL_READY, ()))) == targets(candidates(ALL_READY, ()))


def test_what_does_not_fit_is_dropped_from_the_end_and_counted() -> None:
    known = candidates(MANY, ())

    section = offer_map(known)

    count = len(shown(section))
    assert shown(section) == targets(known)[:count]
    assert f"\n({len(known) - count} more)\n" in section


def test_an_app_that_is_named_is_never_cut() -> None:
    known = candidates(MANY, ())

    section = offer_map(known, named={"app099"})

    assert shown(section)[0] == "app099"
    assert len(section) <= MAX_MAP


def test_an_app_that_is_named_stays_in_its_place_where_it_is_not_cut() -> None:
    known = candidates(MANY, ())

    assert offer_map(known, named={"app003"}) == offer_map(known)


@pytest.mark.parametrize("limit", [0, 100, 300])
def test_where_nothing_fits_there_is_no_section(limit: int) -> None:
    assert offer_map(candidates(MANY, ()), limit=limit) == ""


def test_where_nothing_can_be_turned_on_there_is_no_section() -> None:
    assert offer_map(()) == ""


def test_the_catalog_of_today_tells_of_nothing_that_cannot_be_connected() -> None:
    assert shown(offer_map(candidates(catalog(demo=True), ()))) == [DEMO_CALENDAR.id]
    assert offer_map(candidates(catalog(demo=False), ())) == ""


@given(
    st.lists(st.integers(0, 99), max_size=12, unique=True),
    st.sets(st.integers(0, 99), max_size=4),
    st.integers(700, 3_000),
)
def test_the_budget_holds_and_named_apps_stay(muted: list[int], wanted: set[int], limit: int) -> None:
    known, mutes = candidates(MANY, ()), {f"app{number:03}" for number in muted}
    names = {f"app{number:03}" for number in wanted} - mutes

    section = offer_map(known, muted=mutes, named=names, limit=limit)

    assert len(section) <= limit
    assert names <= set(shown(section))
    assert not mutes & set(shown(section))


@pytest.mark.parametrize(
    ("description", "first"),
    [
        ("Needs Python 3.11 or newer. Then more.", "Needs Python 3.11 or newer."),
        ("One!\nTwo.", "One!"),
        ("Tools, e.g. a hammer. More.", "Tools, e.g. a hammer."),
        ("No end", "No end"),
        ("", ""),
    ],
)
def test_the_first_sentence_of_a_description(description: str, first: str) -> None:
    assert first_sentence(description) == first


@given(st.text(max_size=400))
def test_a_first_sentence_is_one_short_line(description: str) -> None:
    sentence = first_sentence(description)

    assert len(sentence) <= MAX_SENTENCE
    assert len(sentence.splitlines()) <= 1


def test_what_is_not_connected_yet_is_named_and_not_pretended() -> None:
    section = not_connected((app("Gmail"), app("Slack")))

    assert section.startswith("Not connected yet: Gmail, Slack. ")
    assert "Never pretend" in section
    assert not_connected(()) == ""
