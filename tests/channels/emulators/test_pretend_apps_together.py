"""All pretend apps in one process, and what their phones are drawn from."""

from channels.emulators.__main__ import APPS, serving
from channels.emulators.discord.pretend import PretendDiscord
from channels.emulators.discord.seen import seen_message as seen_on_discord
from channels.emulators.remote import RemoteApp
from channels.emulators.slack.chats import Content
from channels.emulators.slack.drawing import parts


async def test_each_app_answers_at_an_address_of_its_own() -> None:
    async with serving({}, "secret") as where:
        addresses = {name: dict(about) for name, about in where.items() if isinstance(about, dict)}
        states = {}
        for name, about in addresses.items():
            async with RemoteApp(about["control_url"], "secret") as remote:
                states[name] = await remote.state()

    assert set(addresses) == set(APPS)
    assert {name: state["base_url"] for name, state in states.items()} == {
        name: about["base_url"] for name, about in addresses.items()
    }
    assert len({about["base_url"] for about in addresses.values()}) == len(APPS)


async def test_slack_words_keep_their_signs_and_name_people_for_a_phone() -> None:
    content = Content(
        blocks=[
            {"type": "section", "block_id": "a", "text": {"type": "mrkdwn", "text": "*Hello* <@U1>"}},
            {"type": "divider", "block_id": "b"},
            {"type": "markdown", "block_id": "c", "text": "**Bold**"},
            {"type": "context", "block_id": "d", "elements": [{"type": "plain_text", "text": "small"}]},
        ]
    )

    drawn = list(parts(content, lambda _: "Ada"))

    assert drawn == [("mrkdwn", "*Hello* @Ada"), ("divider", ""), ("markdown", "**Bold**"), ("context", "small")]


async def test_discord_words_keep_their_signs_and_name_people_for_a_phone() -> None:
    async with PretendDiscord() as discord:
        ada = discord.person("Ada")
        screen = discord.guild("Sea", [ada]).screen(ada)
        said = await screen.say(f"**Hello** <@{discord.bot.id}>")
        message = screen.channel.messages[said.id]

        seen = seen_on_discord(message, {discord.bot.id: "Pretend"})

    assert seen.parts == (("markdown", "**Hello** @Pretend"),)
    assert seen.text == "Hello @Pretend"
