import asyncio

import pytest

from core.errors import TryLater, UsageError
from tests.web.asgi import Browser
from tests.web.fakes import FakePretendApp
from web.phones import Content, Spot
from web.playground import Playground

API = "/playground/api/shell"
ADA = Spot("ada", "private")
THREAD = Spot("ada", "group", "7")


@pytest.mark.parametrize(
    ("route", "sent", "done"),
    [
        ("say", {"person": "ada", "text": "hi"}, ("say", ADA, "hi")),
        ("say", {"person": "ada", "place": "group", "thread": "7", "text": "hi"}, ("say", THREAD, "hi")),
        ("reply", {"person": "ada", "message": "3", "text": "yes"}, ("reply", ADA, "3", "yes")),
        ("edit", {"person": "ada", "message": "3", "text": "no"}, ("edit", ADA, "3", "no")),
        ("like", {"person": "ada", "message": "3", "on": False}, ("like", ADA, "3", False)),
        ("forward", {"person": "ada", "text": "words", "of": "Bob"}, ("forward", ADA, "words", "Bob")),
        ("break", {"what": "flood"}, ("break", "flood")),
        ("mend", {}, ("mend",)),
    ],
)
async def test_what_the_page_does_is_done_in_the_pretend_app(
    owner: Browser, pretend: FakePretendApp, route: str, sent: object, done: object
) -> None:
    answer = await owner.post(f"{API}/{route}", sent)

    assert answer.status == 204
    assert pretend.done == [done]


async def test_a_press_comes_back_with_what_it_brought(owner: Browser, pretend: FakePretendApp) -> None:
    answer = await owner.post(f"{API}/press", {"person": "ada", "message": "3", "labels": ["A", "B"]})

    assert answer.json == {"line": "Done", "form": None, "errors": {}}
    assert pretend.done == [("press", ADA, "3", ["A", "B"])]


async def test_a_form_that_is_sent_comes_back_with_what_is_wrong(owner: Browser, pretend: FakePretendApp) -> None:
    values = {"Day": "never", "Likes": ["sea", "food"]}

    answer = await owner.post(f"{API}/fill_in", {"person": "ada", "form": "f1", "values": values})

    assert answer.json["errors"] == {"Day": "No such day."}
    assert pretend.done == [("fill in", ADA, "f1", values)]


async def test_an_app_that_there_is_not_is_told_so(owner: Browser) -> None:
    answer = await owner.post("/playground/api/pager/say", {"person": "ada", "text": "hi"})

    assert answer.status == 404
    assert answer.json["detail"] == "There is no such pretend app."


async def test_a_file_is_attached_with_its_name_and_words(owner: Browser, pretend: FakePretendApp) -> None:
    await owner.post(f"{API}/attach?person=ada&name=shell.png&caption=look", b"\x89PNG", content_type="image/png")

    assert pretend.done == [("attach", ADA, Content("shell.png", "image/png", b"\x89PNG"), "look")]


@pytest.mark.parametrize(
    "sent", [{}, {"person": "1", "text": ""}, {"person": 1, "text": "x"}, {"person": "1", "text": "x", "y": 1}, "[", 7]
)
async def test_what_does_not_fit_is_refused_by_name(owner: Browser, sent: object) -> None:
    answer = await owner.post(f"{API}/say", sent)

    assert (answer.status, answer.json["code"]) == (422, "invalid")


@pytest.mark.parametrize(
    ("sent", "detail"),
    [
        ({"person": "1", "text": "x" * 10_001}, "“text” is too long: at most 10,000 characters."),
        ({"person": "1", "text": ""}, "“text” is too short: at least 1 character."),
        ({"person": "1"}, "“text” is missing."),
        ({"person": 1, "text": "x"}, "“person” is malformed."),
        ({"person": "1", "text": "x", "<y>": 1}, "There is a field that does not belong here."),
        ([], "Something in the request is missing or malformed."),
    ],
)
async def test_what_does_not_fit_is_told_with_its_limit(owner: Browser, sent: object, detail: str) -> None:
    answer = await owner.post(f"{API}/say", sent)

    assert answer.json["detail"] == detail


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        (f"name={'n' * 220}", "“name” is too long: at most 200 characters."),
        (f"name=a.txt&caption={'c' * 1_025}", "“caption” is too long: at most 1,024 characters."),
    ],
)
async def test_a_file_that_does_not_fit_is_told_with_its_limit(owner: Browser, query: str, detail: str) -> None:
    answer = await owner.post(f"{API}/attach?person=ada&{query}", b"x", content_type="text/plain")

    assert (answer.status, answer.json["detail"]) == (422, detail)


async def test_what_the_pretend_app_cannot_do_is_told_in_its_words(owner: Browser, pretend: FakePretendApp) -> None:
    pretend.error = UsageError("That message is not on the screen.")

    answer = await owner.post(f"{API}/say", {"person": "ada", "text": "hi"})

    assert (answer.status, answer.json["detail"]) == (400, "That message is not on the screen.")


async def test_a_pretend_app_that_is_down_is_a_matter_of_time(owner: Browser, pretend: FakePretendApp) -> None:
    pretend.error = TryLater("The pretend app starts again.")

    answer = await owner.post(f"{API}/say", {"person": "ada", "text": "hi"})

    assert (answer.status, answer.json["code"]) == (503, "unavailable")


async def test_a_phone_whose_app_is_just_starting_says_so(owner: Browser, pretend: FakePretendApp) -> None:
    pretend.error = TryLater("The pretend app starts again.")

    answer = await owner.get(f"{API}/state")

    assert (answer.status, answer.json) == (200, {"starting": "The pretend app starts again."})


async def test_a_picture_is_shown_and_anything_else_only_handed_over(owner: Browser) -> None:
    picture, page = await owner.get(f"{API}/files/picture"), await owner.get(f"{API}/files/page")

    assert picture.headers["content-type"] == "image/png"
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.headers["content-disposition"] == "attachment"
    assert page.headers["x-content-type-options"] == "nosniff"


async def test_the_page_says_what_it_is_and_what_to_try(owner: Browser) -> None:
    answer = await owner.get("/playground")

    assert "pretend apps" in answer.text
    assert 'data-say="What can you do?"' in answer.text
    assert 'data-break="flood"' in answer.text


async def test_every_page_of_the_playground_says_that_it_is_one(owner: Browser) -> None:
    answer = await owner.get("/channels")

    assert "no real bot" in answer.text


async def test_the_stream_goes_on_where_the_browser_lost_it(pretend: FakePretendApp) -> None:
    playground = Playground([pretend], [])
    pretend.happens(8, kind="message")
    stream = playground.events(after="shell:3", last_event_id="shell:7")

    event = await anext(stream)

    assert pretend.asked_after == 7
    assert (event.id, event.event, event.data) == ("shell:8", "screen", {"app": "shell", "kind": "message"})
    await stream.aclose()  # type: ignore[attr-defined]


@pytest.mark.parametrize("odd", ["", "x", "shell:-1", "shell:²", "pager:9", "shell"])
async def test_an_odd_last_number_counts_as_none(pretend: FakePretendApp, odd: str) -> None:
    pretend.happens(4, kind="message")
    stream = Playground([pretend], []).events(after="shell:3", last_event_id=odd)

    await anext(stream)

    assert pretend.asked_after == 3
    await stream.aclose()  # type: ignore[attr-defined]


async def test_one_stream_tells_of_every_app_and_how_far_each_is_told() -> None:
    shell, pager = FakePretendApp(), FakePretendApp()
    pager.name = "pager"
    stream = Playground([shell, pager], []).events(after="shell:3,pager:5")
    pager.happens(6, kind="faults")

    told = await anext(stream)

    assert (told.id, told.data) == ("shell:3,pager:6", {"app": "pager", "kind": "faults"})
    await stream.aclose()  # type: ignore[attr-defined]


async def test_the_streams_end_when_the_server_does(pretend: FakePretendApp) -> None:
    playground = Playground([pretend], [])
    waiting = asyncio.create_task(anext(playground.events(), "ended"))
    await asyncio.sleep(0)

    playground.close()

    assert await waiting == "ended"
