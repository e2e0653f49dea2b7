import pytest

from channels.memory.app import MemoryApp
from conch.admin import Admin
from conch.app import App
from core.clock import ManualClock
from core.errors import NotFound, Refused, UsageError
from core.store.channels import Channels


@pytest.fixture
def admin(built: App) -> Admin:
    return Admin(built)


async def asks(built: App, channel_id: str, person_id: str, name: str) -> None:
    """Someone writes to a bot and is turned away."""
    now = built.clock.now()
    await built.people.request(
        channel_id, person_id, name, None, chat_id=person_id, preview="Hello?", answered_before=now
    )


async def test_a_connected_bot_is_remembered_with_a_link_and_does_not_run_yet(admin: Admin, shell: MemoryApp) -> None:
    connected = await admin.add_channel("shell", f"my key: {shell.key}")

    assert connected.hello is not None
    assert (connected.hello.link or "").startswith("memory://conch?start=")
    assert not connected.updated
    assert connected.channel.state is None
    assert await admin.channels() == (connected.channel,)


async def test_in_a_running_program_it_receives_at_once(admin: Admin, built: App, shell: MemoryApp) -> None:
    await built.start()

    connected = await admin.add_channel("shell", shell.key)

    assert connected.channel.state in ("connecting", "online")
    await built.drain()


async def test_the_same_bot_again_has_its_new_key(admin: Admin, shell: MemoryApp) -> None:
    first = await admin.add_channel("shell", shell.key)

    again = await admin.add_channel("shell", shell.renew_key())

    assert again.updated
    assert again.channel.id == first.channel.id


@pytest.mark.parametrize(("kind", "pasted"), [("shell", "nothing of use"), ("pigeon", "a key"), ("memory", "a key")])
async def test_what_holds_no_key_or_names_no_app_is_off(admin: Admin, kind: str, pasted: str) -> None:
    with pytest.raises(UsageError):
        await admin.add_channel(kind, pasted)


async def test_a_key_that_does_not_work_is_not_kept(admin: Admin) -> None:
    with pytest.raises(Refused):
        await admin.add_channel("shell", "memory:" + "x" * 20)

    assert await admin.channels() == ()


async def test_a_bot_is_turned_off_and_on_and_forgotten(admin: Admin, shell: MemoryApp) -> None:
    await admin.add_channel("shell", shell.key)

    off = await admin.switch_channel("@conch", False)
    on = await admin.switch_channel(None, True)
    await admin.remove_channel("conch")

    assert (off.enabled, on.enabled) == (False, True)
    assert await admin.channels() == ()


async def test_without_a_bot_there_is_nothing_to_name(admin: Admin) -> None:
    with pytest.raises(NotFound, match="conch channels add telegram"):
        await admin.link_channel(None)


async def test_a_name_that_fits_no_bot_is_answered_with_those_there_are(admin: Admin, shell: MemoryApp) -> None:
    await admin.add_channel("shell", shell.key)

    with pytest.raises(NotFound, match="@conch"):
        await admin.link_channel("chonk")


async def test_a_link_says_until_when_it_works(admin: Admin, shell: MemoryApp, clock: ManualClock) -> None:
    await admin.add_channel("shell", shell.key)

    hello = await admin.link_channel(None)

    assert (hello.expires_at - clock.now()).total_seconds() == 600


async def test_who_asked_is_let_in_by_the_apps_id_and_the_first_one_owns_the_bot(
    admin: Admin, built: App, shell: MemoryApp
) -> None:
    channel = (await admin.add_channel("shell", shell.key)).channel
    await asks(built, channel.id, "77", "Ada")
    await asks(built, channel.id, "78", "Ada")

    waiting = (await admin.people(None)).requests
    owner, person = await admin.let_in("77", None), await admin.let_in("78", "conch")

    assert {request.person_id for request in waiting} == {"77", "78"}
    assert (owner.role, person.role) == ("owner", "person")


@pytest.mark.report("R103")
@pytest.mark.parametrize("name", ["Ada", "ada", "@ada"])
async def test_nobody_is_let_in_by_a_name(admin: Admin, built: App, shell: MemoryApp, name: str) -> None:
    channel = (await admin.add_channel("shell", shell.key)).channel
    await asks(built, channel.id, "77", "Ada")

    with pytest.raises(NotFound):
        await admin.let_in(name, None)


async def test_of_several_bots_the_one_that_somebody_wrote_to_lets_them_in(admin: Admin, built: App) -> None:
    channels = Channels(built.database)
    for name in ("one", "two"):
        await channels.add(name, "shell", name, name.title(), f"{name}_bot", "sealed")
    await asks(built, "two", "77", "Ada")
    await asks(built, "one", "78", "Bob")
    await asks(built, "two", "78", "Bob")

    ada = await admin.let_in("77", None)
    with pytest.raises(UsageError) as several:
        await admin.let_in("78", None)
    bob = await admin.let_in("78", "one")
    with pytest.raises(NotFound, match="conch people list"):
        await admin.let_in("79", None)

    assert (ada.channel.id, bob.channel.id) == ("two", "one")
    assert str(several.value) == "Several bots know this id. Add `--bot one` (@one_bot) or `--bot two` (@two_bot)."


@pytest.mark.report("R107")
async def test_whoever_was_let_in_is_listed_blocked_let_in_again_and_removed(
    admin: Admin, built: App, shell: MemoryApp
) -> None:
    channel = (await admin.add_channel("shell", shell.key)).channel
    await asks(built, channel.id, "77", "Ada")
    await admin.let_in("77", None)

    blocked = await admin.block("77", None)
    back = await admin.let_in("77", None)
    listed = (await admin.people("conch")).people
    await admin.remove_person("77", None)

    assert (blocked.role, back.role) == ("blocked", "owner")
    assert [(person.id, person.name, person.since) for person in listed] == [("77", "Ada", built.clock.now())]
    assert (await admin.people(None)).people == ()


async def test_removing_somebody_who_is_not_there_says_where_to_look(admin: Admin, shell: MemoryApp) -> None:
    await admin.add_channel("shell", shell.key)

    with pytest.raises(NotFound, match="conch people list"):
        await admin.remove_person("77", None)


async def test_without_a_server_there_is_no_page_to_link_to(admin: Admin) -> None:
    with pytest.raises(UsageError, match="conch serve"):
        await admin.console_link()


# ---- groups --------------------------------------------------------------------------------------------------------


async def test_a_group_is_turned_on_and_off_by_the_apps_id(admin: Admin, built: App, shell: MemoryApp) -> None:
    channel = (await admin.add_channel("shell", shell.key)).channel
    await built.groups.heard_of(channel.id, "-1001", "Team")

    listed = await admin.groups(None)
    on = await admin.switch_group("-1001", None, True)
    off = await admin.switch_group("-1001", "@conch", False)

    assert [(group.id, group.title, group.on) for group in listed] == [("-1001", "Team", False)]
    assert (on.on, off.on) == (True, False)
    assert not await built.groups.is_on(channel.id, "-1001")


@pytest.mark.report("R103")
@pytest.mark.parametrize("name", ["Team", "team", "1001"])
async def test_no_group_is_turned_on_by_its_title(admin: Admin, built: App, shell: MemoryApp, name: str) -> None:
    channel = (await admin.add_channel("shell", shell.key)).channel
    await built.groups.heard_of(channel.id, "-1001", "Team")

    with pytest.raises(NotFound, match="conch groups list"):
        await admin.switch_group(name, None, True)


async def test_a_group_with_two_bots_needs_the_bot_named(admin: Admin, built: App, shell: MemoryApp) -> None:
    first = (await admin.add_channel("shell", shell.key)).channel
    second, _ = await Channels(built.database).add("c2", "shell", "other", "Other", "other_bot", "sealed")
    for channel_id in (first.id, second.id):
        await built.groups.heard_of(channel_id, "-1001", "Team")

    with pytest.raises(UsageError, match="Say which bot with --bot"):
        await admin.switch_group("-1001", None, True)
    await admin.switch_group("-1001", "other_bot", True)

    assert [await built.groups.is_on(channel_id, "-1001") for channel_id in (first.id, second.id)] == [False, True]
