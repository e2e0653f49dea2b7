"""Talking on the pretend Teams, with the real SDK as the bot and without any."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from botbuilder.core import CardFactory, InvokeResponse, MessageFactory, TurnContext
from botbuilder.schema import Activity, ActivityTypes

from channels.emulators.teams.keys import Key
from channels.emulators.teams.pretend import PretendTeams
from channels.emulators.teams.screen import Screen
from core.clock import ManualClock
from tests.channels.emulators.teams_rig import card, execute, on_sdk, on_wire, submit, take, words


@pytest.fixture
async def teams(clock: ManualClock, teams_key: Key) -> AsyncIterator[PretendTeams]:
    async with PretendTeams(clock=clock, key=teams_key) as teams:
        yield teams


@pytest.fixture
def chat(teams: PretendTeams) -> Screen:
    return teams.person("Ann Lee").private_chat()


async def test_the_sdk_answers_edits_and_deletes(clock: ManualClock, teams_key: Key) -> None:
    async def turn(context: TurnContext) -> None:
        await context.send_activity(Activity(type=ActivityTypes.typing))
        said = await context.send_activity(f"You said **{context.activity.text}**")
        changed = MessageFactory.text("_Changed_")
        changed.id = said.id
        await context.update_activity(changed)
        gone = await context.send_activity("to delete")
        await context.delete_activity(gone.id)
        await context.send_activity("done")

    async with PretendTeams(clock=clock, apart=True, key=teams_key) as teams, on_sdk(teams, turn) as bot:
        chat = teams.person("Ann").private_chat()
        await chat.say("hello")
        await chat.wait_for(lambda seen: [message for message in seen if message.text == "done"])

    assert [(seen.text, seen.edited, seen.revisions) for seen in chat.answers] == [
        ("Changed", True, ("You said hello",)),
        ("done", False, ()),
    ]
    assert bot.raised == []


async def test_the_sdk_answers_what_is_pressed(clock: ManualClock, teams_key: Key) -> None:
    pressed: list[Any] = []

    async def turn(context: TurnContext) -> None:
        activity = context.activity
        if activity.type == ActivityTypes.invoke:
            pressed.append(activity.value["action"])
            body = {"statusCode": 200, "type": "application/vnd.microsoft.activity.message", "value": "Noted."}
            answer = Activity(type=ActivityTypes.invoke_response, value=InvokeResponse(status=200, body=body))
            await context.send_activity(answer)
        elif activity.value is not None:
            pressed.append((activity.text, activity.value))
            await context.send_activity("Submitted.")
        else:
            asked = card(words("Which?"), actions=[submit("One", n=1), execute("Two", n=2)])
            await context.send_activity(MessageFactory.attachment(CardFactory.adaptive_card(asked)))

    async with PretendTeams(clock=clock, apart=True, key=teams_key) as teams, on_sdk(teams, turn):
        chat = teams.person("Ann").private_chat()
        await chat.say("ask me")
        asked = await chat.wait_for_answer()
        await chat.press(asked, "One")
        submitted = await chat.wait_for_answer()
        executed = await chat.answer_to(await chat.press(asked, "Two"))

    assert (asked.text, asked.labels) == ("Which?", [["One", "Two"]])
    assert (submitted.text, executed.text) == ("Submitted.", "Noted.")
    assert pressed[0] == (None, {"n": 1})
    assert (pressed[1]["verb"], pressed[1]["data"]) == ("go", {"n": 2})


async def test_a_message_is_posted_as_teams_posts_it(teams: PretendTeams, chat: Screen) -> None:
    async with on_wire(teams, take):
        said = await chat.say("hello")
        await teams.delivered()

    [delivery] = teams.deliveries()
    activity = delivery.activity
    assert (activity["type"], activity["id"], activity["text"]) == ("message", said.id, "hello")
    assert (activity["channelId"], activity["serviceUrl"]) == ("msteams", teams.service_url)
    assert activity["conversation"]["conversationType"] == "personal"
    assert activity["conversation"]["tenantId"] == teams.bot.tenant
    assert activity["from"]["id"].startswith("29:")
    assert activity["recipient"] == {"id": f"28:{teams.bot.app_id}", "name": "Conch"}


async def test_edits_and_deletions_are_told(teams: PretendTeams, chat: Screen) -> None:
    async with on_wire(teams, take):
        said = await chat.say("helo")
        await chat.edit(said, "hello")
        await chat.delete(said)
        await teams.delivered()

    told = {delivery.kind: delivery.activity for delivery in teams.deliveries()}
    assert told["messageUpdate"]["text"] == "hello"
    assert told["messageUpdate"]["channelData"]["eventType"] == "editMessage"
    assert told["messageDelete"]["id"] == said.id
    assert chat.messages == []


async def test_a_bot_hears_that_it_was_added_and_taken_away(teams: PretendTeams) -> None:
    chat = teams.person("Ann").new_chat()
    async with on_wire(teams, take) as wire:
        before, why = await wire.send(chat.chat.id, "too early")
        await chat.start()
        await teams.delivered()
        between, _ = await wire.send(chat.chat.id, "Hello!")
        await chat.remove()
        await teams.delivered()
        after, _ = await wire.send(chat.chat.id, "too late")

    actions = [d.activity["action"] for d in teams.deliveries("installationUpdate")]
    assert (before, between, after) == (403, 201, 403)
    assert why["error"]["code"] == "BotNotInConversationRoster"
    assert actions == ["add", "remove"]
    added = teams.deliveries("conversationUpdate")[0].activity["membersAdded"]
    assert teams.bot.id in [member["id"] for member in added]


async def test_a_bot_that_is_blocked_hears_so_when_it_writes(teams: PretendTeams, chat: Screen) -> None:
    async with on_wire(teams, take) as wire:
        await chat.block()
        status, answer = await wire.send(chat.chat.id, "hi")
        await chat.block(blocked=False)
        again, _ = await wire.send(chat.chat.id, "hi")

    assert (status, answer["error"]["code"], again) == (403, "ConversationBlockedByUser", 201)


async def test_reactions_under_a_bots_message_are_told(teams: PretendTeams, chat: Screen) -> None:
    async with on_wire(teams, take) as wire:
        _, sent = await wire.send(chat.chat.id, "hi")
        await chat.react(sent["id"], "heart")
        await teams.delivered()
        await chat.react(sent["id"], "heart", remove=True)
        await teams.delivered()

    first, second = (delivery.activity for delivery in teams.deliveries("messageReaction"))
    assert (first["reactionsAdded"], first["replyToId"]) == ([{"type": "heart"}], sent["id"])
    assert second["reactionsRemoved"] == [{"type": "heart"}]


async def test_suggested_actions_stand_under_the_last_message_only(teams: PretendTeams, chat: Screen) -> None:
    chips = {"actions": [{"type": "imBack", "title": "More", "value": "tell me more"}]}
    async with on_wire(teams, take) as wire:
        await wire.send(chat.chat.id, "An answer", suggestedActions=chips)
        shown = chat.messages[-1]
        press = await chat.press(shown, "More")
        await teams.delivered()
        answer = await chat.answer_to(press)

    assert (shown.labels, answer.text) == ([["More"]], "")
    assert [message.text for message in chat.messages] == ["An answer", "tell me more"]
    assert teams.deliveries("message")[-1].activity["text"] == "tell me more"
    assert chat.messages[0].labels == []
    with pytest.raises(LookupError, match="nothing 'More'"):
        await chat.press(shown, "More")


async def test_more_suggested_actions_than_are_shown_are_refused(teams: PretendTeams, chat: Screen) -> None:
    chips = {"actions": [{"type": "imBack", "title": name, "value": name} for name in "abcd"]}
    async with on_wire(teams, take) as wire:
        status, answer = await wire.send(chat.chat.id, "x", suggestedActions=chips)

    assert (status, answer["error"]["message"]) == (400, "strict: only 3 suggested actions are shown")


async def test_a_lenient_teams_shows_three_of_them(clock: ManualClock, teams_key: Key) -> None:
    chips = {"actions": [{"type": "imBack", "title": name, "value": name} for name in "abcd"]}
    async with PretendTeams(clock=clock, key=teams_key, strict=False) as teams, on_wire(teams, take) as wire:
        chat = teams.person("Ann").private_chat()
        await wire.send(chat.chat.id, "x", suggestedActions=chips)

    assert chat.messages[-1].labels == [["a", "b", "c"]]


async def test_typing_is_shown_for_a_while(teams: PretendTeams, chat: Screen, clock: ManualClock) -> None:
    async with on_wire(teams, take) as wire:
        await wire.call("POST", f"conversations/{chat.chat.id}/activities", {"type": "typing"})
        at_once = chat.typing
        await clock.advance(11)

    assert (at_once, chat.typing) == (True, False)


async def test_a_bot_opens_a_chat_with_somebody_who_has_it(teams: PretendTeams) -> None:
    ann, ben = teams.person("Ann"), teams.person("Ben")
    chat = ann.private_chat()
    async with on_wire(teams, take) as wire:
        opened = await wire.call("POST", "conversations", {"members": [{"id": ann.id}], "isGroup": False})
        refused = await wire.call("POST", "conversations", {"members": [{"id": ben.id}]})
        unknown = await wire.call("POST", "conversations", {"members": [{"id": "29:nobody"}]})

    assert opened == (201, {"id": chat.chat.id})
    assert (refused[0], unknown[0]) == (403, 400)


async def test_who_is_there_can_be_asked(teams: PretendTeams, chat: Screen) -> None:
    async with on_wire(teams, take) as wire:
        _, everyone = await wire.call("GET", f"conversations/{chat.chat.id}/members")
        _, paged = await wire.call("GET", f"conversations/{chat.chat.id}/pagedmembers")
        _, one = await wire.call("GET", f"conversations/{chat.chat.id}/members/{chat.person.aad_id}")
        missing, _ = await wire.call("GET", f"conversations/{chat.chat.id}/members/29:nobody")

    assert [member["name"] for member in everyone] == ["Ann Lee"]
    assert paged["members"] == everyone
    assert (one["id"], one["givenName"], one["surname"]) == (chat.person.id, "Ann", "Lee")
    assert missing == 404


async def test_in_a_group_chat_a_bot_hears_what_names_it(teams: PretendTeams) -> None:
    ann = teams.person("Ann")
    screen = teams.group("Plans", [ann]).screen(ann)
    async with on_wire(teams, take):
        await screen.say("nobody in particular")
        asked = await screen.mention("hello")
        await teams.delivered()

    [delivery] = teams.deliveries("message")
    entities = [entity for entity in delivery.activity["entities"] if entity["type"] == "mention"]
    assert delivery.activity["text"] == "<at>Conch</at> hello"
    assert entities[0]["mentioned"]["id"] == teams.bot.id
    assert delivery.activity["attachments"] == [{"contentType": "text/html", "content": "<p><at>Conch</at> hello</p>"}]
    assert delivery.activity["conversation"]["isGroup"] is True
    assert asked.text == "Conch hello"


async def test_in_a_channel_answers_go_into_the_thread(teams: PretendTeams) -> None:
    ann = teams.person("Ann")
    screen = teams.team("General", [ann]).screen(ann)
    async with on_wire(teams, take) as wire:
        asked = await screen.mention("hello")
        await teams.delivered()
        [delivery] = teams.deliveries("message")
        status, _ = await wire.send(delivery.activity["conversation"]["id"], "Hi!")
        nowhere, _ = await wire.send(f"{screen.chat.id};messageid=1", "Hi!")

    assert delivery.activity["conversation"]["id"] == f"{screen.chat.id};messageid={asked.id}"
    assert delivery.activity["channelData"]["teamsChannelId"] == screen.chat.id
    assert [seen.text for seen in screen.in_thread(asked)] == ["Conch hello", "Hi!"]
    assert (status, nowhere) == (201, 404)


async def test_a_bot_comes_into_a_room_and_goes(teams: PretendTeams) -> None:
    ann, ben = teams.person("Ann"), teams.person("Ben")
    room = teams.group("Plans", [ann], bots=[])
    async with on_wire(teams, take) as wire:
        await room.add_bot(teams.bot)
        await room.join(ben)
        await room.leave(ben)
        await room.remove_bot(teams.bot)
        await teams.delivered()
        status, _ = await wire.send(room.id, "anyone?")

    updates = [delivery.activity for delivery in teams.deliveries("conversationUpdate")]
    changed = [
        (key, [m["id"] for m in a[key]]) for a in updates for key in ("membersAdded", "membersRemoved") if key in a
    ]
    assert sorted(changed) == sorted(
        [
            ("membersAdded", [teams.bot.id]),
            ("membersAdded", [ben.id]),
            ("membersRemoved", [ben.id]),
            ("membersRemoved", [teams.bot.id]),
        ]
    )
    assert status == 403


async def test_commands_are_words_and_replies_quote(teams: PretendTeams, chat: Screen) -> None:
    async with on_wire(teams, take) as wire:
        given = await chat.command("goal x")
        _, sent = await wire.send(chat.chat.id, "hi")
        reply = await chat.reply(sent["id"], "why?")
        await teams.delivered()

    quoting = [d.activity for d in teams.deliveries("message") if d.activity["text"] == "why?"]
    assert (given.text, reply.quotes) == ("goal x", sent["id"])
    assert quoting[0]["replyToId"] == sent["id"]


@pytest.mark.parametrize(
    ("body", "words_of_it"),
    [
        ({"type": "message"}, "text or attachments"),
        ({"text": "hi"}, "must have a type"),
        ({"type": "event", "name": "x"}, "Unknown activity type"),
        ({"type": "message", "attachments": [{"contentType": "application/pdf"}]}, "no attachment of type"),
        (
            {"type": "message", "attachments": [{"contentType": "image/png", "contentUrl": "data:image/png;base64,%"}]},
            "Invalid image",
        ),
    ],
)
async def test_what_is_no_message_is_refused(
    teams: PretendTeams, chat: Screen, body: dict[str, Any], words_of_it: str
) -> None:
    async with on_wire(teams, take) as wire:
        status, answer = await wire.call("POST", f"conversations/{chat.chat.id}/activities", body)

    assert status == 400
    assert words_of_it in answer["error"]["message"]
    assert chat.messages == []


async def test_only_ones_own_messages_can_be_changed(teams: PretendTeams, chat: Screen) -> None:
    said = await chat.say("mine")
    async with on_wire(teams, take) as wire:
        path = f"conversations/{chat.chat.id}/activities"
        _, sent = await wire.send(chat.chat.id, "the bot's")
        foreign, _ = await wire.call("PUT", f"{path}/{said.id}", {"type": "message", "text": "changed"})
        gone, _ = await wire.call("DELETE", f"{path}/{sent['id']}")
        twice, why = await wire.call("DELETE", f"{path}/{sent['id']}")
        too_late, _ = await wire.call("PUT", f"{path}/{sent['id']}", {"type": "message", "text": "changed"})

    assert (foreign, gone, twice, too_late) == (403, 200, 404, 404)
    assert why["error"]["code"] == "ActivityNotFoundInConversation"


async def test_there_is_nothing_at_other_addresses(teams: PretendTeams) -> None:
    async with on_wire(teams, take) as wire:
        other, _ = await wire.call("GET", "elsewhere")
        async with wire.session.get(f"http://127.0.0.1:{teams.port}/v3/conversations") as response:
            without_region = response.status

    assert (other, without_region) == (404, 404)
