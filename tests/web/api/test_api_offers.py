"""Offers through the API: taken exactly once, dismissed, muted."""

import asyncio
from typing import Any

import pytest

from conch.app import App
from core.cards import Offer, OfferKind
from core.events import OfferShown
from core.store.log import Append
from tests.web.api.conftest import Program, quiet

SKILL = Offer(
    offer_id="o1",
    kind=OfferKind.SKILL,
    target="trip-planner",
    name="Trip planner",
    description="Plans a trip",
    why="To plan it",
    by="assistant",
    skill_mode="off",
    request="Plan my trip",
)
APP = SKILL.model_copy(update={"kind": OfferKind.APP, "target": "photos", "name": "Snapbox", "skill_mode": None})


async def offered(program: Program, built: App, offer: Offer = SKILL) -> str:
    chat = await program.begin("Plan my trip")
    await quiet(built)
    await built.database.commit(Append(chat, (OfferShown(offer=offer),)))
    return chat


async def of_type(program: Program, chat: str, name: str) -> list[Any]:
    return [event["data"] for event in await program.events(chat) if event["type"] == name]


async def test_an_open_offer_is_in_the_overview(program: Program, built: App) -> None:
    chat = await offered(program, built)

    [offer] = (await program.get(f"/conversations/{chat}")).json["offers"]

    assert (offer["offer_id"], offer["kind"], offer["name"]) == ("o1", "skill", "Trip planner")


async def test_a_skill_is_turned_on_and_the_answer_carries_on_once_however_many_take_it(
    program: Program, built: App
) -> None:
    chat = await offered(program, built)
    door = f"/conversations/{chat}/offers/o1/accept"

    answers = await asyncio.gather(*(program.post(door, {"skill": "on"}) for _ in range(20)))
    await quiet(built)
    late = await program.post(door, {"skill": "on"})
    turns = await of_type(program, chat, "turn.started")

    outcomes = sorted(answer.json["outcome"] for answer in answers)
    assert outcomes == ["done"] * 19 + ["started"]
    assert late.json == {"outcome": "done"}
    assert built.preferences.current.skills_automatic == ("trip-planner",)
    assert [turn["trigger"] for turn in turns] == ["message", "carry-on"]


async def test_what_is_not_there_yet_can_still_be_taken(program: Program, built: App) -> None:
    chat = await offered(program, built, APP)

    answer = await program.post(f"/conversations/{chat}/offers/o1/accept", {})
    [still] = (await program.get(f"/conversations/{chat}")).json["offers"]

    assert (answer.status, answer.json["code"], answer.json["outcome"]) == (409, "not-ready", "not-ready")
    assert still["offer_id"] == "o1"


async def test_an_offer_is_dismissed_and_with_it_what_it_offers_for_good(program: Program, built: App) -> None:
    chat = await offered(program, built)

    first = await program.post(f"/conversations/{chat}/offers/o1/dismiss", {"mute": True})
    again = await program.post(f"/conversations/{chat}/offers/o1/dismiss", {})
    taken = await program.post(f"/conversations/{chat}/offers/o1/accept", {"skill": "once"})

    assert first.json == again.json == {"outcome": "dismissed"}
    assert (taken.status, taken.json["code"]) == (409, "offer-gone")
    assert built.preferences.current.muted_suggestions == ("skill:trip-planner",)
    assert [each["by"] for each in await of_type(program, chat, "offer.resolved")] == ["The API (laptop)"]


async def test_an_offer_is_over_when_something_newer_was_said(program: Program, built: App) -> None:
    chat = await offered(program, built)
    await program.post(f"/conversations/{chat}/messages", {"text": "Never mind"})
    await quiet(built)

    taken = await program.post(f"/conversations/{chat}/offers/o1/accept", {"skill": "on"})
    dismissed = await program.post(f"/conversations/{chat}/offers/o1/dismiss", {})

    assert (taken.status, taken.json["code"]) == (409, "offer-gone")
    assert (dismissed.status, dismissed.json["code"]) == (409, "offer-gone")
    assert built.preferences.current.skills_automatic == ()


@pytest.mark.parametrize(("route", "body"), [("accept", {"skill": "on"}), ("dismiss", {})])
async def test_an_offer_that_never_was_is_not_there(program: Program, built: App, route: str, body: object) -> None:
    chat = await offered(program, built)

    answer = await program.post(f"/conversations/{chat}/offers/never/{route}", body)

    assert (answer.status, answer.json["code"]) == (404, "not-found")
