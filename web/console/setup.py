"""How a bot is made in each chat app, as steps that somebody reads while they do it. Words only.

The same ways stand in `docs/`; what is typed here ends in one field that takes whatever is pasted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do. `place` and `link` name where, `shows` is what stands beside it to copy or download."""

    words: str
    place: str | None = None
    link: str | None = None
    shows: Literal["manifest"] | None = None


@dataclass(frozen=True, slots=True)
class Guide:
    """The way to a bot in one app.

    `field` is what the one field is called, `hint` what may be pasted into it. `needs_address`: the app brings messages
    to an https address of ours. `then` is what is left to do once it is connected.
    """

    title: str
    about: str
    steps: tuple[Step, ...]
    field: str
    hint: str
    then: tuple[Step, ...] = ()
    needs_address: bool = False


GUIDES: Final[Mapping[str, Guide]] = {
    "telegram": Guide(
        title="Telegram",
        about="The quickest: one minute, nothing to install, no address needed.",
        steps=(
            Step("Open a chat with @BotFather in Telegram.", "Open @BotFather", "https://t.me/BotFather"),
            Step("Send it `/newbot`, then a name and a username for your bot."),
            Step("It answers with a message that holds the bot’s key. Copy that whole message."),
        ),
        field="What BotFather sent you",
        hint="The whole message or the key alone: the key is found in it.",
        then=(Step("Open the link below, or scan it with your phone, and press Start. You own the bot then."),),
    ),
    "discord": Guide(
        title="Discord",
        about="Private chats, servers and threads. No address needed.",
        steps=(
            Step(
                "Choose New Application, give it a name, and open Bot on the left.",
                "Open Discord’s developer page",
                "https://discord.com/developers/applications",
            ),
            Step("Choose Reset Token and copy the token. Discord shows it once."),
        ),
        field="The bot’s token",
        hint="The token, or anything that holds it.",
        then=(
            Step("Open the invite link and choose a server that you and the bot share."),
            Step("In that server, open the bot’s profile from the list of members and send it a message."),
            Step("Come back here and look again: you are asked whether it is you."),
        ),
    ),
    "slack": Guide(
        title="Slack",
        about="Private chats, channels and threads. No address needed.",
        steps=(
            Step("Copy this manifest: Slack makes the app from it.", shows="manifest"),
            Step(
                "Choose Create New App, From a manifest, your workspace, and paste it as JSON.",
                "Open Slack’s app page",
                "https://api.slack.com/apps",
            ),
            Step(
                "Under Basic Information, App-Level Tokens, generate a token with `connections:write` and copy it. "
                "It begins with `xapp-`."
            ),
            Step("Under Install App, install it and copy the Bot User OAuth Token. It begins with `xoxb-`."),
        ),
        field="Both keys",
        hint="The one with xoxb- and the one with xapp-, in any order, one below the other.",
        then=(
            Step("In Slack, find the app under Apps and send it a message."),
            Step("Come back here and look again: you are asked whether it is you."),
        ),
    ),
    "teams": Guide(
        title="Teams",
        about="Private chats. Teams brings messages to an https address of yours.",
        steps=(
            Step("Create an Azure Bot of type Single Tenant.", "Open the Azure portal", "https://portal.azure.com"),
            Step(
                "From its app registration’s Overview copy the Application (client) ID and the Directory (tenant) ID."
            ),
            Step("Under Certificates & secrets make a client secret and copy its Value, not its Secret ID."),
        ),
        field="The three",
        hint="Application ID, tenant ID and the secret’s value, in any order, one below the other.",
        then=(
            Step("In Azure, paste the messaging endpoint that stands above under Configuration of the bot."),
            Step("Under Channels add Microsoft Teams."),
            Step(
                "Download the app’s package and upload it in Teams: Apps, Manage your apps, Upload an app.",
                shows="manifest",
            ),
            Step("Open the app in Teams and send it a message. Then look again here: you are asked whether it is you."),
        ),
        needs_address=True,
    ),
}
