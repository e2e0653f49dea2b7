"""Deleting a chat in the console: out of sight at once, gone after a while, and a way back until then."""

from pathlib import Path

import pytest

from conch.app import App
from core.engines.base import Text, TurnInput
from core.engines.script import Steps
from core.store.log import EventLog
from tests.journeys.consoles import Owner, console_of, words_of
from tests.journeys.living import living
from web.console import deleting


def script(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    yield Text(f"echo: {', '.join((*earlier, turn.text))}")


async def a_chat(owner: Owner) -> str:
    chat = await owner.new_chat()
    file = await owner.browser.post(f"{chat}/files?name=a.txt", b"x", content_type="text/plain")
    await owner.say(chat, "hello", file=file.json["file"])
    await owner.sees(chat, "echo: hello")
    return chat


async def is_there(app: App, chat: str) -> bool:
    return await EventLog(app.database).exists(chat.rpartition("/")[2])


def files(folder: Path) -> list[Path]:
    return [path for path in (folder / "files").rglob("*") if path.is_file()]


async def test_a_deleted_chat_is_out_of_sight_and_can_be_brought_back(tmp_path: Path) -> None:
    async with living(tmp_path, lambda _: {}, script=script) as app, console_of(app) as owner:
        chat = await a_chat(owner)
        deleted = await owner.send(f"{chat}/delete", {})
        listed = await owner.look("/chats")
        kept = await owner.send(f"{chat}/keep", {})
        again = await owner.look("/chats")
        late = await owner.send(f"{chat}/keep", {})
        told = await owner.look("/chats")

    assert (deleted.headers["location"], kept.headers["location"]) == ("/chats", "/chats")
    assert f'href="{chat}"' not in listed
    assert f'action="{chat}/keep"' in listed
    assert f'href="{chat}"' in again
    assert late.status == 303
    assert "It was too late" in words_of(told)


async def test_after_a_while_it_is_gone_with_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleting, "UNDO_SECONDS", 0.0)
    async with living(tmp_path, lambda _: {}, script=script) as app, console_of(app) as owner:
        chat = await a_chat(owner)
        before = files(tmp_path)
        await owner.send(f"{chat}/delete", {})
        await owner.sees("/chats", lambda _: not files(tmp_path))
        listed = await owner.look("/chats")
        gone = not await is_there(app, chat)
        done = await owner.sees("/activity", "The console deleted the chat “hello”")
        await owner.say(chat, "once more")
        page = await owner.sees(chat, "echo: once more")

    assert len(before) == 1
    assert done
    assert gone
    assert "There is no chat yet." in words_of(listed)
    assert "hello" not in words_of(page)


async def test_a_chat_in_which_something_was_said_since_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with living(tmp_path, lambda _: {}, script=script) as app, console_of(app) as owner:
        chat = await a_chat(owner)
        conversation = chat.rpartition("/")[2]
        state = await EventLog(app.database).state(conversation)
        await owner.say(chat, "wait")
        await owner.sees(chat, "echo: hello, wait")
        deleted = await app.conversations.delete(conversation, state.last_seq)

        assert not deleted
        assert await is_there(app, chat)


async def test_the_end_of_the_program_deletes_nothing(tmp_path: Path) -> None:
    async with living(tmp_path, lambda _: {}, script=script) as app, console_of(app) as owner:
        chat = await a_chat(owner)
        await owner.send(f"{chat}/delete", {})

    async with living(tmp_path, lambda _: {}, script=script) as app, console_of(app) as owner:
        listed = await owner.look("/chats")

    assert f'href="{chat}"' in listed
