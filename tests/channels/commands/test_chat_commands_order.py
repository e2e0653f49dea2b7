"""Who may run what where, and what is said when not: the check order, and what was probably meant."""

from dataclasses import replace

import pytest

from channels.actions import RunCommand, UndoClear
from channels.commands.basics import NOTHING_WAITED
from channels.commands.call import CommandCall, Reply
from channels.commands.chat import ChatCommands
from channels.commands.elsewhere import PAGES
from channels.gate import Standing
from channels.memory.app import MemoryApp
from channels.memory.chat import SentFile
from commands.command import Place, Who
from commands.parsing import written_in
from commands.registry import COMMANDS, PENDING, listed_at
from conch.home import Home
from core.clock import ManualClock
from core.events import ChatKind
from core.store.seats import TakeSeat
from tests.channels.commands.calls import SEAT, call
from tests.channels.commands.talking import Echo, Talk, labels, save, talking

IN_A_GROUP = ("new", "stop", "help", "start")
OWNERS = [
    command.name
    for command in COMMANDS
    if command.chat and command.chat.who is Who.OWNER and command.name not in PENDING
]
EVERY_NAME = [name for command in COMMANDS for name in (command.name, *command.aliases)]


async def refused(commands: ChatCommands, asked: CommandCall) -> str | None:
    """Why it was not run; None when it was."""
    words = (await commands.run(asked)).words
    reasons = ("works in the console", "not there yet", "only its owner", "not in a group", "I only run")
    return words if any(reason in words for reason in reasons) else None


# ---- one after the other -------------------------------------------------------------------------------------------


async def test_the_owner_can_run_everything_that_is_there_in_their_private_chat(commands: ChatCommands) -> None:
    reasons = {name: await refused(commands, call(f"/{name}", update_id=name)) for name in EVERY_NAME}

    for command in COMMANDS:
        for name in (command.name, *command.aliases):
            if command.name == "skills":
                assert reasons[name] is None
            elif command.name in PENDING:
                assert reasons[name] == f"`/{name}` is not there yet; it comes with a later release."
            elif command.chat is None:
                page = PAGES.get(command.name, "/chats")
                assert reasons[name] == f"`/{name}` works in the console: https://conch.example{page}"
            else:
                assert reasons[name] is None


async def test_only_the_owner_is_told_where_the_console_is(commands: ChatCommands) -> None:
    reason = await refused(commands, call("/export", standing=Standing.PERSON))

    assert reason == "`/export` works in the console only."


async def test_an_owners_command_is_refused_to_others(commands: ChatCommands) -> None:
    reasons = {name: await refused(commands, call(f"/{name}", standing=Standing.PERSON)) for name in OWNERS}

    assert reasons == {
        name: f"`/{name}` is about how Conch works, so only its owner can use it, in their private chat with me."
        for name in OWNERS
    }


async def test_an_owners_command_is_refused_in_a_group(commands: ChatCommands) -> None:
    reasons = [await refused(commands, call(f"/{name}", chat=ChatKind.GROUP)) for name in OWNERS]

    assert all("in their private chat with me" in (reason or "") for reason in reasons)


@pytest.mark.parametrize("standing", [Standing.OWNER, Standing.PERSON, Standing.GUEST])
async def test_a_group_has_exactly_four_commands(commands: ChatCommands, standing: Standing) -> None:
    ran = [
        command.name
        for command in COMMANDS
        if await refused(commands, call(f"/{command.name}", standing=standing, chat=ChatKind.GROUP)) is None
    ]

    assert tuple(ran) == IN_A_GROUP


async def test_a_persons_command_in_a_group_points_to_the_private_chat(commands: ChatCommands) -> None:
    asked = call("/clear", standing=Standing.PERSON, chat=ChatKind.GROUP)

    assert await refused(commands, asked) == "`/clear` works in our private chat, not in a group."


async def test_a_saved_command_in_a_group_points_to_the_private_chat(commands: ChatCommands, home: Home) -> None:
    save(home, "daily", "words")

    reply = await commands.run(call("/daily", chat=ChatKind.GROUP))
    for_others = [
        await commands.run(call("/daily", standing=standing, chat=ChatKind.GROUP))
        for standing in (Standing.PERSON, Standing.GUEST)
    ]

    assert reply == Reply("`/daily` works in our private chat, not in a group.")
    assert [one.words for one in for_others] == ["There is no command `/daily`. `/help` shows what there is."] * 2


async def test_a_group_is_not_told_of_saved_commands(commands: ChatCommands, home: Home) -> None:
    save(home, "briefing", "words")

    helped = await commands.run(call("/help", chat=ChatKind.GROUP))
    nearly = await commands.run(call("/briefin", chat=ChatKind.GROUP))

    assert "briefing" not in helped.words
    assert nearly.words == "There is no command `/briefin`. `/help` shows what there is."


# ---- words that are someone else's, and files ----------------------------------------------------------------------


async def test_a_forwarded_command_is_never_run(commands: ChatCommands, talk: Talk) -> None:
    await talk.say("hello")
    await talk.app.database.commit(TakeSeat(SEAT, await talk.conversation(), "private"))
    before = await talk.log()
    typed = [*(f"/{name}" for name in EVERY_NAME), "/xyzzy", "/claer x", "/goal win"]

    replies = [await commands.run(call(one, forwarded_from="Eve")) for one in typed]

    assert replies == [
        Reply(f"I only run a command that you type yourself, without a file or a quote. Send `{one}` on its own.")
        for one in typed
    ]
    assert await talk.log() == before


async def test_a_forwarded_command_is_answered_and_not_run(talk: Talk) -> None:
    await talk.say("hello")

    answer = await talk.say("/claer", forwarded_from="Eve")

    assert answer.text.startswith("I only run a command that you type yourself")
    assert labels(answer) == []


@pytest.mark.parametrize("typed", ["/clear", "/new", "/stop", "/goal win", "/retry"])
async def test_a_command_with_a_file_or_someone_elses_quote_is_not_run(talk: Talk, engine: Echo, typed: str) -> None:
    mine = talk.ada.say("hello")
    await talk.ada.wait_until(lambda seen: seen.texts[-1] == "heard hello")

    with_a_file = await talk.say(typed, files=[SentFile("note.txt", b"!", "text/plain")])
    quoting = await talk.say(typed, reply_to=mine)

    assert with_a_file.text.startswith("I only run a command that you type yourself")
    assert quoting.text == with_a_file.text
    assert len(engine.turns) == 1


async def test_a_command_in_reply_to_the_bot_is_run(talk: Talk) -> None:
    answer = await talk.say("hello")

    cleared = await talk.say("/clear", reply_to=answer)

    assert cleared.text.startswith("Cleared")


async def test_no_button_gets_around_the_checks(commands: ChatCommands) -> None:
    asked = call("/undo", chat=ChatKind.GROUP)

    reply = await commands.undo_clear(asked, UndoClear(conversation_id="c", seq=1))

    assert reply.words == "`/undo` works in our private chat, not in a group."


# ---- what was probably meant ---------------------------------------------------------------------------------------


async def test_a_suggestion_runs_with_a_tap_and_the_same_words(talk: Talk, engine: Echo) -> None:
    await talk.say("hello")

    asked = await talk.say("/gaol sleep more")
    done = await talk.tap(asked, "/goal sleep more")
    await talk.say("one")

    assert asked.text == "There is no command /gaol. Did you mean /goal sleep more?"
    assert done.text.startswith("The goal is now “sleep more”.")
    assert "“sleep more”" in engine.newest.instructions


async def test_both_suggestions_have_a_button(talk: Talk) -> None:
    answer = await talk.say("/st")

    assert answer.text == "There is no command /st. Did you mean /stop or /usage?"
    assert labels(answer) == ["/stop", "/usage"]


async def test_a_tapped_suggestion_is_checked_as_if_it_was_typed(commands: ChatCommands) -> None:
    for_people = await commands.run(call("/gaol win", standing=Standing.PERSON))
    for_owners = await commands.run(call("/gaol win"))

    assert for_people.actions == ()
    assert [action.action for action in for_owners.actions] == [RunCommand(name="goal", arguments="win")]


async def test_where_there_are_no_buttons_the_words_say_what_to_type(
    home: Home, engine: Echo, shell: MemoryApp, clock: ManualClock
) -> None:
    async with talking(home, engine, shell, clock, button_limit=0) as talk:
        await talk.say("hello")
        meant = await talk.say("/claer")
        cleared = await talk.say("/clear")
        goal = await talk.say("/goal win")
        plan = await talk.say("/plan on")

    assert "Did you mean /clear?" in meant.text
    assert "/undo takes it back." in cleared.text
    assert "/goal clear takes it away." in goal.text
    assert "/plan off goes back to acting as usual." in plan.text
    assert [labels(message) for message in (meant, cleared, goal, plan)] == [[], [], [], []]


async def test_what_was_typed_is_shown_as_it_was_and_never_as_markup(commands: ChatCommands) -> None:
    reply = await commands.run(call("/claer `a``b` [x](https://evil.example)\n**c**"))

    assert reply.words == (
        "There is no command `/claer`. Did you mean ``` /clear `a``b` [x](https://evil.example) **c** ```?"
    )


async def test_long_words_are_cut_where_they_are_only_shown(commands: ChatCommands) -> None:
    reply = await commands.run(call(f"/gaol {'x' * 4000}"))

    assert len(reply.words) < 200
    assert reply.actions[0].action == RunCommand(name="goal", arguments="x" * 4000)


async def test_on_slack_every_command_is_written_the_way_slack_lets_through(commands: ChatCommands) -> None:
    typed = ("/claer now", "/export", "/goal", "/mode 5", "/xyzzy")

    replies = [(await commands.run(call(one, kind="slack"))).words for one in typed]

    assert replies == [
        "There is no command `/conch claer`. Did you mean `/conch clear now`?",
        "`/conch export` works in the console: https://conch.example/chats",
        "There is no goal here. Write it after `/conch goal`, in up to 500 characters, to set one.",
        "There is no such mode. There is: plan, ask, edit, auto, full.",
        "There is no command `/conch xyzzy`. `/conch help` shows what there is.",
    ]


# ---- the rest ------------------------------------------------------------------------------------------------------


async def test_help_names_just_what_is_there_for_this_person(talk: Talk) -> None:
    bob = await talk.let_in("Bob")

    for_ada, for_bob = await talk.say("/help"), await talk.say("/start", bob)

    def named(text: str) -> list[str]:
        return [line.split("/")[1].split()[0] for line in text.splitlines() if "/" in line and " – " in line]

    assert named(for_ada.text) == [command.name for command in listed_at(Place.OWNER_CHAT)]
    assert named(for_bob.text) == [command.name for command in listed_at(Place.PERSON_CHAT)]


async def test_nothing_waits_for_words_that_could_be_cancelled(talk: Talk) -> None:
    answer = await talk.say("/cancel")

    assert answer.text == written_in("telegram", NOTHING_WAITED)


@pytest.mark.parametrize("typed", ["/clear", "/undo", "/retry", "/goal", "/goal win", "/plan", "/status"])
async def test_a_deleted_conversation_is_forgotten_and_the_next_message_starts_anew(
    talk: Talk, engine: Echo, typed: str
) -> None:
    seat = await _seat_of_a_deleted_conversation(talk)

    answer = await talk.say(typed)
    after = await talk.seat()
    await talk.say("hello")

    assert answer.text == "This conversation was deleted meanwhile. Your next message starts a new one."
    assert after is None
    assert await talk.conversation() != seat
    assert engine.newest.handoff is None


async def _seat_of_a_deleted_conversation(talk: Talk) -> str:
    await talk.say("/goal nothing yet")
    record = await talk.seat()
    assert record is not None
    await talk.app.database.commit(TakeSeat(record.seat, "deleted", "private"))
    return "deleted"


async def test_new_takes_the_buttons_of_the_seat_away(talk: Talk) -> None:
    await talk.say("hello")
    cleared = await talk.say("/clear")

    await talk.say("/new")
    while talk.ada.find(cleared.id) != replace(cleared, buttons=(), edits=1):
        await talk.clock.advance(1)
    undone = await talk.say("/undo")

    assert labels(cleared) == ["Undo"]
    assert undone.text == "There is no clear to take back here."
