"""Groups, supergroups and forums: who hears what, coming and going, topics."""

import pytest
from telegram import Bot
from telegram.error import ChatMigrated

from channels.emulators.telegram.group import Group
from channels.emulators.telegram.pretend import DEFAULT_BOT, PretendTelegram
from channels.emulators.telegram.screen import Player
from tests.channels.emulators.conftest import Refused, Wire, sdk

SECOND = "7000000002:" + DEFAULT_BOT.partition(":")[2]


@pytest.fixture
def team(telegram: PretendTelegram, ada: Player) -> Group:
    return telegram.group("Team", [ada, telegram.person("Bob")])


async def heard(bot: Bot) -> list[str]:
    """The texts that reached the bot since it last asked."""
    updates = await bot.get_updates()
    if updates:
        await bot.get_updates(offset=updates[-1].update_id + 1)
    return [update.message.text or "" for update in updates if update.message]


async def test_a_bot_in_privacy_mode_hears_only_what_is_meant_for_it(bot: Bot, team: Group, ada: Player) -> None:
    screen = team.screen(ada)
    own = await bot.send_message(team.id, "I am here")

    await screen.say("among ourselves")
    await screen.say("/help")
    await screen.say("/help@pretend_bot")
    await screen.say("/help@other_bot")
    await screen.mention("what now?")
    await screen.say("mail ada@pretend_bot.example")
    await screen.reply(own.message_id, "thanks")
    await screen.reply(screen.messages[1], "not to you")

    assert await heard(bot) == ["/help", "/help@pretend_bot", "@pretend_bot what now?", "thanks"]


async def test_an_admin_hears_everything(bot: Bot, team: Group, ada: Player) -> None:
    await team.set_admin(team.world.bots[DEFAULT_BOT], admin=True)

    await team.screen(ada).say("among ourselves")

    assert await heard(bot) == ["among ourselves"]


async def test_a_bot_without_privacy_mode_hears_everything(telegram: PretendTelegram, ada: Player) -> None:
    nosy = telegram.add_bot(SECOND, "Nosy", "nosy_bot", reads_all=True)
    group = telegram.group("Team", [ada], bots=[nosy])
    await group.screen(ada).say("among ourselves")

    async with sdk(telegram, SECOND) as bot:
        assert (await bot.get_me()).can_read_all_group_messages is True
        assert await heard(bot) == ["among ourselves"]


async def test_a_bare_command_is_for_the_bot_that_spoke_last(telegram: PretendTelegram, bot: Bot, ada: Player) -> None:
    second = telegram.add_bot(SECOND, "Second", "second_bot")
    group = telegram.group("Team", [ada], bots=[telegram.bot, second])
    async with sdk(telegram, SECOND) as other:
        await other.send_message(group.id, "hello")

        await group.screen(ada).say("/help")

        assert (await heard(bot), await heard(other)) == ([], ["/help"])


async def test_bots_do_not_hear_one_another(telegram: PretendTelegram, bot: Bot, ada: Player) -> None:
    nosy = telegram.add_bot(SECOND, "Nosy", "nosy_bot", reads_all=True)
    group = telegram.group("Team", [ada], bots=[telegram.bot, nosy])
    await bot.send_message(group.id, "@nosy_bot hello")

    async with sdk(telegram, SECOND) as other:
        assert await heard(other) == []


async def test_everyone_sees_what_a_bot_says(bot: Bot, team: Group) -> None:
    await bot.send_message(team.id, "hello all")

    screens = [team.screen(person) for person in team.chat.people.values()]
    assert [screen.answers[-1].text for screen in screens] == ["hello all", "hello all"]


async def test_who_is_no_member_sees_nothing(telegram: PretendTelegram, team: Group) -> None:
    with pytest.raises(LookupError, match="Eve is not in Team"):
        team.screen(telegram.person("Eve"))


async def test_a_bot_is_told_that_it_was_brought_in(telegram: PretendTelegram, bot: Bot, ada: Player) -> None:
    group = telegram.group("Team", [ada], bots=[])

    await group.add_bot(telegram.bot)

    standing, joined = await bot.get_updates()
    assert standing.my_chat_member is not None
    assert (standing.my_chat_member.old_chat_member.status, standing.my_chat_member.new_chat_member.status) == (
        "left",
        "member",
    )
    assert standing.my_chat_member.from_user.id == ada.id
    assert joined.message is not None
    assert [user.id for user in joined.message.new_chat_members] == [bot.id]


@pytest.mark.parametrize(
    ("basic", "words"),
    [
        (False, "Forbidden: bot was kicked from the supergroup chat"),
        (True, "Forbidden: bot was kicked from the group chat"),
    ],
)
async def test_a_bot_that_was_thrown_out_hears_and_says_nothing(
    telegram: PretendTelegram, bot: Bot, ada: Player, refused: Refused, basic: bool, words: str
) -> None:
    group = telegram.group("Team", [ada], basic=basic)

    await group.remove_bot(telegram.bot)
    await group.screen(ada).say("/help@pretend_bot")

    (standing,) = await bot.get_updates()
    assert standing.my_chat_member is not None
    assert standing.my_chat_member.new_chat_member.status == "kicked"
    assert await refused(bot.send_message(group.id, "hello")) == words


async def test_a_bot_can_leave(bot: Bot, team: Group, ada: Player, refused: Refused) -> None:
    await bot.leave_chat(team.id)
    await team.screen(ada).say("/help@pretend_bot")

    assert await heard(bot) == []
    assert await refused(bot.get_chat(team.id)) == "Forbidden: bot is not a member of the supergroup chat"


async def test_a_group_that_the_bot_was_never_in_is_unknown(
    telegram: PretendTelegram, bot: Bot, ada: Player, refused: Refused
) -> None:
    group = telegram.group("Others", [ada], bots=[])

    assert await refused(bot.send_message(group.id, "hello")) == "Bad Request: chat not found"


async def test_a_basic_group_that_grew_has_another_id(telegram: PretendTelegram, bot: Bot, ada: Player) -> None:
    old = telegram.group("Team", [ada], basic=True)
    new = await old.upgrade()

    with pytest.raises(ChatMigrated) as refusal:
        await bot.send_message(old.id, "hello")

    assert refusal.value.new_chat_id == new.id
    await bot.send_message(new.id, "hello")
    services = [update.message for update in await bot.get_updates()]
    assert [(m.chat.id, m.migrate_to_chat_id, m.migrate_from_chat_id) for m in services if m] == [
        (old.id, new.id, None),
        (new.id, None, old.id),
    ]


async def test_who_is_in_a_group(bot: Bot, telegram: PretendTelegram, team: Group, ada: Player) -> None:
    eve = telegram.person("Eve")

    statuses = [(await bot.get_chat_member(team.id, who)).status for who in (ada.id, bot.id, eve.id)]
    admins = await bot.get_chat_administrators(team.id)

    assert statuses == ["administrator", "member", "left"]
    assert ([admin.user.id for admin in admins], await bot.get_chat_member_count(team.id)) == ([ada.id], 3)


async def test_what_a_chat_is_called(bot: Bot, team: Group, ada: Player) -> None:
    await ada.private_chat().start()

    group, private = await bot.get_chat(team.id), await bot.get_chat(ada.id)

    assert (group.type, group.title) == ("supergroup", "Team")
    assert (private.type, private.first_name, private.username) == ("private", "Ada", "ada")


async def test_an_answer_stays_in_its_topic(telegram: PretendTelegram, bot: Bot, ada: Player) -> None:
    forum = telegram.group("Forum", [ada], forum=True)
    topic = await forum.open_topic("Plans")
    screen = forum.screen(ada)

    await bot.send_message(forum.id, "in general")
    await bot.send_message(forum.id, "in plans", message_thread_id=topic)
    await bot.send_chat_action(forum.id, "typing", message_thread_id=topic)

    assert [message.text for message in screen.in_topic(topic) if message.by_bot] == ["in plans"]
    assert [message.text for message in screen.in_topic(None)] == ["in general"]
    assert (screen.action_in(topic), screen.action) == ("typing", None)


async def test_what_is_said_in_a_topic_replies_to_its_beginning(
    telegram: PretendTelegram, bot: Bot, ada: Player
) -> None:
    forum = telegram.group("Forum", [ada], forum=True)
    topic = await forum.open_topic("Plans")

    await forum.screen(ada).mention("hello", thread=topic)

    message = (await bot.get_updates())[-1].message
    assert message is not None
    assert message.reply_to_message is not None
    assert message.is_topic_message is True
    assert (message.message_thread_id, message.reply_to_message.message_id) == (topic, topic)
    assert message.reply_to_message.forum_topic_created is not None


async def test_a_reply_in_a_topic_stays_there(telegram: PretendTelegram, bot: Bot, ada: Player) -> None:
    forum = telegram.group("Forum", [ada], forum=True)
    topic = await forum.open_topic("Plans")
    asked = await forum.screen(ada).mention("hello", thread=topic)

    message = await bot.send_message(forum.id, "hi", reply_to_message_id=asked.id)

    assert message.message_thread_id == topic


async def test_a_topic_that_is_not_there_is_refused(
    telegram: PretendTelegram, bot: Bot, ada: Player, team: Group, refused: Refused
) -> None:
    forum = telegram.group("Forum", [ada], forum=True)

    for group, thread in ((forum, 1), (forum, 99), (team, 99)):
        description = await refused(bot.send_message(group.id, "x", message_thread_id=thread))
        assert description == "Bad Request: message thread not found"


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "TOPIC_TITLE_EMPTY"), ("a" * 128, None), ("a" * 129, "TOPIC_TITLE_TOO_LONG")],
)
async def test_an_admin_opens_topics(
    telegram: PretendTelegram, wire: Wire, ada: Player, name: str, words: str | None
) -> None:
    forum = telegram.group("Forum", [ada], forum=True)
    await forum.set_admin(telegram.bot, admin=True)

    answer = await wire("createForumTopic", chat_id=forum.id, name=name)

    assert answer.get("description") == (f"Bad Request: {words}" if words else None)
    assert len(forum.chat.topics) == (0 if words else 1)


async def test_topics_need_a_forum_and_the_right(
    telegram: PretendTelegram, wire: Wire, ada: Player, team: Group
) -> None:
    forum = telegram.group("Forum", [ada], forum=True)

    no_right = await wire("createForumTopic", chat_id=forum.id, name="x")
    no_forum = await wire("createForumTopic", chat_id=team.id, name="x")

    assert no_right["description"] == "Bad Request: not enough rights to create a topic"
    assert no_forum["description"] == "Bad Request: the chat is not a forum"


async def test_a_member_deletes_only_its_own(bot: Bot, team: Group, ada: Player, refused: Refused) -> None:
    said = await team.screen(ada).say("mine")

    as_member = await refused(bot.delete_message(team.id, said.id))
    await team.set_admin(team.world.bots[DEFAULT_BOT], admin=True)

    assert as_member == "Bad Request: message can't be deleted"
    assert await bot.delete_message(team.id, said.id)
