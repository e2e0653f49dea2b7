"""How a conversation is answered, chosen through the API; engines, models, settings, usage."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conch.app import App
from conch.settings import ProgramSettings
from core.settings import Settings
from tests.web.api.conftest import Program, quiet

DEFAULTS = {"engine": None, "model": None, "effort": None, "fast": None, "mode": None}


@pytest.fixture
async def chat(program: Program, built: App) -> str:
    begun = await program.begin()
    await quiet(built)
    return begun


async def test_only_what_is_given_is_changed_and_null_goes_back(program: Program, chat: str) -> None:
    door = f"/conversations/{chat}/options"

    both = await program.patch(door, {"model": "small-one", "mode": "edit"})
    one = await program.patch(door, {"fast": True})
    back = await program.patch(door, {"model": None})
    none = await program.patch(door, {})

    assert both.json == {**DEFAULTS, "model": "small-one", "mode": "edit"}
    assert one.json == {**both.json, "fast": True}
    assert back.json == none.json == {**DEFAULTS, "mode": "edit", "fast": True}


async def test_another_engine_goes_without_the_model_of_the_earlier_one(program: Program, chat: str) -> None:
    await program.patch(f"/conversations/{chat}/options", {"model": "small-one"})

    answer = await program.patch(f"/conversations/{chat}/options", {"engine": "spare"})

    assert answer.json == {**DEFAULTS, "engine": "spare"}


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({"engine": "nobody"}, "There is no engine “nobody”. There is: scripted, spare."),
        ({"model": "bigone"}, "Scripted has no model “bigone”. It has: big-one, small-one."),
        ({"engine": "spare", "model": "big-one"}, "Spare has no models to choose from."),
        ({"mode": "reckless"}, "“mode” is malformed."),
        ({"volume": 11}, "There is a field that does not belong here."),
    ],
)
async def test_what_cannot_be_chosen_is_told_with_what_can(
    program: Program, chat: str, given: object, detail: str
) -> None:
    answer = await program.patch(f"/conversations/{chat}/options", given)

    assert (answer.status, answer.json["detail"]) == (422, detail)
    assert (await program.get(f"/conversations/{chat}")).json["options"] == DEFAULTS


async def test_a_goal_is_set_and_taken_away(program: Program, chat: str) -> None:
    door = f"/conversations/{chat}/goal"

    answers = [await program.post(door, {"goal": goal}) for goal in (" Swim ", "Swim", None)]
    blank, long = await program.post(door, {"goal": "  "}), await program.post(door, {"goal": "x" * 501})
    goals = [event["data"]["goal"] for event in await program.events(chat) if event["type"] == "goal"]

    assert [answer.json for answer in answers] == [{"goal": "Swim"}, {"goal": "Swim"}, {"goal": None}]
    assert (blank.status, long.status) == (422, 422)
    assert long.json["detail"] == "A goal has 1 to 500 characters; this one has 501."
    assert goals == ["Swim", None]


async def test_plan_mode_goes_on_and_back_to_the_mode_before(program: Program, chat: str) -> None:
    await program.patch(f"/conversations/{chat}/options", {"mode": "edit"})
    door = f"/conversations/{chat}/plan"

    answers = [await program.post(door, {"on": on}) for on in (True, True, None, False, None)]

    assert [answer.json for answer in answers] == [
        {"on": True, "mode": "plan"},
        {"on": True, "mode": "plan"},
        {"on": False, "mode": "edit"},
        {"on": False, "mode": "edit"},
        {"on": True, "mode": "plan"},
    ]


async def test_an_engine_that_cannot_be_kept_to_planning_says_so(
    program: Program, chat: str, built: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    [scripted, _] = built.engines.all()
    monkeypatch.setattr(scripted, "_capabilities", replace(scripted.capabilities, plan_approval="none"))

    plan = await program.post(f"/conversations/{chat}/plan", {"on": True})
    mode = await program.patch(f"/conversations/{chat}/options", {"mode": "plan"})
    begun = await program.post("/conversations", {"text": "Hello", "plan": True})

    for answer in (plan, mode, begun):
        assert (answer.status, answer.json["code"]) == (409, "refused")
        assert answer.json["detail"] == "Scripted has no plan mode."


# ---- engines and models ----------------------------------------------------------------------------------------------


async def test_engines_are_told_with_what_they_are(program: Program) -> None:
    engines = (await program.get("/engines")).json["engines"]

    assert [(each["id"], each["is_default"], each["state"]) for each in engines] == [
        ("scripted", True, "ready"),
        ("spare", False, "ready"),
    ]


async def test_models_are_told_by_engine(program: Program) -> None:
    every, one = (await program.get("/models")).json, (await program.get("/models?engine=scripted")).json
    none = await program.get("/models?engine=nobody")

    assert [each["engine"] for each in every] == ["scripted", "spare"]
    assert [model["id"] for model in one[0]["models"]] == ["big-one", "small-one"]
    assert (none.status, none.json["code"]) == (404, "not-found")


async def test_what_was_used_is_told_by_day(program: Program) -> None:
    usage = (await program.get("/usage?days=7")).json

    assert usage["used"] == []
    assert usage["budget"]["day_cost"] is None
    for query in ("days=0", "days=x", "days=99999"):
        assert (await program.get(f"/usage?{query}")).status == 422


# ---- settings --------------------------------------------------------------------------------------------------------


async def settings(program: Program) -> dict[str, object]:
    return {each["name"]: each["value"] for each in (await program.get("/settings")).json["settings"]}


async def test_settings_are_told_with_their_values_and_where_they_come_from(program: Program) -> None:
    told = {each["name"]: each for each in (await program.get("/settings")).json["settings"]}

    assert set(told) == set(Settings.model_fields)
    assert told["gather_ms"]["value"] == 700
    assert told["commands_for_people"]["value"] == []
    assert (told["assistant_name"]["value"], told["assistant_name"]["fixed"]) == ("Shelly", True)
    assert (told["voice"]["fixed"], told["voice"]["source"]) == (False, "default")


async def test_settings_count_at_once_all_or_none(program: Program, built: App) -> None:
    good = await program.patch("/settings", {"voice": "kind", "gather_ms": 100, "commands_for_people": ["weather"]})
    bad = await program.patch("/settings", {"voice": "rude", "gather_ms": 9_000})
    current = built.preferences.current

    assert good.status == 200
    assert (current.voice, current.gather_ms, current.commands_for_people) == ("kind", 100, ("weather",))
    assert (bad.status, bad.json["code"]) == (422, "invalid")
    assert "gather_ms" in bad.json["detail"]
    assert (await program.patch("/settings", {"voice": None})).status == 200
    assert built.preferences.current.voice == ""


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"assistant_name": "Other"}, "change it there"),
        ({"unheard_of": 1}, "There is no setting “unheard_of”."),
        ({"secret_key": "x" * 40}, "There is no setting “secret_key”."),
        ({"default_engine": "nobody"}, "There is: scripted, spare."),
        ({"public_url": "http://evil.example"}, "change it there"),
    ],
)
async def test_a_setting_that_cannot_be_changed_here_says_why(program: Program, changes: object, part: str) -> None:
    answer = await program.patch("/settings", changes)

    assert answer.status == 422
    assert part in answer.json["detail"]


def test_no_setting_of_the_api_is_a_secret() -> None:
    kept_back = set(ProgramSettings.model_fields) - set(Settings.model_fields)

    assert {"secret_key", "database_url"} <= kept_back


async def test_nothing_that_is_told_holds_a_secret(program: Program, viewer: Program, tmp_path: Path) -> None:
    await program.begin()
    secret = (tmp_path / "secret.key").read_text().strip() if (tmp_path / "secret.key").exists() else None
    own = str(program.browser.headers["authorization"]).removeprefix("Bearer ")

    told = [await viewer.get(path) for path in ("/settings", "/engines", "/models", "/usage", "/conversations")]

    for answer in told:
        assert own not in json.dumps(answer.json)
        assert secret is None or secret not in json.dumps(answer.json)
