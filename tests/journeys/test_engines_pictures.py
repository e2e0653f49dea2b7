"""Pictures and files from Telegram in front of a model: shown, not stored with what it remembers, named to others."""

from pathlib import Path

import pytest

from channels.emulators.telegram.pictures import TINY_PNG
from channels.emulators.telegram.pretend import PretendTelegram
from conch.app import App
from tests.core.engines.models.wire import openai_wire
from tests.core.engines.models.wire.lines import EVERY, OPENAI, Api, talking_to
from tests.core.engines.models.wire.serving import End, Words
from tests.journeys.living import living, owner_of
from tests.journeys.menus import asked
from tests.journeys.models import heard, missed

BLIND = Api("compatible", openai_wire.server, "toy-1", "toy-2")

FINE = (Words("Fine."), End())

PICTURE = "iVBORw0KGgo"
"""How a PNG begins in base64."""


def database_of(app: App) -> bytes:
    """Every byte that is stored of conversations, also what is not written back yet."""
    return b"".join(path.read_bytes() for path in app.home.path.glob(f"{app.home.database.name}*"))


@pytest.mark.parametrize("api", EVERY, ids=str)
async def test_a_picture_is_shown_to_the_model_and_is_not_in_what_is_stored(
    api: Api, tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(api, FINE, files=tmp_path / "files") as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.photo(TINY_PNG, "What is this?")
        await owner.chat.wait_for_answer()
        await asked(owner.chat, "And what colour?")

        first, second = heard(line, 0), heard(line, 1)
        shown = [PICTURE in repr(request.body) for request in line.server.asked]
        stored = database_of(app)

    assert first == ["person: What is this?", "person shows something"]
    assert second == [*first, "assistant: Fine.", "person: And what colour?"]
    assert shown == [True, True]
    assert TINY_PNG not in stored
    assert PICTURE.encode() not in stored
    assert b"Fine." in stored


@pytest.mark.parametrize("api", EVERY, ids=str)
async def test_the_next_model_hears_the_name_of_a_picture(api: Api, tmp_path: Path, pretend: PretendTelegram) -> None:
    async with (
        talking_to(OPENAI, FINE, name="lovelace", files=tmp_path / "files") as lovelace,
        talking_to(api, FINE, name="turing", files=tmp_path / "files") as turing,
        living(tmp_path, pretend, engines=[lovelace.engine, turing.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.photo(TINY_PNG, "What is this?")
        await owner.chat.wait_for_answer()
        await asked(owner.chat, "/model turing")
        await asked(owner.chat, "go on")

        to_turing, body = heard(turing), repr(turing.server.asked[0].body)

    assert to_turing == [
        missed("Person: What is this?\n  [files: photo-3.jpg]", "Assistant (lovelace): Fine.", then="go on")
    ]
    assert PICTURE not in body


async def test_a_model_that_sees_nothing_is_told_that_there_is_a_picture(
    tmp_path: Path, pretend: PretendTelegram
) -> None:
    async with (
        talking_to(BLIND, FINE, files=tmp_path / "files") as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.photo(TINY_PNG, "What is this?")
        await owner.chat.wait_for_answer()

        sent = heard(line)

    assert sent == ["person: What is this?\n\n[file “photo-3.jpg”: you cannot look at pictures]"]


@pytest.mark.parametrize("api", EVERY, ids=str)
async def test_a_text_file_is_read_out(api: Api, tmp_path: Path, pretend: PretendTelegram) -> None:
    async with (
        talking_to(api, FINE, files=tmp_path / "files") as line,
        living(tmp_path, pretend, engines=[line.engine], gather_ms=0) as app,
    ):
        owner = await owner_of(app, pretend)
        await owner.chat.file("list.md", b"- milk\n- bread", "What is missing?")
        await owner.chat.wait_for_answer()

        sent = heard(line)

    assert sent == ['person: What is missing?\n\n<file name="list.md">\n- milk\n- bread\n</file>']
