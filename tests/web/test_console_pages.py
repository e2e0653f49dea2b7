"""The owner's pages: what they show, what their forms ask for, and that nothing from outside is markup in them."""

import gzip
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from core.errors import Refused, RefusedReason, UsageError
from core.settings import Settings
from tests.web.asgi import Answer, Browser
from tests.web.fakes import NOON, FakeAdministration, FakeBacking, person
from web.administration import PeopleView
from web.console.navigation import entries
from web.console.notes import MOST, Note, Notes
from web.console.settings import GROUPS, field_of
from web.preferences import SettingView
from web.security import PUSHED, Gate, Guarded

PAGES = (
    "/channels",
    "/bots/new",
    "/bots/new/telegram",
    "/bots/new/discord",
    "/bots/new/slack",
    "/bots/new/teams",
    "/bots/c1",
    "/bots/c1/remove",
    "/people",
    "/groups",
    "/engines",
    "/engines/new",
    "/engine/openai",
    "/engine/openai/remove",
    "/apps",
    "/skills",
    "/settings",
    "/usage",
    "/activity",
    "/health",
)


async def send(owner: Browser, path: str, **form: str) -> Answer:
    """A form as a browser sends it."""
    kind = "application/x-www-form-urlencoded"
    return await owner.post(path, urlencode(form).encode(), content_type=kind, accept="text/html")


def asked(administration: FakeAdministration, *what: object) -> bool:
    return what in administration.asked


# ---- the frame -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_is_there_and_keeps_to_the_policy(owner: Browser, path: str) -> None:
    answer = await owner.get(path, accept="text/html")

    assert answer.status == 200
    assert 'id="main"' in answer.text
    assert not any(odd in answer.text for odd in ("<script", "style=", " onclick"))
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("entry", entries(in_playground=False))
async def test_every_page_that_is_named_is_there_and_marked(owner: Browser, entry: object) -> None:
    path = getattr(entry, "path", "")

    answer = await owner.get(path, accept="text/html")

    assert answer.status == 200
    assert f'href="{path}" aria-current="page"' in answer.text


async def test_the_first_visit_loads_little(owner: Browser) -> None:
    loaded = [await owner.get(path) for path in ("/channels", *STYLES, "/static/conch.svg")]

    size = sum(len(gzip.compress(each.body)) for each in loaded)

    assert size <= 20_000


STYLES = ("/static/base.css", "/static/console.css")


def posts(app: Guarded) -> Iterator[str]:
    assert isinstance(app.app, FastAPI)
    for route in app.app.routes:
        if isinstance(route, APIRoute) and "POST" in (route.methods or ()):
            yield route.path


def test_no_form_goes_where_the_gate_lets_everyone_through(app: Guarded) -> None:
    open_to_all = {path for path in posts(app) if path.startswith(PUSHED)}

    assert open_to_all == {"/channels/{kind}/{channel_id}", "/channels/{kind}/{channel_id}/messages"}


async def test_a_form_from_another_site_does_nothing(owner: Browser, administration: FakeAdministration) -> None:
    kind = "application/x-www-form-urlencoded"

    answer = await owner.post("/bots/c1/off", b"", content_type=kind, origin="https://evil.example")

    assert answer.status == 403
    assert administration.asked == []


async def test_what_came_of_a_form_is_told_once(owner: Browser) -> None:
    sent = await send(owner, "/bots/c1/off")

    first, second = await owner.get("/bots/c1"), await owner.get("/bots/c1")

    assert (sent.status, sent.headers["location"]) == (303, "/bots/c1")
    assert "@shell_bot is off." in first.text
    assert "@shell_bot is off." not in second.text


async def test_what_came_of_a_form_is_told_to_the_browser_that_sent_it(app: Guarded, gate: Gate) -> None:
    one, other = (
        Browser(app, {"cookie": f"{gate.cookie}={gate.sessions.exchange(gate.sessions.new_link_token())}"})
        for _ in range(2)
    )
    await send(one, "/bots/c1/off")

    answer = await other.get("/bots/c1")

    assert "is off." not in answer.text


def test_notes_of_browsers_that_never_look_do_not_pile_up() -> None:
    notes = Notes()

    for number in range(MOST + 1):
        notes.keep(str(number), Note("done"))

    assert (notes.take("0"), notes.take("1")) == (None, Note("done"))


@pytest.mark.parametrize("body", [b"\xff\xfe", b"a=1&" * 200, b"x" * 100_000, b"bot=c1&person=%00"])
async def test_an_odd_form_is_refused(owner: Browser, administration: FakeAdministration, body: bytes) -> None:
    answer = await owner.post("/people/let-in", body, content_type="application/x-www-form-urlencoded")

    assert answer.status == 400
    assert not any(ask[0] == "let in" for ask in administration.asked)


# ---- bots ------------------------------------------------------------------------------------------------------------


async def test_a_bot_is_listed_with_how_it_does_and_when_it_was_heard(owner: Browser) -> None:
    text = (await owner.get("/channels")).text

    assert "online" in text
    assert f'heard <time datetime="{NOON.isoformat()}">' in text
    assert "1 person waits" in text


async def test_a_bot_is_connected_by_whatever_is_pasted_and_its_hello_link_shown(
    owner: Browser, administration: FakeAdministration
) -> None:
    sent = await send(owner, "/bots/new/telegram", pasted="Use this token: 123:abc")

    page = await owner.get(sent.headers["location"])

    assert asked(administration, "add", "telegram", "Use this token: 123:abc")
    assert "@shell_bot is connected." in page.text
    assert 'href="https://t.me/shell_bot?start=code"' in page.text
    assert "The hello link as a QR code" in page.text


async def test_a_hello_link_is_not_shown_any_more_once_somebody_came_by_it(
    owner: Browser, administration: FakeAdministration, monkeypatch: pytest.MonkeyPatch
) -> None:
    await send(owner, "/bots/c1/link")
    before = await owner.get("/bots/c1")

    async def more(channel: str | None) -> PeopleView:
        return PeopleView(people=(person("owner"), person("person")), requests=())

    monkeypatch.setattr(administration, "people", more)
    after = await owner.get("/bots/c1")

    assert "https://t.me/shell_bot?start=code" in before.text
    assert "https://t.me/shell_bot?start=code" not in after.text


async def test_a_key_that_is_refused_is_told_and_never_shown_again(
    owner: Browser, administration: FakeAdministration
) -> None:
    administration.error = Refused("Telegram does not know this key.", RefusedReason.AUTH)

    answer = await send(owner, "/bots/new/telegram", pasted="123:secret")

    assert answer.status == 422
    assert "Telegram does not know this key." in answer.text
    assert "secret" not in answer.text


async def test_teams_says_first_that_it_needs_an_address(owner: Browser, backing: FakeBacking) -> None:
    backing.manifests.reached = False

    answer = await owner.get("/bots/new/teams")

    assert "CONCH_PUBLIC_URL" in answer.text


async def test_what_slack_and_teams_are_made_from_can_be_taken_along(owner: Browser) -> None:
    slack, teams = await owner.get("/bots/new/slack/manifest.json"), await owner.get("/bots/c1/package?app_id=known")

    assert slack.json["display_information"]["name"] == "Conch"
    assert teams.body == b"PK"
    assert "attachment" in slack.headers["content-disposition"]
    assert "attachment" in teams.headers["content-disposition"]


async def test_a_bot_is_tested_on_its_own_page(owner: Browser, administration: FakeAdministration) -> None:
    answer = await send(owner, "/bots/c1/test")

    assert asked(administration, "findings of", "c1")
    assert "Online since noon." in answer.text


async def test_a_bot_is_removed_only_after_a_page_that_says_what_goes(
    owner: Browser, administration: FakeAdministration
) -> None:
    before = await owner.get("/bots/c1/remove")
    untouched = not any(ask[0] == "remove" for ask in administration.asked)

    sent = await send(owner, "/bots/c1/remove")

    assert "Conversations stay" in before.text
    assert untouched
    assert (sent.headers["location"], asked(administration, "remove", "c1")) == ("/channels", True)


@pytest.mark.parametrize("path", ["/bots/gone", "/bots/new/pager", "/engine/gone"])
async def test_what_is_not_there_is_told_so(owner: Browser, path: str) -> None:
    answer = await owner.get(path, accept="text/html")

    assert answer.status == 404
    assert "There is no such" in answer.text or "not connected any more" in answer.text


# ---- people and groups -----------------------------------------------------------------------------------------------


@pytest.mark.report("R107")
async def test_who_is_let_in_is_listed_with_since_when_and_can_be_taken_out(
    owner: Browser, administration: FakeAdministration
) -> None:
    page = await owner.get("/people")

    sent = await send(owner, "/people/remove", bot="c1", person="77")

    assert "Ada" in page.text
    assert "owner since" in page.text
    assert "Never seen yet" in page.text
    assert (sent.status, asked(administration, "remove person", "77", "c1")) == (303, True)


@pytest.mark.parametrize(
    ("path", "ask"),
    [("/people/let-in", ("let in", "77", "c1")), ("/people/block", ("block", "77", "c1"))],
)
async def test_people_are_let_in_and_blocked(
    owner: Browser, administration: FakeAdministration, path: str, ask: tuple[object, ...]
) -> None:
    await send(owner, path, bot="c1", person="77")

    assert ask in administration.asked


async def test_a_form_without_its_person_asks_for_nothing(owner: Browser, administration: FakeAdministration) -> None:
    answer = await send(owner, "/people/let-in", bot="c1")

    assert answer.status == 422
    assert not any(ask[0] == "let in" for ask in administration.asked)


async def test_the_way_back_from_a_form_never_leads_elsewhere(owner: Browser) -> None:
    answer = await send(owner, "/people/block", bot="/evil.example", person="77", **{"from": "bot"})

    assert answer.headers["location"] == "/people"


async def test_a_group_is_switched_on_and_off(owner: Browser, administration: FakeAdministration) -> None:
    await send(owner, "/groups/on", bot="c1", group="-1001")
    await send(owner, "/groups/off", bot="c1", group="-1001")

    assert [ask for ask in administration.asked if ask[0] == "switch group"] == [
        ("switch group", "-1001", "c1", True),
        ("switch group", "-1001", "c1", False),
    ]


# ---- engines ---------------------------------------------------------------------------------------------------------


async def test_an_engine_is_connected_by_its_key(owner: Browser, administration: FakeAdministration) -> None:
    sent = await send(owner, "/engines/new", key="sk-1", kind="", url="", name="")

    assert asked(administration, "add engine", None, "sk-1", None, None)
    assert sent.headers["location"] == "/engine/openai"


async def test_an_engine_that_is_refused_leaves_what_was_typed_but_the_key(
    owner: Browser, administration: FakeAdministration
) -> None:
    administration.error = UsageError("There is no key in what you pasted.")

    answer = await send(owner, "/engines/new", key="secret", kind="openai", url="http://box:1", name="mine")

    assert answer.status == 422
    assert "There is no key" in answer.text
    assert 'value="http://box:1"' in answer.text
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("path", "form", "ask"),
    [
        ("/engine/openai/default", {"model": "gpt-6"}, ("default", "openai", "gpt-6")),
        ("/engine/openai/fallback", {}, ("fallback", "openai")),
        ("/engines/no-fallback", {}, ("fallback", None)),
        ("/engine/openai/test", {}, ("test", "openai")),
        ("/engine/openai/remove", {}, ("remove engine", "openai")),
    ],
)
async def test_what_can_be_done_with_an_engine_is_done(
    owner: Browser, administration: FakeAdministration, path: str, form: dict[str, str], ask: tuple[object, ...]
) -> None:
    answer = await send(owner, path, **form)

    assert answer.status in (200, 303)
    assert ask in administration.asked


# ---- settings, skills, apps ------------------------------------------------------------------------------------------


@pytest.mark.report("R193")
async def test_a_setting_goes_through_the_one_model_and_a_bad_value_comes_back_with_the_reason(
    owner: Browser, administration: FakeAdministration, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = await send(owner, "/settings/voice", value="short")

    async def refuse(name: str, value: str) -> SettingView:
        raise UsageError("voice is too long.")

    monkeypatch.setattr(administration.settings, "set", refuse)
    refused = await send(owner, "/settings/voice", value="long words")

    assert (taken.status, asked(administration, "set", "voice", "short")) == (303, True)
    assert refused.status == 422
    assert "voice is too long." in refused.text
    assert "long words" in refused.text


async def test_nothing_in_a_field_that_may_be_empty_unsets_it(
    owner: Browser, administration: FakeAdministration
) -> None:
    await send(owner, "/settings/budget_day_cost", value="")
    await send(owner, "/settings/voice", value="")

    assert asked(administration, "unset", "budget_day_cost")
    assert asked(administration, "set", "voice", "")


def test_every_setting_has_an_input_of_its_kind() -> None:
    kinds = {name: field_of(SettingView(name=name, value="", source="", fixed=False, description="")) for name in GIVEN}

    assert {name: (field.kind, field.optional, field.least, field.most) for name, field in kinds.items()} == GIVEN


GIVEN = {
    "voice": ("long", False, "", ""),
    "assistant_name": ("text", False, "", ""),
    "default_engine": ("text", True, "", ""),
    "default_effort": ("choice", True, "", ""),
    "default_fast": ("choice", True, "", ""),
    "default_mode": ("choice", False, "", ""),
    "gather_ms": ("number", False, "0", "3000"),
    "rate_global": ("number", True, "0", ""),
    "skills_automatic": ("list", True, "", ""),
}


def test_groups_of_settings_name_only_what_there_is() -> None:
    named = {name for names in GROUPS.values() for name in names}

    assert named <= set(Settings.model_fields)


@pytest.mark.parametrize("mode", ["off", "when-asked", "automatic"])
async def test_a_skill_is_used_as_chosen(owner: Browser, administration: FakeAdministration, mode: str) -> None:
    answer = await send(owner, "/skills/tidy", mode=mode)

    assert (answer.status, asked(administration, "use skill", "tidy", mode)) == (303, True)


async def test_a_mode_that_there_is_not_changes_no_skill(owner: Browser, administration: FakeAdministration) -> None:
    answer = await send(owner, "/skills/tidy", mode="always")

    assert answer.status == 422
    assert not any(ask[0] == "use skill" for ask in administration.asked)


async def test_an_app_is_connected_by_a_link_that_is_shown_once(
    owner: Browser, administration: FakeAdministration
) -> None:
    answer = await send(owner, "/apps/demo-calendar/connect")
    later = await owner.get("/apps")

    assert asked(administration, "connect app", "demo-calendar")
    assert "/connect/x" in answer.text
    assert "/connect/x" not in later.text


# ---- health and usage ------------------------------------------------------------------------------------------------


@pytest.mark.report("R011")
async def test_what_was_not_delivered_is_shown_and_sent_again_or_left(
    owner: Browser, administration: FakeAdministration
) -> None:
    page = await owner.get("/health")

    sent, left = await send(owner, "/health/deliveries/7/resend"), await send(owner, "/health/deliveries/7/drop")

    assert "Perhaps not delivered" in page.text
    assert (sent.status, left.status) == (303, 303)
    assert asked(administration, "resend", 7)
    assert asked(administration, "drop", 7)


async def test_a_number_that_no_database_knows_is_nobodys_delivery(
    owner: Browser, administration: FakeAdministration
) -> None:
    answer = await send(owner, f"/health/deliveries/{1 << 63}/resend")

    assert answer.status == 422
    assert not any(ask[0] == "resend" for ask in administration.asked)


async def test_what_does_not_work_stands_first_with_what_to_do(owner: Browser) -> None:
    text = (await owner.get("/health")).text

    assert "1 thing does not work." in text
    assert text.index("works no more") < text.index("No engine") < text.index("Right, by the apps")


async def test_an_empty_health_page_says_so(owner: Browser, backing: FakeBacking) -> None:
    backing.checkup.in_trouble = False

    answer = await owner.get("/health")

    assert "None. Everything that was to be said arrived" in answer.text


async def test_what_was_used_stands_beside_what_may_be(owner: Browser) -> None:
    answer = await owner.get("/usage?days=30")

    assert "$0.50 of $5.00" in answer.text
    assert "gpt-6" in answer.text
