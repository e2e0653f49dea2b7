"""The apps that are known, as data that lists, cards and the map can rely on."""

import re

from core.offers.catalog import CATALOG, DEMO_CALENDAR, catalog
from core.offers.map import can_be_offered

EVERY = catalog(demo=True)


def test_an_app_is_known_once() -> None:
    ids = [app.id for app in EVERY]

    assert len(set(ids)) == len(ids)


def test_every_app_is_short_enough_for_a_line_and_a_card() -> None:
    assert all(0 < len(app.name) <= 40 and 0 < len(app.tagline) <= 60 for app in EVERY)


def test_an_id_is_a_plain_word() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", app.id) for app in EVERY)


def test_a_colour_is_six_digits() -> None:
    assert all(re.fullmatch(r"#[0-9a-f]{6}", app.colour) for app in EVERY)


def test_cues_are_in_small_letters() -> None:
    assert all(cue == cue.lower() for app in EVERY for cue in app.cues)


def test_the_demo_s_calendar_is_shown_only_where_somebody_tries_conch_out() -> None:
    real = catalog(demo=False)

    assert DEMO_CALENDAR not in real
    assert DEMO_CALENDAR in EVERY


def test_an_app_whose_connecting_is_not_built_is_known_and_not_offered() -> None:
    offered = [app for app in EVERY if can_be_offered(app)]

    assert offered == [DEMO_CALENDAR]
    assert len(CATALOG) == 11
