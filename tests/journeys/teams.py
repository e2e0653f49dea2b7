"""A group in the pretend Telegram, with people and a bot in it."""

import asyncio

from channels.emulators.telegram.group import Group
from channels.emulators.telegram.pretend import PretendTelegram
from channels.emulators.telegram.screen import Player, Screen
from conch.admin import Admin
from conch.app import App
from core.engines.base import Text, TurnInput
from core.engines.script import Steps
from core.events import UserMessage
from core.store.log import EventLog
from core.store.seats import Seat, Seats
from tests.journeys.living import Owner, owner_of


def recite(turn: TurnInput, earlier: tuple[str, ...]) -> Steps:
    """Say everything that was heard in this conversation."""
    yield Text(" | ".join((*earlier, turn.text)))


class Team:
    """A group with the owner Ada, Bob, who was let in, and Eve, who was not."""

    def __init__(self, app: App, ada: Owner, bob: Player, eve: Player, group: Group) -> None:
        self.app, self.owner, self.group = app, ada, group
        self.players = {"Ada": ada.player, "Bob": bob, "Eve": eve}

    def screen(self, name: str) -> Screen:
        """The group as one of them has it open."""
        return self.group.screen(self.players[name])

    async def ask(self, name: str, text: str, *, thread: int | None = None) -> str:
        """Mention the bot, and come back with its answer."""
        screen = self.screen(name)
        message = await screen.mention(text, thread=thread)
        answer = await screen.wait_for(
            lambda messages: next((each for each in messages if each.reply_to == message.id), None)
        )
        assert answer is not None
        assert answer.thread == thread
        return answer.text

    async def switch(self, on: bool) -> None:
        """As by `conch groups on` and `off`."""
        await Admin(self.app).switch_group(str(self.group.id), None, on)

    async def wrote(self, name: str) -> list[UserMessage]:
        """What somebody said in their conversation in the group."""
        seat = Seat(self.owner.channel_id, str(self.group.id), "", str(self.players[name].id))
        conversation_id = await Seats(self.app.database).conversation(seat)
        assert conversation_id is not None
        events = await EventLog(self.app.database).read(conversation_id)
        return [event.data for event in events if isinstance(event.data, UserMessage)]


async def team(
    app: App, pretend: PretendTelegram, *, on: bool = True, forum: bool = False, basic: bool = False
) -> Team:
    """Let people in, bring the bot into a group, and turn it on."""
    ada = await owner_of(app, pretend)
    bob, eve = pretend.person("Bob"), pretend.person("Eve")
    await app.people.let_in(ada.channel_id, str(bob.id), by="console", name="Bob")
    group = pretend.group("Team", [ada.player, bob, eve], bots=[], forum=forum, basic=basic)
    await group.add_bot(pretend.bot)
    async with asyncio.timeout(10):
        while not await app.groups.list(ada.channel_id):  # noqa: ASYNC110 - what is looked at is a picture
            await asyncio.sleep(0)
    found = Team(app, ada, bob, eve, group)
    if on:
        await found.switch(True)
    return found


async def settled(here: Team) -> None:
    """Come back when all that was said before is seen through: what Ada says after it is answered."""
    await here.owner.chat.say("are you there?")
    await here.owner.chat.wait_for_answer()
    await here.app.service.settled()
