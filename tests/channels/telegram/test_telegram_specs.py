"""The published description of the Bot API as a second judge: of our calls, of our payloads, of what parse takes."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels.base import Button, ButtonStyle, ChatRef, MessageRef, OutboundFile, OutboundMessage, Press, Sender
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.schema import FILE_NAME, SchemaCheck
from channels.telegram import content, limits, render
from channels.telegram.render import ApiCall, Manner
from commands.command import Section
from commands.menus import MenuEntry, native_menu
from core.clock import ManualClock
from core.events import ChatKind
from tests.channels.telegram.connected import Connected, connect, listening
from tests.channels.telegram.payloads import NAMES, PARSER, load

pytestmark = pytest.mark.specs


@pytest.fixture(scope="module")
def path() -> Path:
    return Path(os.environ["CONCH_PLATFORM_SPECS"]) / FILE_NAME


@pytest.fixture(scope="module")
def schema(path: Path) -> SchemaCheck:
    return SchemaCheck(path)


@pytest.fixture(scope="module")
def described(path: Path) -> dict[str, Any]:
    types: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["types"]
    return types


# ---- what we say ---------------------------------------------------------------------------------------------------

IDS = st.integers(min_value=1, max_value=2**52).map(str)
CHATS = st.builds(ChatRef, st.just("tg"), IDS | IDS.map("-".__add__), st.sampled_from(ChatKind), thread=st.none() | IDS)
WORDS = st.text(min_size=1, max_size=60)
BUTTONS = st.lists(
    st.builds(Button, WORDS, token=st.text("abcXYZ019-_", min_size=1, max_size=64), style=st.sampled_from(ButtonStyle))
    | st.builds(Button, WORDS, url=st.just("https://example.org"), style=st.sampled_from(ButtonStyle)),
    max_size=8,
).map(tuple)
FILES = st.builds(OutboundFile, st.just(Path("x")), WORDS, st.sampled_from(["image/png", "image/svg+xml", "text/csv"]))
MESSAGES = st.builds(
    OutboundMessage,
    WORDS | st.text(min_size=1000, max_size=1100),
    WORDS,
    st.just("key"),
    file=st.none() | FILES,
    buttons=BUTTONS,
    reply_to=st.none() | IDS,
    silent=st.booleans(),
)
MANNERS = st.builds(Manner, st.booleans(), st.booleans(), st.booleans())
REFERENCES = st.builds(MessageRef, CHATS, IDS)
PRESSES = st.builds(
    Press, IDS, WORDS, REFERENCES, st.just(Sender("1", "Ada")), st.just("1"), st.just(ManualClock().now())
)
ENTRIES = st.lists(
    st.builds(MenuEntry, st.from_regex(r"[a-z0-9_]{1,32}", fullmatch=True), WORDS, st.just(Section.CONCH)), max_size=9
)
CALLS = st.one_of(
    st.builds(render.send, CHATS, MESSAGES, MANNERS),
    st.builds(render.edit, REFERENCES, MESSAGES, MANNERS).map(lambda call: (call,)),
    st.builds(render.delete, REFERENCES).map(lambda call: (call,)),
    st.builds(render.draft, CHATS, st.integers(1, 2**31), WORDS, WORDS, MANNERS).map(lambda call: (call,)),
    st.builds(render.typing, CHATS).map(lambda call: (call,)),
    st.builds(render.answer_press, PRESSES, st.none() | st.text(max_size=300)).map(lambda call: (call,)),
    st.builds(render.set_menu, ENTRIES, st.sampled_from(["default", "all_group_chats"])).map(lambda call: (call,)),
    st.builds(render.get_updates, st.integers(0, 2**52), st.integers(0, limits.POLL_SECONDS)).map(lambda call: (call,)),
    st.builds(render.get_file, WORDS).map(lambda call: (call,)),
    st.sampled_from([(render.get_me(),), (render.get_webhook(),), (render.delete_webhook(),)]),
)


@given(calls=CALLS)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_every_call_that_can_be_made_is_one_of_the_bot_api(schema: SchemaCheck, calls: tuple[ApiCall, ...]) -> None:
    problems = [
        problem
        for call in calls
        for problem in schema.request(call.method, {**call.parameters, **dict.fromkeys(call.files, "<file>")})
    ]

    assert problems == []


@pytest.fixture
async def judged(schema: SchemaCheck) -> AsyncIterator[Connected]:
    async with PretendTelegram(judge=schema) as telegram, connect(telegram) as connected:
        yield connected


async def test_a_conversation_on_the_wire_is_as_published(judged: Connected) -> None:
    chat = ChatRef("tg", str(judged.ada.id))
    ask = OutboundMessage("<b>May</b> I?", "May I?", "k", buttons=(Button("Yes", token="t"),), reply_to="1")
    async with listening(judged) as ear:
        await judged.channel.set_menu(native_menu("telegram"))
        await judged.channel.typing(chat)
        await judged.channel.draft(chat, 1, "<i>so</i>", "so")
        reference = await judged.channel.send(chat, ask)
        await judged.chat.press(judged.chat.answers[-1], "Yes")
        await judged.channel.answer_press(await ear.press(), "Thanks")
        await judged.channel.edit(reference, OutboundMessage("done", "done", "k"))
        await judged.channel.delete(reference)

    assert judged.telegram.problems == []


# ---- what we hear --------------------------------------------------------------------------------------------------


def test_every_service_message_is_known_as_one(described: dict[str, Any]) -> None:
    named = {
        field["name"] for field in described["Message"]["fields"] if "service message" in field["description"].lower()
    }

    assert named - content.SERVICE_FIELDS == set()


def test_no_service_message_is_known_that_does_not_exist(described: dict[str, Any]) -> None:
    assert content.SERVICE_FIELDS - {field["name"] for field in described["Message"]["fields"]} == set()


UNPUBLISHED = (
    "new_chat_participant",  # old fields, which Telegram still sends
    "message.new_chat_member:",
    "all_members_are_administrators",
    "RichText",  # may be a mere text, which the check cannot say of a type with variants
)


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_payloads_are_as_published(schema: SchemaCheck, name: str) -> None:
    problems = [problem for problem in schema.update(load(name)) if not any(word in problem for word in UNPUBLISHED)]

    assert problems == []


@dataclass(frozen=True, eq=False)
class Published:
    """Random values of published types. Beyond `depth` only what must be there."""

    types: Mapping[str, Any]

    @cache  # noqa: B019 - one for all tests
    def values(self, kind: str, depth: int) -> st.SearchStrategy[Any]:
        if kind in PLAIN:
            return PLAIN[kind]
        if kind.startswith("Array of "):
            return st.lists(self.values(kind.removeprefix("Array of "), depth), max_size=2 if depth > 0 else 0)
        if subtypes := self.types[kind].get("subtypes"):
            return st.one_of([self.values(subtype, depth) for subtype in subtypes])
        needed, possible = {}, {}
        for field in self.types[kind].get("fields", []):
            if field["required"]:
                needed[field["name"]] = self.field(kind, field, depth - 1)
            elif depth > 0:
                possible[field["name"]] = self.field(kind, field, depth - 1)
        return st.fixed_dictionaries(needed, optional=possible)

    def field(self, kind: str, field: Mapping[str, Any], depth: int) -> st.SearchStrategy[Any]:
        """By name where the name says more than the type."""
        if field["name"] in TELLING:
            return TELLING[field["name"]]
        if (kind, field["name"]) in TELLING_OF_TYPE:
            return TELLING_OF_TYPE[kind, field["name"]]
        return st.deferred(lambda: st.one_of([self.values(name, depth) for name in field["types"]]))


PLAIN: Mapping[str, st.SearchStrategy[Any]] = {
    "String": st.text(max_size=12),
    "Integer": st.integers(0, 2**40),
    "Float": st.floats(-90, 90),
    "Boolean": st.booleans(),
    "True": st.just(True),
}
TELLING = {
    "date": st.integers(1, 2**33),
    "edit_date": st.integers(1, 2**33),
    "status": st.sampled_from(["creator", "administrator", "member", "restricted", "left", "kicked"]),
}
TELLING_OF_TYPE = {
    ("Chat", "type"): st.sampled_from(["private", "group", "supergroup", "channel"]),
    ("MessageEntity", "type"): st.sampled_from(["mention", "text_mention", "bot_command", "bold", "of tomorrow"]),
    ("MessageEntity", "user"): st.just({"id": 5550001111, "is_bot": True, "first_name": "Conch"}),
    ("MessageEntity", "offset"): st.integers(0, 14),
    ("MessageEntity", "length"): st.integers(1, 14),
}


@pytest.fixture(scope="module")
def random_values(described: dict[str, Any]) -> Published:
    return Published(described)


TYPES = {
    "message": "Message",
    "edited_message": "Message",
    "callback_query": "CallbackQuery",
    "my_chat_member": "ChatMemberUpdated",
}


@given(data=st.data(), kind=st.sampled_from(sorted(TYPES)))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    deadline=None,
)
def test_no_update_as_published_is_ever_refused(random_values: Published, data: st.DataObject, kind: str) -> None:
    payload = data.draw(random_values.values(TYPES[kind], 1))

    found = PARSER.parse({"update_id": 1, kind: payload})

    assert len(found) <= 1
