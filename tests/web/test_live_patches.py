"""Patches of a chat's page: whatever happens and wherever the line is cut, it ends as it would be drawn at once."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import events as ev
from core.live import Delta, Dropped
from tests.core.event_logs import answered, completed, log, logs, said, started
from web.api.following import Followed, Snapshot
from web.cards import Drawer
from web.live.around import Around, Parts
from web.live.patches import Patch, Picture
from web.pages import Templates
from web.transcript import Transcript, folded

TEMPLATES = Templates({"version": "", "in_playground": False, "navigation": ()})
PARTS = Parts(TEMPLATES)
NOW = Around()


class Page:
    """What a browser does with patches, as far as ids go."""

    def __init__(self, items: Sequence[str] = ()) -> None:
        self.items = {name_of(html): html for html in items}
        self.running: list[str] = []
        self.said: list[str] = []

    def apply(self, patches: Sequence[Patch]) -> None:
        for target, how, html in patches:
            if target == "items" or target in self.items:
                self._item(target, how, html)
            elif target.startswith("running"):
                self._words(target, html)
            elif target == "said":
                self.said.append(html)

    def _item(self, target: str, how: str, html: str) -> None:
        if how == "remove":
            del self.items[target]
        else:
            self.items[name_of(html)] = html

    def _words(self, target: str, html: str) -> None:
        if target == "running":
            self.running = re.findall(r'<div id="running-\d+">(.*?)</div>(?=<div id="running-|</div>)', html, re.S)
            return
        inner = re.sub(r'^<div id="running-\d+">|</div>\s*$', "", html)
        if target == "running-words":
            self.running.append(inner)
        else:
            self.running[int(target.removeprefix("running-"))] = inner


def name_of(html: str) -> str:
    found = re.search(r'id="([^"]+)"', html)
    assert found is not None
    return found[1]


def picture(events: Sequence[ev.Event] = ()) -> Picture:
    return Picture("c", "", Drawer(TEMPLATES), PARTS, folded(events))


def drawn(transcript: Transcript) -> list[str]:
    drawer = Drawer(TEMPLATES)  # a new one: it remembers what it drew of a conversation, and each log here is another
    return [drawer.draw(item, conversation_id="c") for item in transcript.items]


def words(html: Sequence[str]) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", " ".join(html)).split())


# ---- what stands in the chat -----------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(logs(max_size=25), st.integers(0, 25), st.integers(1, 5))
def test_a_page_that_was_cut_off_anywhere_ends_as_if_it_had_not_been(
    events: list[ev.Event], cut: int, at_once: int
) -> None:
    before, after = events[:cut], events[cut:]
    page = Page(drawn(folded(before)))

    follows = picture(before)  # as after a cut, a sleep or a restart: from the seq that the page has
    for begin in range(0, len(after), at_once):
        page.apply(follows.patches(after[begin : begin + at_once], NOW))

    assert list(page.items.values()) == drawn(folded(events))


# ---- the words that are being written --------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["one ", "two\n\n", "- three\n", "**four** ", "```\nfive\n", "```\n"]), max_size=12))
def test_words_that_come_one_by_one_look_like_the_whole(parts: list[str]) -> None:
    page, follows, offset = Page(), picture(), 0

    for part in parts:
        page.apply(follows.patches([Delta("c", 1, "a", offset, part)], NOW))
        offset += len(part)
    whole = Page()
    whole.apply(picture().patches([Snapshot(1, "a", "".join(parts))], NOW))

    assert [one.strip() for one in page.running] == [one.strip() for one in whole.running]


def test_only_the_last_block_is_sent_again() -> None:
    follows = picture()
    follows.patches([Delta("c", 1, "a", 0, "first\n\nsecond")], NOW)

    again = follows.patches([Delta("c", 1, "a", 13, " more")], NOW)

    assert [(patch.target, patch.how) for patch in again] == [("running-1", "morph")]


@pytest.mark.report("R171")
def test_who_comes_back_has_the_words_so_far_once() -> None:
    page, follows = Page(), picture()
    happened: list[Followed] = [
        Snapshot(1, "a", "so far"),
        Delta("c", 1, "a", 0, "so far"),
        Delta("c", 1, "a", 6, " on"),
    ]

    page.apply(follows.patches(happened, NOW))

    assert words(page.running) == "so far on"


def test_words_that_are_done_stand_in_the_chat_and_are_told_once() -> None:
    page, follows = Page(), picture()

    page.apply(follows.patches([Delta("c", 1, "a", 0, "hi")], NOW))
    page.apply(follows.patches(log(said(), started(), answered("hi"), completed()), NOW))

    assert page.running == []
    assert words(list(page.items.values())) == "You hello Answer hi"
    assert [words([one]) for one in page.said] == ["hi"]


def test_words_that_are_taken_back_go() -> None:
    page, follows = Page(), picture()

    page.apply(follows.patches([Delta("c", 1, "a", 0, "hi")], NOW))
    page.apply(follows.patches([Dropped("c", 1, "other")], NOW))
    before = list(page.running)
    page.apply(follows.patches([Dropped("c", 1, "a")], NOW))

    assert (words(before), page.running) == ("hi", [])


# ---- what stands around ----------------------------------------------------------------------------------------------


def test_what_stands_around_is_sent_when_it_changes() -> None:
    follows = picture()
    first = follows.patches([], Around(running=True))

    same = follows.patches([], Around(running=True))
    waits = follows.patches([], Around(running=True, waits=True, waiting=2, title="Plans"))

    assert "Answering" in next(patch.html for patch in first if patch.target == "status")
    assert same == []
    assert "Waits for you · 2 messages wait" in next(patch.html for patch in waits if patch.target == "status")
    assert "Plans" in next(patch.html for patch in waits if patch.target == "chat-title")
