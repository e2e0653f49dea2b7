"""What was decided in conversations is written down once, with by whom and where."""

from conch.app import App
from core.events import Mode, OfferResolved, OptionsSet, Origin, PermissionResolved, UserMessage
from core.store.audit import Audit
from core.store.database import Database
from core.store.log import Append
from tests.core.event_logs import offered, wants_permission

ADA = Origin(kind="channel", person_name="Ada", app="Telegram")
HELLO = UserMessage(message_id="m", text="Write that down for me, and then the other thing", origin=ADA)


async def told(database: Database) -> list[str]:
    """The oldest first."""
    return [f"{each.what} | {each.by} | {each.about}" for each in reversed(await Audit(database).page(100))]


async def decided(built: App, *data: object) -> list[str]:
    """What is written down of these events."""
    await built.database.commit(Append("c", (HELLO, *data)))  # type: ignore[arg-type]
    await built.witness.settled()
    return await told(built.database)


PLACE = "in “Write that down for me, and then the ot…” (Telegram)"


async def test_what_a_person_allowed_or_not_is_written_down(built: App) -> None:
    seen = [wants_permission(each, f"Send {each}") for each in ("p1", "p2", "p3", "p4")]
    resolved = [
        PermissionResolved(permission_id="p1", decision="allow", by="Ada"),
        PermissionResolved(permission_id="p2", decision="allow-always", by="The console"),
        PermissionResolved(permission_id="p3", decision="deny", by="The API (script)"),
        PermissionResolved(permission_id="p4", decision="expired"),
    ]

    assert await decided(built, *seen, *resolved) == [
        f"allowed | Ada | Send p1, {PLACE}",
        f"allowed | The console | Send p2 from now on, {PLACE}",
        f"denied | The API (script) | Send p3, {PLACE}",
    ]


async def test_an_offer_is_written_down_where_somebody_took_it(built: App) -> None:
    taken = OfferResolved(offer_id="o1", outcome="accepted", by="Ada")
    left = OfferResolved(offer_id="o2", outcome="dismissed", by="Ada")

    lines = await decided(built, offered("o1"), offered("o2"), taken, left)

    assert lines == [f"offer-taken | Ada | the offer of Calendar, {PLACE}"]


async def test_another_mode_is_written_down_and_another_engine_is_not(built: App) -> None:
    options = [
        OptionsSet(engine="demo"),
        OptionsSet(engine="demo", mode=Mode.FULL),
        OptionsSet(mode=Mode.FULL, fast=True),
        OptionsSet(),
    ]

    assert await decided(built, *options) == [
        f"mode-changed | Somebody | the mode to Full trust, {PLACE}",
        f"mode-changed | Somebody | the mode to the default, {PLACE}",
    ]


async def test_a_long_summary_leaves_room_for_the_place(built: App) -> None:
    seen = wants_permission("p1", "Send " + "x" * 1_000)

    [line] = await decided(built, seen, PermissionResolved(permission_id="p1", decision="allow", by="Ada"))

    assert line.startswith("allowed | Ada | Send xxx")
    assert line.endswith(PLACE)
