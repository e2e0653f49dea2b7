"""What the pretend Slack takes and refuses, on both sides of each edge."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from channels.emulators.slack.blocks import check_message, check_view
from channels.emulators.slack.pretend import PretendSlack
from core.clock import ManualClock
from tests.channels.emulators.slack_rig import web

Block = dict[str, Any]


def mrkdwn(length: int) -> Block:
    return {"type": "mrkdwn", "text": "x" * length}


def plain(length: int) -> Block:
    return {"type": "plain_text", "text": "x" * length}


def section(length: int) -> Block:
    return {"type": "section", "text": mrkdwn(length)}


def button(label: int = 3, **more: Any) -> Block:
    return {"type": "button", "action_id": "a", "text": plain(label)} | more


def buttons(count: int) -> list[Block]:
    return [{"type": "actions", "elements": [button(action_id=f"a{place}") for place in range(count)]}]


def select(count: int, **more: Any) -> list[Block]:
    options = [{"text": plain(3), "value": f"v{place}"} for place in range(count)]
    element = {"type": "static_select", "action_id": "a", "options": options} | more
    return [{"type": "actions", "elements": [element]}]


def in_actions(element: Block) -> list[Block]:
    return [{"type": "actions", "elements": [element]}]


EDGES: list[tuple[Callable[[int], list[Block]], int, str]] = [
    (lambda n: [{"type": "divider"}] * n, 50, "no more than 50 items allowed [json-pointer:/blocks]"),
    (
        lambda n: [section(n)],
        3000,
        "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
    ),
    (
        lambda n: [{"type": "section", "fields": [mrkdwn(n)]}],
        2000,
        "must be less than 2001 characters [json-pointer:/blocks/0/fields/0/text]",
    ),
    (
        lambda n: [{"type": "section", "fields": [mrkdwn(1)] * n}],
        10,
        "no more than 10 items allowed [json-pointer:/blocks/0/fields]",
    ),
    (
        lambda n: [{"type": "header", "text": plain(n)}],
        150,
        "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
    ),
    (
        lambda n: [{"type": "context", "elements": [mrkdwn(1)] * n}],
        10,
        "no more than 10 items allowed [json-pointer:/blocks/0/elements]",
    ),
    (buttons, 25, "no more than 25 items allowed [json-pointer:/blocks/0/elements]"),
    (
        lambda n: in_actions(button(n)),
        75,
        "must be less than 76 characters [json-pointer:/blocks/0/elements/0/text/text]",
    ),
    (
        lambda n: in_actions(button(value="v" * n)),
        2000,
        "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]",
    ),
    (
        lambda n: in_actions(button(action_id="a" * n)),
        255,
        "must be less than 256 characters [json-pointer:/blocks/0/elements/0/action_id]",
    ),
    (
        lambda n: in_actions(button(url="https://x.yz/".ljust(n, "x"))),
        3000,
        "must be less than 3001 characters [json-pointer:/blocks/0/elements/0/url]",
    ),
    (select, 100, "no more than 100 items allowed [json-pointer:/blocks/0/elements/0/options]"),
    (
        lambda n: select(1, placeholder=plain(n)),
        150,
        "must be less than 151 characters [json-pointer:/blocks/0/elements/0/placeholder/text]",
    ),
    (
        lambda n: [{"type": "markdown", "text": "x" * n}],
        12_000,
        "must be less than 12001 characters [json-pointer:/blocks/0/text]",
    ),
]


@pytest.mark.parametrize(("made", "most", "words"), EDGES)
def test_an_edge_holds_on_both_sides(made: Callable[[int], list[Block]], most: int, words: str) -> None:
    assert check_message(made(most), is_strict=True) == []
    assert check_message(made(most + 1), is_strict=True) == [words]


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([section(0)], "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
        ([{"type": "section"}], "missing required field: text [json-pointer:/blocks/0]"),
        ([{"type": "poem"}], "unsupported type: poem [json-pointer:/blocks/0/type]"),
        ([{"text": "x"}], "missing required field: type [json-pointer:/blocks/0]"),
        ([{"type": "divider", "colour": "red"}], "invalid additional property: colour [json-pointer:/blocks/0]"),
        (
            in_actions(button(text=mrkdwn(3))),
            "unsupported type: mrkdwn [json-pointer:/blocks/0/elements/0/text/type]",
        ),
        (in_actions(button(style="green")), "must be a valid enum value [json-pointer:/blocks/0/elements/0/style]"),
        (in_actions(button(url="javascript:x")), "must be a valid URL [json-pointer:/blocks/0/elements/0/url]"),
        (
            [{"type": "actions", "elements": [button(), button()]}],
            "action_id `a` already exists for this block [json-pointer:/blocks/0/elements]",
        ),
        ([{"type": "divider", "block_id": "b"}] * 2, "block_id `b` already exists [json-pointer:/blocks]"),
        (
            [{"type": "markdown", "text": "x" * 6001}] * 2,
            "markdown blocks must be less than 12001 characters in all [json-pointer:/blocks]",
        ),
        (
            in_actions({"type": "static_select", "action_id": "a"}),
            "missing required field: options [json-pointer:/blocks/0]",
        ),
        (in_actions({"type": "button", "text": plain(3)}), "strict: missing action_id [json-pointer:/blocks/0]"),
    ],
)
def test_what_is_wrong_is_pointed_at(blocks: list[Block], words: str) -> None:
    assert check_message(blocks, is_strict=True) == [words]


def modal(**more: Any) -> Block:
    return {"type": "modal", "title": plain(5), "submit": plain(4), "blocks": []} | more


def asked(element: Block) -> list[Block]:
    return [{"type": "input", "block_id": "b", "label": plain(3), "element": element}]


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (modal(), []),
        (modal(title=plain(24)), []),
        (modal(title=plain(25)), ["must be less than 25 characters [json-pointer:/view/title/text]"]),
        (modal(blocks=[{"type": "divider"}] * 100), []),
        (modal(blocks=[{"type": "divider"}] * 101), ["no more than 100 items allowed [json-pointer:/view/blocks]"]),
        (
            {"type": "modal", "title": plain(5), "blocks": asked({"type": "plain_text_input", "action_id": "a"})},
            ["missing required field: submit [json-pointer:/view]"],
        ),
        (
            modal(blocks=[{"type": "markdown", "text": "x"}]),
            ["unsupported type: markdown [json-pointer:/view/blocks/0/type]"],
        ),
        (modal(blocks=asked(button())), ["unsupported type: button [json-pointer:/view/blocks/0/element/type]"]),
        (modal(private_metadata="x" * 3000), []),
        (
            modal(private_metadata="x" * 3001),
            ["must be less than 3001 characters [json-pointer:/view/private_metadata]"],
        ),
    ],
)
def test_a_form_is_held_to_its_limits(view: Block, words: list[str]) -> None:
    assert check_view(view) == words


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncIterator[PretendSlack]:
    async with PretendSlack(clock=clock) as slack:
        yield slack


@pytest.fixture
def client(slack: PretendSlack) -> AsyncWebClient:
    return web(slack)


@pytest.fixture
def room(slack: PretendSlack) -> str:
    return slack.channel("general", [slack.person("Ann")]).id


async def refusal(client: AsyncWebClient, method: str, **values: Any) -> str:
    """The word with which Slack refuses a call."""
    with pytest.raises(SlackApiError) as refused:
        await client.api_call(method, json=values)
    word: str = refused.value.response["error"]
    return word


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({}, "no_text"),
        ({"text": ""}, "no_text"),
        ({"text": "x", "blocks": [section(3001)]}, "invalid_blocks"),
        ({"text": "x", "blocks": [section(2700)] * 5}, "msg_blocks_too_long"),
        ({"text": "x", "blocks": "nonsense"}, "invalid_blocks_format"),
        ({"text": "x", "markdown_text": "y"}, "markdown_text_conflict"),
        ({"markdown_text": "x", "blocks": [section(1)]}, "markdown_text_conflict"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"blocks": [section(1)]}, "invalid_arguments"),
        ({"text": "x", "colour": "red"}, "invalid_arguments"),
        ({"text": "x", "thread_ts": "1.0"}, "invalid_arguments"),
    ],
)
async def test_a_message_that_slack_would_not_take_is_refused(
    client: AsyncWebClient, room: str, values: dict[str, Any], word: str
) -> None:
    assert await refusal(client, "chat.postMessage", channel=room, **values) == word


async def test_the_refusal_of_blocks_says_what_is_wrong_where(client: AsyncWebClient, room: str) -> None:
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel=room, text="x", blocks=[section(0)])

    words = "must be more than 0 characters [json-pointer:/blocks/0/text/text]"
    assert refused.value.response["errors"] == [words]
    assert refused.value.response["response_metadata"]["messages"] == [f"[ERROR] {words}"]


async def test_a_long_text_is_cut_off_with_a_warning(slack: PretendSlack, client: AsyncWebClient, room: str) -> None:
    answer = await client.chat_postMessage(channel=room, text="x" * 40_001)

    assert answer["warning"] == "message_truncated"
    assert len(answer["message"]["text"]) == 40_000


async def test_rooms_that_cannot_be_written_in_say_why(slack: PretendSlack, client: AsyncWebClient) -> None:
    ann = slack.person("Ann")
    closed, quiet = slack.channel("old", [ann]), slack.channel("news", [ann])
    foreign, hidden = slack.channel("them", [ann], bots=[]), slack.channel("us", [ann], bots=[], private=True)
    await closed.archive()
    await quiet.set_read_only()

    words = [
        await refusal(client, "chat.postMessage", channel=name, text="x")
        for name in (closed.id, quiet.id, foreign.id, hidden.id, "C404")
    ]

    assert words == [
        "is_archived",
        "restricted_action_read_only_channel",
        "not_in_channel",
        "channel_not_found",
        "channel_not_found",
    ]


async def test_a_scope_that_is_taken_away_is_missed(slack: PretendSlack, client: AsyncWebClient, room: str) -> None:
    slack.bot.scopes.discard("chat:write")

    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel=room, text="x")

    assert refused.value.response["error"] == "missing_scope"
    assert refused.value.response["needed"] == "chat:write"


@pytest.mark.parametrize(("token", "word"), [("xoxb-other", "invalid_auth"), ("", "not_authed")])
async def test_a_wrong_token_opens_nothing(slack: PretendSlack, token: str, word: str) -> None:
    client = AsyncWebClient(token=token, base_url=slack.base_url)

    assert await refusal(client, "chat.postMessage", channel="C1", text="x") == word


async def test_a_revoked_token_opens_nothing(slack: PretendSlack, client: AsyncWebClient) -> None:
    slack.bot.revoked = True

    assert await refusal(client, "auth.test") == "token_revoked"


async def test_only_the_app_s_own_token_opens_a_connection(slack: PretendSlack, client: AsyncWebClient) -> None:
    opened = await client.apps_connections_open(app_token=slack.bot.app_token)

    assert opened["url"].startswith(f"ws://127.0.0.1:{slack.port}/link/?ticket=")
    assert await refusal(client, "apps.connections.open") == "not_allowed_token_type"


async def test_an_emoji_is_put_once_and_taken_once(slack: PretendSlack, client: AsyncWebClient, room: str) -> None:
    ts = str((await client.chat_postMessage(channel=room, text="x"))["ts"])
    about = {"channel": room, "timestamp": ts, "name": "eyes"}

    await client.reactions_add(**about)
    again = await refusal(client, "reactions.add", **about)
    await client.reactions_remove(**about)
    gone = await refusal(client, "reactions.remove", **about)

    assert (again, gone) == ("already_reacted", "no_reaction")


async def test_what_is_not_there_or_not_one_s_own_cannot_be_changed(
    slack: PretendSlack, client: AsyncWebClient
) -> None:
    chat = slack.person("Ann").private_chat()
    said = await chat.say("mine")

    words = [
        await refusal(client, "chat.update", channel=chat.chat.id, ts="1.0", text="x"),
        await refusal(client, "chat.update", channel=chat.chat.id, ts=said.id, text="x"),
        await refusal(client, "chat.delete", channel=chat.chat.id, ts=said.id),
        await refusal(client, "chat.fly"),
    ]

    assert words == ["message_not_found", "cant_update_message", "cant_delete_message", "unknown_method"]
