"""Composing: a reply as a batch of parts with one key, its files, and what an app cannot take."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from channels.base import Button, Capabilities, ChatRef, Pace
from channels.composing import MadeFile, compose, megabytes
from channels.formatting.parts import Dialect
from core.events import ChatKind
from core.store.outbox import Post

APP = Capabilities(
    kind="app",
    title="The App",
    dialect=Dialect.telegram,
    pace=Pace(0, 0, 0),
    max_text=4_096,
    max_download=1_000,
    max_upload=1024 * 1024,
    max_caption=1_024,
)
PRIVATE, GROUP = ChatRef("c1", "1"), ChatRef("c1", "2", ChatKind.GROUP, thread="7")


def body(post: Post) -> dict[str, Any]:
    return dict(json.loads(post.body))


def table(size: int = 10, caption: str | None = None, name: str = "table.csv") -> MadeFile:
    return MadeFile(Path("/files/ab/cd.csv"), name, "text/csv", size, caption)


def test_nothing_to_say_is_no_message() -> None:
    assert compose(APP, PRIVATE, "k", " \n ") == ()


@pytest.mark.report("R001")
def test_a_long_reply_is_an_ordered_batch_with_one_key() -> None:
    posts = compose(APP, PRIVATE, "k", "word " * 3_000)

    assert len(posts) > 2
    assert {post.key for post in posts} == {"k"}
    assert [post.part for post in posts] == list(range(len(posts)))
    assert {post.of for post in posts} == {len(posts)}
    assert len({body(post)["key"] for post in posts}) == len(posts)


@pytest.mark.report("R093")
def test_a_reply_goes_to_the_thread_it_was_asked_in_and_quotes_in_groups_only() -> None:
    (in_group,) = compose(APP, GROUP, "k", "yes", reply_to="41")
    (in_private,) = compose(APP, PRIVATE, "k", "yes", reply_to="41")

    assert (in_group.chat_id, in_group.thread, body(in_group)["reply_to"]) == ("2", "7", "41")
    assert "reply_to" not in body(in_private)


@pytest.mark.parametrize("files", [(), (table(),)])
def test_buttons_stand_under_the_last_part(files: tuple[MadeFile, ...]) -> None:
    button = Button("Undo", token="t.0")

    posts = compose(replace(APP, button_limit=8), PRIVATE, "k", "word " * 1_500, files=files, buttons=(button,))

    assert len(posts) > 1
    assert ["buttons" in body(post) for post in posts] == [*[False] * (len(posts) - 1), True]
    assert body(posts[-1])["buttons"] == [{"label": "Undo", "token": "t.0"}]


def test_an_app_without_buttons_says_them_with_numbers() -> None:
    buttons = (Button("Undo", token="t.0"), Button("Plan first", token="t.1"))

    (post,) = compose(replace(APP, button_limit=0), PRIVATE, "k", "Memory starts anew.", buttons=buttons)

    assert body(post)["text"] == "Memory starts anew.\n\nReply with a number:\n1 Undo\n2 Plan first"
    assert "buttons" not in body(post)


@pytest.mark.report("R181")
def test_a_file_is_a_part_of_its_own_with_its_words() -> None:
    words, file = compose(APP, PRIVATE, "k", "Here it is.", files=[table(caption="two **columns**")])

    assert body(words)["text"] == "Here it is."
    assert body(file)["file"]["name"] == "table.csv"
    assert body(file)["text"] == "two <b>columns</b>"


def test_words_too_long_for_a_caption_follow_the_file() -> None:
    file, *rest = compose(APP, PRIVATE, "k", "", files=[table(caption="word " * 400)])

    assert body(file)["file"]["name"] == "table.csv"
    assert len(rest) == 1
    assert sum(body(part)["text"].count("word") for part in (file, *rest)) == 400


def test_a_file_too_large_for_the_app_is_named_with_its_size_and_the_limit() -> None:
    (line,) = compose(APP, PRIVATE, "k", "", files=[table(size=3_670_016)])

    assert "file" not in body(line)
    assert body(line)["text"] == "The file table.csv (3.5 MB) is too large for The App, which takes 1 MB at most."


@pytest.mark.parametrize(
    ("size", "words"), [(0, "1 kB"), (12_345, "12 kB"), (20 * 1024 * 1024, "20 MB"), (3_670_016, "3.5 MB")]
)
def test_sizes_are_said_as_people_read_them(size: int, words: str) -> None:
    assert megabytes(size) == words


def test_what_is_over_a_limit_never_reads_like_the_limit() -> None:
    limit = 20 * 1024 * 1024

    assert (megabytes(limit), megabytes(limit + 1, over=True)) == ("20 MB", "20.1 MB")


def test_a_file_too_large_keeps_its_own_name_where_there_is_no_markup() -> None:
    (line,) = compose(APP, PRIVATE, "k", "", files=[table(name="a&b<c>.csv", size=3_670_016)])

    assert "a&amp;b&lt;c&gt;.csv" in body(line)["text"]
    assert "a&b<c>.csv" in body(line)["fallback"]
