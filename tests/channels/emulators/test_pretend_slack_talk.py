"""What people read in the pretend Slack, what an app hears of a room, answers by URL, streams and files."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from channels.emulators.phone import Phone
from channels.emulators.slack.mrkdwn import escaped, plain, plain_markdown
from channels.emulators.slack.pretend import PretendSlack
from channels.emulators.slack.screen import Player, Screen
from core.clock import ManualClock
from tests.channels.emulators.slack_rig import web


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncIterator[PretendSlack]:
    async with PretendSlack(clock=clock) as slack:
        yield slack


@pytest.fixture
def client(slack: PretendSlack) -> AsyncWebClient:
    return web(slack)


@pytest.fixture
def ann(slack: PretendSlack) -> Player:
    return slack.person("Ann Lee")


@pytest.fixture
def chat(ann: Player) -> Screen:
    return ann.private_chat()


def names(account_id: str) -> str:
    return {"U1": "Ann Lee", "C1": "general"}.get(account_id, account_id)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("*bold* _italic_ ~gone~", "bold italic gone"),
        ("2*3*4 and snake_case_name", "2*3*4 and snake_case_name"),
        ("<https://x.yz/a_b_c|the *docs*> and <https://x.yz>", "the *docs* and https://x.yz"),
        ("<mailto:a@b.cd|a@b.cd>", "a@b.cd"),
        ("&lt;b&gt; &amp;amp;", "<b> &amp;"),
        ("<@U1> in <#C1> and <#C2|other>", "@Ann Lee in #general and #other"),
        ("<!here> <!subteam^S1|@team>", "@here @team"),
        ("&gt; said\n> too", "said\ntoo"),
        ("`a *b*` and ```\nc _d_\n```", "a *b* and c _d_"),
        ("• one\n1. two", "• one\n1. two"),
    ],
)
def test_mrkdwn_is_read_without_its_signs(text: str, words: str) -> None:
    assert plain(text, names) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Title\n\n**bold** *it* ~~gone~~ `code`", "Title\nbold it gone code"),
        ("- one\n- two\n  - deep\n", "• one\n• two\n  • deep"),
        ("3. three\n4. four", "3. three\n4. four"),
        ("```py\nx = 1\n\ny = 2\n```", "x = 1\n\ny = 2"),
        ("| a | b |\n|---|---|\n| 1 | **2** |", "a | b\n1 | 2"),
        ("[docs](https://x.yz) \\*not bold\\*", "docs *not bold*"),
        ("> quoted", "quoted"),
        ("<@U1> &lt;b>", "@Ann Lee <b>"),
        ("a  \nb", "a\nb"),
    ],
)
def test_a_markdown_block_is_read_without_its_signs(text: str, words: str) -> None:
    assert plain_markdown(text, names) == words


@given(st.text("ab <>&;#@!|/\n").filter(lambda words: not words.startswith(">") and "\n>" not in words))
def test_what_a_person_types_reads_as_they_typed_it(words: str) -> None:
    assert plain(escaped(words), names) == words


@given(st.text("ab*_~`<>&;#@!|-1. \n"))
def test_nothing_of_how_it_is_read_shows_in_any_markup(text: str) -> None:
    assert "\x00" not in plain(text, names) + plain_markdown(text, names)


def test_slack_knows_three_escapes_only() -> None:
    assert plain("&nbsp;&amp;nbsp;&lt;", names) == "&nbsp;&nbsp;<"


async def test_blocks_are_read_line_by_line(client: AsyncWebClient, chat: Screen) -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": "Plan"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "*Go*?"}},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "*When*"}, {"type": "plain_text", "text": "*now*"}]},
        {"type": "divider"},
        {"type": "markdown", "text": "1. **one**"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "_by_"}, {"type": "mrkdwn", "text": "me"}]},
        {
            "type": "actions",
            "elements": [
                {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "Yes"}, "style": "primary"},
                {
                    "type": "button",
                    "action_id": "b",
                    "text": {"type": "plain_text", "text": "?"},
                    "url": "https://x.yz",
                },
            ],
        },
    ]

    await client.chat_postMessage(channel=chat.chat.id, text="Plan: go?", blocks=blocks)

    seen = chat.answers[0]
    assert seen.text == "Plan\nGo?\nWhen\n*now*\n1. one\nby me"
    assert seen.raw == "Plan: go?"
    assert seen.labels == [["Yes", "?"]]
    assert [(button.does, button.style) for button in seen.buttons[0]] == [("button", "primary"), ("url", None)]


def test_a_screen_does_what_every_phone_does(chat: Screen) -> None:
    phone: Phone = chat

    assert phone.messages == []


async def test_a_name_that_is_typed_becomes_a_mention(slack: PretendSlack, ann: Player) -> None:
    chat = slack.channel("general", [ann]).screen(ann)

    said = await chat.say("@Ann Lee, ask @Pretend: a@b.cd?")

    assert said.raw == f"<@{ann.id}>, ask <@{slack.bot.id}>: a@b.cd?"
    assert said.text == "@Ann Lee, ask @Pretend: a@b.cd?"


async def test_what_a_person_types_comes_as_a_block_too(slack: PretendSlack, ann: Player) -> None:
    await slack.channel("general", [ann]).screen(ann).mention("a < b")

    block = (await sent(slack))[0].payload["event"]["blocks"][0]
    assert block["type"] == "rich_text"
    assert block["elements"][0]["elements"] == [
        {"type": "user", "user_id": slack.bot.id},
        {"type": "text", "text": " a < b"},
    ]


async def test_blocks_stay_until_they_are_taken_away(chat: Screen, client: AsyncWebClient) -> None:
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*old*"}}]
    posted = await client.chat_postMessage(channel=chat.chat.id, text="old", blocks=blocks)
    ts = str(posted["ts"])

    await client.chat_update(channel=chat.chat.id, ts=ts, text="new")
    kept = chat.answers[0].text
    await client.chat_update(channel=chat.chat.id, ts=ts, text="new", blocks=[])

    assert (kept, chat.answers[0].text) == ("old", "new")
    assert chat.answers[0].revisions == ("old", "old")


async def test_changes_and_arrivals_are_told(slack: PretendSlack, ann: Player, client: AsyncWebClient) -> None:
    room = slack.channel("general", [ann])
    chat = room.screen(ann)
    said = await chat.say("one")
    await chat.edit(said, "two")
    await chat.react(said, "eyes")
    await chat.delete(said)
    await room.leave(ann)
    await room.remove_bot(slack.bot)
    await room.add_bot(slack.bot)

    events = [envelope.payload["event"] for envelope in await sent(slack)]

    kinds = [event.get("subtype") or event["type"] for event in events]
    assert kinds == [
        "message",
        "message_changed",
        "reaction_added",
        "message_deleted",
        "member_left_channel",
        "member_left_channel",
        "channel_join",
        "member_joined_channel",
    ]
    assert (events[1]["message"]["text"], events[1]["previous_message"]["text"]) == ("two", "one")
    assert (events[3]["deleted_ts"], events[3]["hidden"]) == (said.id, True)


async def sent(slack: PretendSlack) -> list[Any]:
    """What is on its way, once everything that was begun has begun."""
    await web(slack).auth_test()
    return slack.envelopes("events_api")


async def test_a_bot_hears_what_it_says_itself_with_its_bot_id(
    slack: PretendSlack, chat: Screen, client: AsyncWebClient
) -> None:
    posted = await client.chat_postMessage(channel=chat.chat.id, text="mine")

    event = (await sent(slack))[0].payload["event"]
    assert (event["bot_id"], event["user"], event["ts"]) == (slack.bot.bot_id, slack.bot.user_id, posted["ts"])


async def test_an_answer_in_a_thread_stands_under_its_message(chat: Screen, client: AsyncWebClient) -> None:
    said = await chat.say("question")
    answer = await client.chat_postMessage(channel=chat.chat.id, text="answer", thread_ts=said.id)
    more = await chat.reply(str(answer["ts"]), "more")

    thread = await client.conversations_replies(channel=chat.chat.id, ts=said.id)
    history = await client.conversations_history(channel=chat.chat.id)

    assert [seen.text for seen in chat.in_thread(said)] == ["question", "answer", "more"]
    assert more.thread == said.id
    assert [message["text"] for message in thread["messages"]] == ["question", "answer", "more"]
    assert [message["text"] for message in history["messages"]] == ["question"]


async def test_history_is_read_in_pages_from_the_newest_on(chat: Screen, client: AsyncWebClient) -> None:
    said = [await chat.say(word) for word in "abc"]

    first = await client.conversations_history(channel=chat.chat.id, limit=2)
    cursor = first["response_metadata"]["next_cursor"]
    second = await client.conversations_history(channel=chat.chat.id, limit=2, cursor=cursor)
    since = await client.conversations_history(channel=chat.chat.id, oldest=said[0].id)

    assert [m["text"] for m in first["messages"]] == ["c", "b"]
    assert (first["has_more"], second["has_more"]) == (True, False)
    assert [m["text"] for m in second["messages"]] == ["a"]
    assert [m["text"] for m in since["messages"]] == ["c", "b"]


async def test_a_response_url_answers_five_times_within_half_an_hour(
    slack: PretendSlack, chat: Screen, clock: ManualClock
) -> None:
    for word in ("first", "second"):
        await chat.slash("/conch", word)
    await sent(slack)
    urls = [envelope.payload["response_url"] for envelope in slack.envelopes("slash_commands")]
    hooks = [AsyncWebhookClient(url) for url in urls]

    statuses = [(await hooks[0].send(text=str(place))).status_code for place in range(6)]
    await clock.advance(1801)
    late = await hooks[1].send(text="late")

    assert statuses == [200] * 5 + [404]
    assert late.status_code == 404
    assert [seen.text for seen in chat.answers] == ["0", "1", "2", "3", "4"]
    assert all(seen.ephemeral for seen in chat.answers)


async def test_a_response_url_replaces_or_takes_away_what_was_pressed(
    slack: PretendSlack, chat: Screen, client: AsyncWebClient
) -> None:
    element = {"type": "button", "action_id": "a", "value": "v", "text": {"type": "plain_text", "text": "Go"}}
    await client.chat_postMessage(channel=chat.chat.id, text="x", blocks=[{"type": "actions", "elements": [element]}])
    await chat.press(chat.answers[0], "Go")
    await sent(slack)
    hook = AsyncWebhookClient(slack.envelopes("interactive")[0].payload["response_url"])

    await hook.send(text="gone *green*", replace_original=True)
    replaced = chat.answers[0]
    await hook.send(delete_original=True)

    assert (replaced.text, replaced.labels, replaced.edited) == ("gone green", [], True)
    assert chat.answers == []


async def test_a_stream_is_written_where_people_look_on(
    slack: PretendSlack, ann: Player, client: AsyncWebClient
) -> None:
    chat = slack.channel("general", [ann]).screen(ann)
    said = await chat.mention("tell me")
    stream = await client.chat_stream(
        channel=chat.chat.id,
        thread_ts=said.id,
        recipient_team_id=slack.bot.team_id,
        recipient_user_id=ann.id,
        buffer_size=1,
    )

    await stream.append(markdown_text="**Hello** ")
    begun = chat.answers[0]
    await stream.append(markdown_text="world")
    await stream.stop()

    assert (begun.text, begun.streaming, begun.thread) == ("Hello", True, said.id)
    assert (chat.answers[0].text, chat.answers[0].streaming) == ("Hello world", False)


async def test_a_stream_needs_a_thread_somebody_and_an_end(
    slack: PretendSlack, ann: Player, client: AsyncWebClient
) -> None:
    chat = slack.channel("general", [ann]).screen(ann)
    said = await chat.mention("tell me")

    async def refusal(method: str, **values: Any) -> str:
        with pytest.raises(SlackApiError) as refused:
            await client.api_call(method, json={"channel": chat.chat.id} | values)
        return str(refused.value.response["error"])

    words = [
        await refusal("chat.startStream", markdown_text="x"),
        await refusal("chat.startStream", markdown_text="x", thread_ts=said.id),
        await refusal("chat.startStream", markdown_text="x", thread_ts=said.id, recipient_team_id="T"),
        await refusal("chat.appendStream", markdown_text="x", ts=said.id),
    ]
    posted = await client.chat_postMessage(channel=chat.chat.id, text="x")
    words.append(await refusal("chat.appendStream", markdown_text="x", ts=posted["ts"]))

    assert words == [
        "invalid_arguments",
        "missing_recipient_team_id",
        "missing_recipient_user_id",
        "message_not_owned_by_app",
        "message_not_in_streaming_state",
    ]


async def test_a_status_is_shown_until_the_answer_comes(
    chat: Screen, client: AsyncWebClient, clock: ManualClock
) -> None:
    said, other = await chat.say("question"), await chat.say("another")
    for message in (said, other):
        await client.assistant_threads_setStatus(channel_id=chat.chat.id, thread_ts=message.id, status="is thinking...")
    shown = chat.status_in(said)

    await client.chat_postMessage(channel=chat.chat.id, text="answer", thread_ts=said.id)
    await clock.advance(121)

    assert shown == "is thinking..."
    assert (chat.status_in(said), chat.status_in(other)) == (None, None)


async def test_a_file_of_a_person_is_fetched_with_the_token_only(slack: PretendSlack, chat: Screen) -> None:
    said = await chat.file("notes.txt", b"words", "look")
    event = (await sent(slack))[0].payload["event"]
    url = event["files"][0]["url_private_download"]

    async with aiohttp.ClientSession() as session:
        async with session.get(url, headers={"Authorization": f"Bearer {slack.bot.token}"}) as response:
            fetched = await response.read()
        async with session.get(url) as response:
            refused = (response.content_type, await response.text())

    assert (event["subtype"], event["text"], event["files"][0]["name"]) == ("file_share", "look", "notes.txt")
    assert said.files[0].size == 5
    assert fetched == b"words"
    assert refused[0] == "text/html"
    assert "Sign in" in refused[1]


async def test_a_bot_sends_a_file_in_three_steps(chat: Screen, client: AsyncWebClient) -> None:
    await client.files_upload_v2(
        channel=chat.chat.id, filename="plan.md", content="# Plan", initial_comment="Here", title="The plan"
    )

    seen = chat.answers[0]
    assert seen.text == "Here"
    assert [(file.name, file.size) for file in seen.files] == [("plan.md", 6)]


async def test_only_one_person_sees_an_ephemeral_message(slack: PretendSlack, ann: Player) -> None:
    bob = slack.person("Bob")
    room = slack.channel("general", [ann, bob])

    await web(slack).chat_postEphemeral(channel=room.id, user=ann.id, text="psst")

    assert [seen.text for seen in room.screen(ann).messages] == ["psst"]
    assert room.screen(bob).messages == []


async def test_who_is_there_can_be_asked(slack: PretendSlack, ann: Player, client: AsyncWebClient) -> None:
    room = slack.channel("general", [ann])
    opened = await client.conversations_open(users=ann.id)

    who = await client.users_info(user=ann.id)
    about = await client.conversations_info(channel=room.id)
    inside = await client.conversations_members(channel=room.id)
    rooms = await client.users_conversations(types="public_channel,im")

    assert (who["user"]["real_name"], who["user"]["is_bot"]) == ("Ann Lee", False)
    assert (about["channel"]["name"], about["channel"]["is_member"]) == ("general", True)
    assert set(inside["members"]) == {ann.id, slack.bot.id}
    assert {found["id"] for found in rooms["channels"]} == {room.id, opened["channel"]["id"]}


@pytest.mark.parametrize("kind", ["fatal_error", "msg_too_long", "token_revoked", "missing_scope", "restricted_action"])
async def test_a_refusal_can_be_asked_for(slack: PretendSlack, chat: Screen, client: AsyncWebClient, kind: str) -> None:
    slack.faults.add(kind, method="chat.postMessage")

    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel=chat.chat.id, text="x")
    await client.chat_postMessage(channel=chat.chat.id, text="y")

    assert refused.value.response["error"] == kind
    assert [seen.text for seen in chat.answers] == ["y"]


async def test_a_flood_says_how_long_to_wait(slack: PretendSlack, chat: Screen, client: AsyncWebClient) -> None:
    slack.faults.add("ratelimited", method="chat.postMessage", seconds=7)

    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel=chat.chat.id, text="x")

    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["Retry-After"] == "7"


async def test_too_many_messages_in_one_room_are_refused_for_a_while(
    slack: PretendSlack, chat: Screen, client: AsyncWebClient, clock: ManualClock
) -> None:
    slack.rates.switch(True)
    other = slack.channel("general", [chat.person])

    for word in ("a", "b", "c"):
        await client.chat_postMessage(channel=chat.chat.id, text=word)
    with pytest.raises(SlackApiError) as refused:
        await client.chat_postMessage(channel=chat.chat.id, text="d")
    await client.chat_postMessage(channel=other.id, text="elsewhere")
    await clock.advance(3)
    await client.chat_postMessage(channel=chat.chat.id, text="e")

    assert refused.value.response.headers["Retry-After"] == "3"
    assert [seen.text for seen in chat.answers] == ["a", "b", "c", "e"]


async def test_a_method_may_be_called_as_often_as_its_tier_says(
    slack: PretendSlack, client: AsyncWebClient, clock: ManualClock
) -> None:
    slack.rates.switch(True)

    for _ in range(20):
        await client.users_list()
    with pytest.raises(SlackApiError) as refused:
        await client.users_list()
    await clock.advance(60)
    await client.users_list()

    assert refused.value.response.headers["Retry-After"] == "60"


@pytest.mark.parametrize(("kind", "seen"), [("cut", []), ("lost", ["x"])])
async def test_a_connection_drops_before_or_after_the_message_is_there(
    slack: PretendSlack, chat: Screen, client: AsyncWebClient, kind: str, seen: list[str]
) -> None:
    slack.faults.add(kind, method="chat.postMessage")
    client.retry_handlers.clear()

    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=chat.chat.id, text="x")

    assert [message.text for message in chat.answers] == seen
    assert [record.status for record in slack.calls("chat.postMessage")] == [0]
