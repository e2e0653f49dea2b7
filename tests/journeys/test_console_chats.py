"""Chats in the console, by what its pages show: words, commands, every card, and the chats of chat apps beside them."""

import asyncio
import gzip
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from channels.memory.app import MemoryApp
from channels.memory.kind import MemoryKind
from conch.app import App
from core.clock import SystemClock
from core.engines.base import Text, TurnInput
from core.engines.script import Steps, Until
from core.engines.scripted import Script
from core.events import Origin, UserMessage
from core.store.log import Append
from tests.journeys.cards import DRINK, asking, planning, wanting
from tests.journeys.consoles import Owner, actions, console_of, words_of
from tests.journeys.living import echo, living
from tests.web.asgi import Answer
from web.console import attached as attached_files


@asynccontextmanager
async def owner_of(folder: Path, script: Script = echo) -> AsyncIterator[tuple[App, Owner]]:
    """The console of a Conch without any bot."""

    async with living(folder, lambda _: {}, script=script) as app, console_of(app) as owner:
        yield app, owner


# ---- words -----------------------------------------------------------------------------------------------------------


async def test_what_is_said_is_answered_and_stands_in_the_list(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        nothing = await owner.look(chat)
        sent = await owner.say(chat, "hello <b>you</b>")
        page = await owner.sees(chat, "echo: hello")
        listed = await owner.look("/chats?q=YOU hello")

    assert "Nothing was said here yet" in words_of(nothing)
    assert (sent.status, sent.headers["location"]) == (303, chat)
    assert '<p class="words" dir="auto">hello &lt;b&gt;you&lt;/b&gt;</p>' in page
    assert f'href="{chat}"' in listed
    assert "hello <b>you</b>" in words_of(listed)


async def test_the_same_message_sent_twice_is_said_once(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        for _ in range(2):
            await owner.say(chat, "hello", client_id="one")
        page = await owner.sees(chat, "echo: hello")

    assert page.count('class="said"') == 1


async def test_what_cannot_be_sent_is_not_lost(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        long = await owner.say(chat, "x" * 32_001)
        empty = await owner.say(chat, "  ")
        live = await owner.send(f"{chat}/messages", {"text": ""}, live=True)

    assert long.status == empty.status == live.status == 422
    assert "x" * 32_001 in long.text
    assert "32,000 is the most" in words_of(long.text)
    assert words_of(live.text) == "Write something first."


async def test_an_answer_is_stopped(tmp_path: Path) -> None:
    def slow(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        yield Text("so far")
        yield Until(asyncio.Event())

    async with owner_of(tmp_path, slow) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "go")
        running = await owner.sees(chat, "so far")
        await owner.send(f"{chat}/stop", {})
        page = await owner.sees(chat, "Stopped.")

    assert 'id="running" aria-busy="true"' in running
    assert 'id="stop" method="post" action="' in running
    assert re.search(r'<form id="stop"[^>]* hidden>', page)


async def test_a_chat_that_is_not_there_is_not_shown(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        answers = [await owner.browser.get(f"/chats/{name}") for name in ("nowhere", "%00", "x" * 201)]

    assert [answer.status for answer in answers] == [404] * 3


async def test_a_long_chat_is_shown_from_its_end_and_read_backwards(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (app, owner):
        said = (UserMessage(message_id=str(n), text=f"number {n}.", origin=Origin(kind="console")) for n in range(900))
        await app.database.commit(Append("long", tuple(said)))
        page = await owner.look("/chats/long")
        [before] = re.findall(r'id="earlier" href="(\?before=\d+)"', page)
        earlier = await owner.look(f"/chats/long{before}")
        [before] = re.findall(r'id="earlier" href="(\?before=\d+)"', earlier)
        first = await owner.look(f"/chats/long{before}")

    shown = [re.findall(r"number (\d+)\.", words_of(one)) for one in (first, earlier, page)]
    assert [number for numbers in shown for number in numbers] == [str(number) for number in range(900)]
    assert 'id="earlier"' not in first


# ---- commands --------------------------------------------------------------------------------------------------------


async def test_a_command_is_done_and_what_it_says_is_shown_once(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "hello")
        await owner.sees(chat, "echo: hello")
        await owner.say(chat, "/clear")
        told, again = await owner.look(chat), await owner.look(chat)
        undone = await owner.say(chat, "/undo")

    assert "Cleared: I no longer remember" in words_of(told)
    assert "I no longer remember" not in words_of(again)
    assert "Cleared: what is above is no longer remembered" in words_of(again)
    assert f"{chat}/undo" in actions(again)
    assert undone.status == 303


async def test_a_command_that_leads_to_a_page_leads_there(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        led = await owner.say(chat, "/skills")
        live = await owner.send(f"{chat}/messages", {"text": "/settings"}, live=True)

    assert led.headers["location"] == "/skills"
    assert (live.status, live.headers["x-conch-go"]) == (204, "/settings")


async def test_the_pages_script_gets_the_part_that_changes(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        told = await owner.send(f"{chat}/messages", {"text": "/mode"}, live=True)
        said = await owner.send(f"{chat}/messages", {"text": "hello"}, live=True)

    assert told.status == 200
    assert told.text.lstrip().startswith('<section id="told"')
    assert 'value="/mode full"' in told.text
    assert (said.status, said.body) == (204, b"")


async def test_a_theme_is_kept_by_the_browser(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        answer = await owner.say(chat, "/theme dark")
        page = await owner.browser.get(chat, cookie=f"{owner.browser.headers['cookie']}; conch_theme=dark")

    assert "conch_theme=dark; HttpOnly" in answer.headers["set-cookie"]
    assert '<html lang="en" data-root="" data-theme="dark">' in page.text


async def test_the_menu_has_what_can_be_typed(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        found = (await owner.browser.get(f"{chat}/commands")).json

    modes = next(one for one in found if one["name"] == "mode")
    assert modes["values"]["heading"] == "Mode"
    assert [item["word"] for item in modes["values"]["items"] if item["current"]] == ["ask"]


async def test_a_chip_says_its_words_even_where_they_look_like_a_command(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "/clear", literal="1")
        page = await owner.sees(chat, "echo: /clear")

    assert 'class="said"' in page


async def test_a_chat_is_renamed(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "hello")
        await owner.sees(chat, "echo: hello")
        await owner.send(f"{chat}/title", {"title": "My <plans>"})
        page = await owner.look(chat)
        bad = await owner.send(f"{chat}/title", {"title": ""})

    assert '<h1 id="chat-title"><bdi>My &lt;plans&gt;</bdi></h1>' in page
    assert bad.status == 422


# ---- cards -----------------------------------------------------------------------------------------------------------


async def test_a_question_is_answered_by_one_press_and_the_second_hears_what_was_chosen(tmp_path: Path) -> None:
    async with owner_of(tmp_path, asking(DRINK)) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "Get me a drink")
        asked = await owner.sees(chat, lambda page: "/questions/" in page)
        [where] = {action for action in actions(asked) if "/questions/" in action}
        first = await owner.send(where, {"f.drink": "tea"})
        page = await owner.sees(chat, "heard:")
        late = await owner.send(where, {"f.drink": "coffee"})

    assert first.status == 303
    assert "The console chose “Tea”." in words_of(page)
    assert late.status == 422
    assert "That question is not open any more." in words_of(late.text)


async def test_an_answer_that_does_not_fit_is_said_and_the_question_still_waits(tmp_path: Path) -> None:
    async with owner_of(tmp_path, asking(DRINK)) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "Get me a drink")
        asked = await owner.sees(chat, lambda page: "/questions/" in page)
        where = next(action for action in actions(asked) if "/questions/" in action)
        wrong = await owner.send(where, {"f.drink": "milk"}, live=True)
        skipped = await owner.send(where, {"skip": "1"})
        page = await owner.sees(chat, "The console skipped this.")

    assert wrong.status == 422
    assert "that is none of the choices." in words_of(wrong.text)
    assert skipped.status == 303
    assert "/questions/" not in page


@pytest.mark.parametrize(("decision", "line"), [("allow", "The console allowed it."), ("deny", "did not allow it.")])
async def test_a_permission_is_decided(tmp_path: Path, decision: str, line: str) -> None:
    async with owner_of(tmp_path, wanting()) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "Write it down")
        asked = await owner.sees(chat, lambda page: "/permissions/" in page)
        where = next(action for action in actions(asked) if "/permissions/" in action)
        odd = await owner.send(where, {"decision": "perhaps"})
        await owner.send(where, {"decision": decision})
        page = await owner.sees(chat, line)
        late = await owner.send(where, {"decision": "allow"})

    assert (odd.status, late.status) == (422, 422)
    assert "/permissions/" not in page


async def test_a_plan_is_shown_as_a_list_and_started(tmp_path: Path) -> None:
    async with owner_of(tmp_path, planning("1. Look\n2. Mend")) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "/plan mend it")
        asked = await owner.sees(chat, "Shall I start with this plan?")
        where = next(action for action in actions(asked) if "/permissions/" in action)
        await owner.send(where, {"decision": "allow"})
        page = await owner.sees(chat, "started")

    assert '<li class="pending">Mend</li>' in asked
    assert "The console said: start." in words_of(page)


# ---- commands of one's own -------------------------------------------------------------------------------------------


async def test_a_command_of_ones_own_is_saved_used_and_removed(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        saved = await owner.send("/commands", {"name": "brief", "words": "Tell me about {{input}}."})
        again = await owner.send("/commands", {"name": "brief", "words": "x"})
        bad = await owner.send("/commands", {"name": "../up", "words": "<b>kept</b>"})
        page = await owner.look("/commands")
        chat = await owner.new_chat()
        await owner.say(chat, "/brief the sea")
        told = await owner.sees(chat, "echo: Tell me about the sea.")
        await owner.send("/commands/remove", {"name": "brief"})
        gone = await owner.look("/commands")

    assert (saved.status, again.status, bad.status) == (303, 422, 422)
    assert "&lt;b&gt;kept&lt;/b&gt;" in bad.text
    assert "Tell me about {{input}}." in page
    assert "Remove brief" in page
    assert "Remove brief" not in gone
    assert 'class="said"' in told


async def test_a_whole_chat_is_saved_as_a_file(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        await owner.say(chat, "hello")
        await owner.sees(chat, "echo: hello")
        text = await owner.browser.get(f"{chat}/export?as=markdown")
        data = await owner.browser.get(f"{chat}/export?as=json")
        nothing = await owner.browser.get("/chats/nowhere/export")

    assert text.headers["content-disposition"] == "attachment; filename*=UTF-8''Chat.md"
    assert "> hello" in text.text
    assert "echo: hello" in text.text
    assert data.json["events"][0]["type"] == "user.message"
    assert nothing.status == 404


# ---- the first page --------------------------------------------------------------------------------------------------


async def test_the_first_page_is_the_chats_once_there_is_a_bot(tmp_path: Path) -> None:
    shell = MemoryApp(SystemClock())
    kinds = {"shell": MemoryKind(SystemClock(), shell)}
    async with living(tmp_path, lambda _: kinds) as app, console_of(app) as owner:
        before = await owner.browser.get("/")
        await app.registry.add("shell", shell.key)
        after = await owner.browser.get("/")

    assert (before.headers["location"], after.headers["location"]) == ("/channels", "/chats")


async def test_a_chat_page_loads_little_at_first(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        page = await owner.look(chat)
        linked = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
        parts = [await owner.browser.get(path) for path in (*linked, "/static/chatlog.js", "/static/slash.js")]

    size = len(gzip.compress(page.encode())) + sum(len(gzip.compress(part.body)) for part in parts)
    assert {"/static/chat.css", "/static/live.js", "/static/base.css"} <= set(linked)
    assert size <= 20_000


# ---- files -----------------------------------------------------------------------------------------------------------


async def attached(owner: Owner, chat: str, name: str, content: bytes, mime: str = "text/plain") -> Answer:
    return await owner.browser.post(f"{chat}/files?name={quote(name)}", content, content_type=mime)


async def test_a_file_goes_along_and_can_be_fetched(tmp_path: Path) -> None:
    heard: list[str] = []

    def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
        heard.extend(file.name for file in turn.attachments)
        yield Text("seen")

    async with owner_of(tmp_path, script) as (_, owner):
        chat = await owner.new_chat()
        page = await attached(owner, chat, "<b>.html", b"<script>alert(1)</script>", "text/html")
        picture = await attached(owner, chat, "cat.png", b"\x89PNG", "image/png")
        await owner.say(chat, "/look", file=[page.json["file"], picture.json["file"]])
        shown = await owner.sees(chat, "seen")
        files = re.findall(r'<a href="([^"]+/files/[^"]+)"', shown)
        fetched = [await owner.browser.get(path) for path in files]
        again = await owner.say(chat, "once more", file=page.json["file"])
        nothing = [await owner.browser.get(f"{chat}/files/{tail}") for tail in ("0/9", "0/-1", "99/0")]

    assert heard == ["_b_.html", "cat.png"]
    assert [one.headers["content-length"] for one in fetched] == ["25", "4"]
    assert [one.headers["content-type"] for one in fetched] == ["application/octet-stream", "image/png"]
    assert fetched[0].headers["content-disposition"].startswith("attachment;")
    assert shown.count("<img src=") == 2  # the picture, and the mark of the page
    assert again.status == 422
    assert [one.status for one in nothing] == [404] * 3


async def test_a_file_of_one_chat_is_none_of_another(tmp_path: Path) -> None:
    async with owner_of(tmp_path) as (_, owner):
        here, there = await owner.new_chat(), await owner.new_chat()
        file = await attached(owner, here, "a.txt", b"x")
        answer = await owner.say(there, "look", file=file.json["file"])

    assert answer.status == 422


async def test_a_file_that_is_too_large_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attached_files, "MOST_BYTES", 100)
    async with owner_of(tmp_path) as (_, owner):
        chat = await owner.new_chat()
        answer = await attached(owner, chat, "a.txt", b"x" * 101)

    assert answer.status == 413
