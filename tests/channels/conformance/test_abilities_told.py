"""Which abilities an adapter has, as the kit tells them."""

import inspect

import pytest

from channels import abilities, reach
from channels.conformance.abilities import ABILITIES, abilities_of, report, without
from tests.channels.conformance.rigs import RIGS

OF_KINDS = (reach.Probes, reach.Endpoints, reach.Invites)
"""What concerns connecting a bot, not its channel."""


def test_every_ability_of_the_contract_is_told() -> None:
    declared = {
        thing
        for module in (abilities, reach)
        for thing in vars(module).values()
        if inspect.isclass(thing)
        and getattr(thing, "_is_runtime_protocol", False)
        and thing.__module__ == module.__name__
    }

    assert declared - set(OF_KINDS) == set(ABILITIES)


@pytest.mark.parametrize("ability", [*ABILITIES, *OF_KINDS], ids=lambda ability: ability.__name__)
def test_an_ability_says_what_happens_without_it(ability: type) -> None:
    assert without(ability)


def test_what_is_no_ability_is_refused() -> None:
    with pytest.raises(ValueError, match="does not say what happens without it"):
        without(reach.Pushed)


async def test_a_report_says_yes_or_what_is_done_instead() -> None:
    async with RIGS["memory with streams"]() as rig:
        lines = report(rig.channel).splitlines()

    assert lines[0] == "the terminal can:"
    assert "- Streams: yes" in lines
    assert "- Forms: no; instead: one field after another" in lines
    assert len(lines) == 1 + len(ABILITIES)


async def test_an_app_that_shows_no_buttons_has_no_presses() -> None:
    async with RIGS["memory without buttons"]() as rig:
        has = {ability.name: ability.there for ability in abilities_of(rig.channel)}

    assert not has["Presses"]
    assert has["Edits"]
