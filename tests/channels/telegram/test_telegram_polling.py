"""The update loop: what was not stored is not confirmed, and nothing but a person's action stops it for long.

Each script ends with an answer that ends the loop. The clock does not wait; it notes for how long it should have.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from channels.base import ChatRef, Conflict, Form, Press, Sender, Update
from channels.telegram import polling
from channels.telegram.client import TelegramClient
from channels.telegram.polling import Poller
from commands.values import ValueItem
from core.errors import Busy, Refused, RefusedReason, StoreUnavailable, TryLater
from tests.channels.telegram import servers
from tests.channels.telegram.clocks import HurriedClock
from tests.channels.telegram.servers import Reaction, ScriptedServer

OTHER_POLLER = servers.refusal(
    409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
)
OTHER_WEBHOOK = servers.refusal(
    409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)
KEY_REVOKED = servers.refusal(401, "Unauthorized")
NO_WEBHOOK = servers.success({"url": "", "has_custom_certificate": False, "pending_update_count": 0})
A_WEBHOOK = servers.success({"url": "https://example.org/hook", "pending_update_count": 3})


class MemorySink:
    """Keeps what it is given; fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.stored: list[Update] = []
        self.failures = failures
        self.online_calls = 0

    async def store(self, updates: Sequence[Update]) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable("the disk is full")
        self.stored.extend(updates)

    def online(self) -> None:
        self.online_calls += 1

    async def form(self, press: Press) -> Form | None:
        return None

    async def faults(self, press: Press) -> Mapping[str, str]:
        return {}

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        return ()


def batch(*ids: int) -> Reaction:
    return servers.success([{"update_id": number, "message": {}} for number in ids])


def polls(server: ScriptedServer) -> list[tuple[Any, Any]]:
    """Offset and timeout of each poll."""
    return [(call.parameters.get("offset"), call.parameters["timeout"]) for call in server.calls("getUpdates")]


@pytest.fixture
def clock() -> HurriedClock:
    return HurriedClock()


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


@pytest.fixture
def poller(server: ScriptedServer, client: TelegramClient, clock: HurriedClock) -> Poller:
    server.expect("getWebhookInfo", NO_WEBHOOK)
    return Poller(client, clock)


async def test_updates_are_stored_as_they_came(server: ScriptedServer, poller: Poller, sink: MemorySink) -> None:
    server.expect("getUpdates", batch(), batch(7, 8), KEY_REVOKED)

    with pytest.raises(Refused) as refused:
        await poller.run(sink)

    assert refused.value.reason is RefusedReason.AUTH
    assert sink.stored == [Update("7", {"update_id": 7, "message": {}}), Update("8", {"update_id": 8, "message": {}})]
    assert polls(server) == [(None, 0), (None, 50), (9, 50)]


async def test_the_first_answer_says_that_the_connection_works(
    server: ScriptedServer, poller: Poller, sink: MemorySink
) -> None:
    server.expect("getUpdates", batch(), batch(), KEY_REVOKED)

    with pytest.raises(Refused):
        await poller.run(sink)

    assert sink.online_calls == 1


@pytest.mark.report("R031")
async def test_the_offset_moves_only_after_the_update_is_stored(
    server: ScriptedServer, poller: Poller, clock: HurriedClock
) -> None:
    sink = MemorySink(failures=2)
    server.expect("getUpdates", batch(7), batch(7), batch(7, 8), batch(), KEY_REVOKED)

    with pytest.raises(Refused):
        await poller.run(sink)

    assert polls(server) == [(None, 0), (None, 50), (None, 50), (9, 50), (9, 50)]
    assert [update.update_id for update in sink.stored] == ["7", "8"]
    assert clock.waits == [polling.STORE_PAUSE] * 2


@pytest.mark.report("R031")
async def test_while_an_update_is_being_stored_nothing_is_confirmed(server: ScriptedServer, poller: Poller) -> None:
    class SlowSink(MemorySink):
        begun = asyncio.Event()

        async def store(self, updates: Sequence[Update]) -> None:
            self.begun.set()
            await asyncio.Event().wait()

    sink = SlowSink()
    server.expect("getUpdates", batch(7))
    running = asyncio.create_task(poller.run(sink))

    await sink.begun.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert polls(server) == [(None, 0)]


async def test_a_new_run_starts_with_what_was_not_confirmed(
    server: ScriptedServer, poller: Poller, sink: MemorySink
) -> None:
    server.expect("getWebhookInfo", NO_WEBHOOK)
    server.expect("getUpdates", batch(7), servers.lose, servers.lose, batch(7), KEY_REVOKED)

    with pytest.raises(TryLater):
        await poller.run(sink)
    with pytest.raises(Refused):
        await poller.run(sink)

    assert polls(server) == [(None, 0), (8, 50), (8, 50), (None, 0), (8, 50)]


@pytest.mark.report("R129")
async def test_there_is_only_one_poll_at_a_time(server: ScriptedServer, poller: Poller, sink: MemorySink) -> None:
    server.expect("getUpdates", servers.hang)
    running = asyncio.create_task(poller.run(sink))
    await server.arrived.wait()

    with pytest.raises(Busy):
        await poller.run(sink)

    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert len(polls(server)) <= 1


# ---- others who want the same updates ------------------------------------------------------------------------------


@pytest.mark.report("R123")
async def test_a_conflict_waits_the_old_poll_out_and_goes_on(
    server: ScriptedServer, poller: Poller, sink: MemorySink, clock: HurriedClock
) -> None:
    server.expect("getUpdates", OTHER_POLLER, OTHER_POLLER, batch(7), OTHER_POLLER, OTHER_POLLER, batch(8), KEY_REVOKED)

    with pytest.raises(Refused):
        await poller.run(sink)

    assert [update.update_id for update in sink.stored] == ["7", "8"]
    assert clock.waits == [polling.CONFLICT_PAUSE] * 4


@pytest.mark.report("R123")
async def test_three_conflicts_in_a_row_leave_the_bot_to_the_other(
    server: ScriptedServer, poller: Poller, sink: MemorySink, clock: HurriedClock
) -> None:
    server.expect("getUpdates", batch(), OTHER_POLLER, OTHER_POLLER, OTHER_POLLER)

    with pytest.raises(Conflict):
        await poller.run(sink)

    assert clock.waits == [polling.CONFLICT_PAUSE] * 2


async def test_a_webhook_left_behind_is_removed_and_what_waits_there_is_kept(
    server: ScriptedServer, client: TelegramClient, sink: MemorySink
) -> None:
    server.expect("getWebhookInfo", A_WEBHOOK)
    server.expect("deleteWebhook", servers.success(True))
    server.expect("getUpdates", batch(7), KEY_REVOKED)

    with pytest.raises(Refused):
        await Poller(client, HurriedClock()).run(sink)

    assert [call.method for call in server.received] == ["getwebhookinfo", "deletewebhook", "getupdates", "getupdates"]
    assert server.calls("deleteWebhook")[0].parameters == {"drop_pending_updates": False}


async def test_a_webhook_that_is_set_meanwhile_is_removed_too(
    server: ScriptedServer, poller: Poller, sink: MemorySink, clock: HurriedClock
) -> None:
    server.expect("getWebhookInfo", A_WEBHOOK)
    server.expect("getUpdates", batch(), OTHER_WEBHOOK, batch(7), KEY_REVOKED)

    with pytest.raises(Refused):
        await poller.run(sink)

    assert len(server.calls("deleteWebhook")) == 1
    assert [update.update_id for update in sink.stored] == ["7"]
    assert clock.waits == []


async def test_two_programs_do_not_fight_over_a_webhook_for_ever(
    server: ScriptedServer, poller: Poller, sink: MemorySink
) -> None:
    server.expect("getWebhookInfo", A_WEBHOOK, A_WEBHOOK)
    server.expect("getUpdates", OTHER_WEBHOOK, OTHER_WEBHOOK, OTHER_WEBHOOK)

    with pytest.raises(Conflict):
        await poller.run(sink)

    assert len(server.calls("deleteWebhook")) == 2


# ---- a connection that breaks --------------------------------------------------------------------------------------

BROKEN = [
    servers.lose,
    servers.cut,
    servers.refusal(502, "Bad Gateway"),
    servers.refusal(503, "Service Unavailable"),
    servers.raw(200, b"<html>"),
]


@pytest.mark.report("R125")
@pytest.mark.parametrize("fault", BROKEN)
async def test_one_broken_poll_is_repeated(
    server: ScriptedServer, poller: Poller, sink: MemorySink, clock: HurriedClock, fault: Reaction
) -> None:
    server.expect("getUpdates", batch(7), fault, batch(8), fault, batch(9), KEY_REVOKED)

    with pytest.raises(Refused):
        await poller.run(sink)

    assert [update.update_id for update in sink.stored] == ["7", "8", "9"]
    assert clock.waits == [polling.BLIP_PAUSE] * 2


@pytest.mark.parametrize("fault", BROKEN)
async def test_two_broken_polls_in_a_row_are_the_supervisors(
    server: ScriptedServer, poller: Poller, sink: MemorySink, fault: Reaction
) -> None:
    server.expect("getUpdates", batch(7), fault, fault)

    with pytest.raises(TryLater):
        await poller.run(sink)

    assert polls(server) == [(None, 0), (8, 50), (8, 50)]


@pytest.mark.report("R059")
async def test_a_flood_wait_is_waited_out_however_often_it_comes(
    server: ScriptedServer, poller: Poller, sink: MemorySink, clock: HurriedClock
) -> None:
    flood = servers.refusal(429, "Too Many Requests: retry after 7", retry_after=7)
    server.expect("getUpdates", flood, flood, flood, batch(1), KEY_REVOKED)

    with pytest.raises(Refused):
        await poller.run(sink)

    assert clock.waits == [7.0, 7.0, 7.0]


@pytest.mark.parametrize("status", [401, 404])
async def test_a_key_that_stopped_working_ends_the_loop(
    server: ScriptedServer, poller: Poller, sink: MemorySink, status: int
) -> None:
    server.expect("getUpdates", batch(), servers.refusal(status, "no"))

    with pytest.raises(Refused) as refused:
        await poller.run(sink)

    assert refused.value.reason is RefusedReason.AUTH


async def test_an_update_without_a_number_is_skipped_and_the_rest_goes_on(
    server: ScriptedServer, poller: Poller, sink: MemorySink, clock: HurriedClock
) -> None:
    odd = servers.success([{"update_id": 7}, {"message": {}}, "x", {"update_id": "9"}, {"update_id": True}])
    server.expect("getUpdates", odd, servers.success([None]), KEY_REVOKED)

    with pytest.raises(Refused):
        await poller.run(sink)

    assert [update.update_id for update in sink.stored] == ["7"]
    assert polls(server) == [(None, 0), (8, 50), (8, 50)]
    assert clock.waits == [polling.STORE_PAUSE]  # nothing to confirm: never ask again without a breath
