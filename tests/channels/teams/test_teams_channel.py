"""What goes to Teams and comes from there, over real sockets."""

import json
from pathlib import Path

import pytest

from channels.abilities import FormMessages, Streams
from channels.base import (
    Button,
    ButtonStyle,
    Form,
    InboundMessage,
    Left,
    OutboundFile,
    Press,
)
from channels.emulators.teams.screen import TINY_PNG
from channels.reach import Remembers
from channels.teams.channel import TeamsChannel
from channels.teams.kind import TeamsKind
from channels.teams.receiving import PRIVATE_ONLY
from core.cards import Choice, ChoiceField, MomentField, NumberField, TextField
from core.errors import MaybeDone, Refused, RefusedReason, TryLater
from tests.channels.teams.conftest import Listening, words
from tests.channels.teams.teams_rig import addresses_of, keys_of
from tests.journeys.living import FastClock, until

FORM = Form(
    "The trip",
    (
        ChoiceField(
            id="how",
            label="How?",
            options=(Choice(id="a,b", label="Train"), Choice(id="c", label="Plane")),
            multiple=True,
        ),
        MomentField(id="when", label="When?", kind="date"),
        NumberField(id="many", label="How many?", min=1, max=9),
        TextField(id="note", label="Anything else?", optional=True),
    ),
    "form-token",
)


# ---- words ---------------------------------------------------------------------------------------------------------


async def test_markup_is_read_as_it_was_meant(bot: Listening) -> None:
    await bot.channel.send(bot.rig.chat, words("**bold** and `code`"))

    assert bot.screen.answers[-1].text == "bold and code"


async def test_a_message_says_something_else_and_goes(bot: Listening) -> None:
    sent = await bot.channel.send(bot.rig.chat, words("one"))

    await bot.channel.edit(sent, words("two"))
    edited = bot.screen.answers[-1].text
    await bot.channel.delete(sent)
    await bot.channel.delete(sent)

    assert (edited, bot.screen.answers) == ("two", [])


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("PreconditionFailed", TryLater),
        ("ServiceError", TryLater),
        ("Timeout", TryLater),
        ("throttled", TryLater),
        ("lost", MaybeDone),
        ("cut", MaybeDone),
    ],
)
@pytest.mark.report("R205")
async def test_what_went_wrong_says_whether_it_may_be_said_again(
    bot: Listening, fault: str, kind: type[Exception]
) -> None:
    bot.teams.faults.add(fault, method="send")

    with pytest.raises(kind):
        await bot.channel.send(bot.rig.chat, words("hello"))

    assert len(bot.teams.calls("send")) == 1


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("BotNotInConversationRoster", RefusedReason.GONE),
        ("ConversationBlockedByUser", RefusedReason.GONE),
        ("MessageSizeTooBig", RefusedReason.BAD_PAYLOAD),
    ],
)
async def test_what_will_never_work_says_why(bot: Listening, fault: str, reason: RefusedReason) -> None:
    bot.teams.faults.add(fault, method="send")

    with pytest.raises(Refused) as refusal:
        await bot.channel.send(bot.rig.chat, words("hello"))

    assert refusal.value.reason is reason


async def test_a_token_that_was_taken_back_is_replaced(bot: Listening) -> None:
    bot.teams.world.tokens.revoke()

    await bot.channel.send(bot.rig.chat, words("hello"))

    assert bot.rig.seen() == ["hello"]


# ---- what comes in -------------------------------------------------------------------------------------------------


async def test_an_answer_to_a_message_names_it(bot: Listening) -> None:
    sent = await bot.channel.send(bot.rig.chat, words("Which one?"))

    await bot.screen.reply(sent.message_id, "that one")

    (heard,) = await bot.ear.until_heard(InboundMessage)
    assert isinstance(heard, InboundMessage)
    assert heard.reply_to is not None
    assert (heard.text, heard.reply_to.message_id, heard.reply_to.from_bot) == ("that one", sent.message_id, True)


async def test_who_takes_the_bot_away_leaves(bot: Listening) -> None:
    await bot.screen.remove()

    (left,) = await bot.ear.until_heard(Left)

    assert isinstance(left, Left)
    assert left.chat == bot.rig.chat


async def test_a_file_comes_by_the_address_that_teams_gives(bot: Listening) -> None:
    await bot.screen.file("notes.txt", b"some words")
    (heard,) = await bot.ear.until_heard(InboundMessage)
    assert isinstance(heard, InboundMessage)

    data = b"".join([chunk async for chunk in bot.channel.download(heard.attachments[0])])

    assert (heard.attachments[0].name, data) == ("notes.txt", b"some words")


async def test_a_pasted_picture_is_fetched_with_the_token(bot: Listening) -> None:
    await bot.screen.photo()
    (heard,) = await bot.ear.until_heard(InboundMessage)
    assert isinstance(heard, InboundMessage)

    data = b"".join([chunk async for chunk in bot.channel.download(heard.attachments[0])])

    assert data == TINY_PNG


# ---- groups --------------------------------------------------------------------------------------------------------


async def test_a_team_is_told_once_in_a_while_that_the_bot_is_for_private_chats(bot: Listening) -> None:
    room = bot.teams.team("Team", [bot.screen.person])
    screen = room.screen(bot.screen.person)

    await screen.mention("hello")
    await screen.mention("hello again")
    await bot.teams.delivered()
    await until(lambda: screen.answers)

    assert [answer.text for answer in screen.answers] == [PRIVATE_ONLY]
    assert bot.ear.stored == []


async def test_what_does_not_name_the_bot_in_a_group_gets_no_answer(bot: Listening) -> None:
    screen = bot.teams.group("Group", [bot.screen.person]).screen(bot.screen.person)

    await screen.say("hello all")
    await bot.teams.delivered()

    assert (screen.answers, bot.ear.stored) == ([], [])


# ---- buttons and forms ---------------------------------------------------------------------------------------------


@pytest.mark.report("R091")
async def test_a_press_is_stored_and_answered_with_something(bot: Listening) -> None:
    buttons = (Button("Allow", "t-1", style=ButtonStyle.PRIMARY), Button("Don't allow", "t-2"))
    sent = await bot.channel.send(bot.rig.chat, words("May I?", buttons=buttons))

    pressed = await bot.screen.press(bot.screen.answers[-1], "Allow")
    answer = await bot.screen.answer_to(pressed)

    (press,) = await bot.ear.until_heard(Press)
    assert isinstance(press, Press)
    assert (press.token, press.message, press.filled) == ("t-1", sent, None)
    assert answer.text == "Got it."


async def test_suggestions_are_said_as_the_persons_own_words(bot: Listening) -> None:
    chips = tuple(Button(say, f"t-{say}", says=say) for say in ("Make it shorter", "Translate it"))
    await bot.channel.send(bot.rig.chat, words("Here it is.", buttons=chips))

    await bot.screen.press(bot.screen.answers[-1], "Translate it")

    (heard,) = await bot.ear.until_heard(InboundMessage)
    assert isinstance(heard, InboundMessage)
    assert heard.text == "Translate it"


async def test_a_form_stands_in_its_message_and_brings_back_what_was_filled_in(bot: Listening) -> None:
    await bot.channel.send(bot.rig.chat, words("The trip", form=FORM, buttons=(Button("Skip", "skip"),)))

    await bot.screen.fill_in(
        bot.screen.form_in(bot.screen.answers[-1]),
        {"How?": ["Train", "Plane"], "When?": "2026-05-01", "How many?": "3"},
    )

    (press,) = await bot.ear.until_heard(Press)
    assert isinstance(press, Press)
    assert press.token == "form-token"
    assert press.filled == {"how": ("a,b", "c"), "when": ("2026-05-01",), "many": ("3",)}


async def test_what_is_wrong_with_a_form_is_said_on_its_card(bot: Listening) -> None:
    bot.ear.wrong["form-token"] = {"when": "That is a Sunday."}
    await bot.channel.send(bot.rig.chat, words("The trip", form=FORM, buttons=(Button("Skip", "skip"),)))

    form = bot.screen.form_in(bot.screen.answers[-1])
    await bot.screen.fill_in(form, {"How?": "Train", "When?": "2026-05-03", "How many?": "3"})

    await until(lambda: "That is a Sunday." in bot.screen.answers[-1].text)
    assert bot.ear.stored == []
    assert bot.teams.problems == []
    assert any("Skip" in row for row in bot.screen.answers[-1].labels)


async def test_skipping_asks_for_no_field(bot: Listening) -> None:
    await bot.channel.send(bot.rig.chat, words("The trip", form=FORM, buttons=(Button("Skip", "skip"),)))

    await bot.screen.press(bot.screen.answers[-1], "Skip")

    (press,) = await bot.ear.until_heard(Press)
    assert isinstance(press, Press)
    assert (press.token, press.filled) == ("skip", None)


def test_every_form_is_held(bot: Listening) -> None:
    assert isinstance(bot.channel, FormMessages)
    assert bot.channel.holds(FORM)


# ---- a message that is being written -------------------------------------------------------------------------------


@pytest.mark.report("R207")
async def test_an_answer_grows_in_the_message_that_it_will_be(bot: Listening) -> None:
    assert isinstance(bot.channel, Streams)
    begun = await bot.channel.open_stream(bot.rig.chat, words("Once"))
    await bot.channel.stream(begun, "Once upon", "Once upon")
    grown = bot.screen.answers[-1].text

    done = await bot.channel.send(bot.rig.chat, words("Once upon a time.", into=begun.message_id))

    assert (grown, done) == ("Once upon", begun)
    assert [answer.text for answer in bot.screen.answers] == ["Once upon a time."]


async def test_an_answer_that_takes_longer_than_teams_lets_it_is_put_in_at_the_end(bot: Listening) -> None:
    begun = await bot.channel.open_stream(bot.rig.chat, words("Once"))
    clock = bot.teams.clock
    assert isinstance(clock, FastClock)
    clock.skip(130)

    done = await bot.channel.send(bot.rig.chat, words("Once upon a time.", into=begun.message_id))

    assert done == begun
    assert [answer.text for answer in bot.screen.answers] == ["Once upon a time."]


async def test_where_the_message_is_gone_the_answer_is_a_new_one(bot: Listening) -> None:
    done = await bot.channel.send(bot.rig.chat, words("All of it.", into="1700000000000"))

    assert done.message_id != "1700000000000"
    assert bot.rig.seen() == ["All of it."]


# ---- files out -----------------------------------------------------------------------------------------------------


async def test_a_small_picture_stands_in_its_message(bot: Listening, tmp_path: Path) -> None:
    path = tmp_path / "dot.png"
    path.write_bytes(TINY_PNG)

    await bot.channel.send(bot.rig.chat, words("A dot.", file=OutboundFile(path, "dot.png", "image/png")))

    assert (bot.screen.answers[-1].text, len(bot.screen.answers[-1].files)) == ("A dot.", 1)


async def test_a_file_goes_to_who_agrees_to_it(bot: Listening, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_bytes(b"all of it")
    await bot.channel.send(bot.rig.chat, words("The report.", file=OutboundFile(path, "report.txt", "text/plain")))

    await bot.screen.press(bot.screen.answers[-1], "Allow")
    await until(lambda: any(answer.files for answer in bot.screen.answers))

    (file,) = next(answer.files for answer in bot.screen.answers if answer.files)
    stored = bot.teams.world.files.get(file.id)
    assert stored is not None
    assert (file.name, stored.data) == ("report.txt", b"all of it")


async def test_a_file_that_is_not_there_any_more_is_said_to_be_gone(bot: Listening, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_bytes(b"all of it")
    await bot.channel.send(bot.rig.chat, words("The report.", file=OutboundFile(path, "report.txt", "text/plain")))
    asked = bot.screen.answers[-1]
    path.unlink()

    await bot.screen.press(asked, "Allow")

    await until(lambda: bot.screen.answers[-1].text == "I don't have that file any more. Ask me for it again.")
    assert len(bot.screen.answers) == 2


# ---- after a restart -----------------------------------------------------------------------------------------------


class Notes:
    """A notebook in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    async def recall(self) -> dict[str, str]:
        return dict(self.kept)

    async def note(self, name: str, words: str) -> None:
        self.kept[name] = words

    async def forget(self, name: str) -> None:
        self.kept.pop(name, None)


async def test_where_a_chat_is_reached_is_known_after_a_restart(bot: Listening) -> None:
    notes = Notes()
    bot.channel.remember_in(notes)
    await bot.screen.say("hello")
    await bot.ear.until_heard(InboundMessage)
    kind = TeamsKind(FastClock(), addresses_of(bot.teams), webhooks="https://conch.example/channels/teams")
    keys = keys_of(bot.teams)
    reborn = kind.connect("tm", keys, await kind.check(keys))
    assert isinstance(reborn, TeamsChannel)
    assert isinstance(reborn, Remembers)
    reborn.remember_in(notes)
    await reborn.start()

    await reborn.send(bot.rig.chat, words("I am back."))
    await reborn.stop()

    (kept,) = (json.loads(words) for words in notes.kept.values())
    assert bot.rig.seen() == ["I am back."]
    assert (kept["service_url"], kept["conversation"]) == (bot.teams.service_url, bot.rig.chat.id)
    assert (kept["person"], kept["tenant"]) == (bot.screen.person.id, bot.teams.bot.tenant)
