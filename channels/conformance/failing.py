"""Promises about what goes wrong: it is told for what it is, no key shows in it, and afterwards everything goes on."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from channels.base import InboundMessage
from channels.conformance.promise import (
    PATIENCE,
    Promise,
    all_that_is_told,
    always_listening,
    patiently_sent,
    words,
)
from channels.conformance.rig import Ear, Rig, Trouble
from core.errors import ConchError, MaybeDone, Refused, RefusedReason, TryLater

_IMPATIENCE: Final = 0.5
"""Real seconds after which a person who is not heard writes again."""


async def a_busy_app_is_classed_as_such(rig: Rig) -> None:
    """`TryLater` with the seconds that the app gave; nothing is seen, and the same call works afterwards."""
    before = len(rig.seen())
    rig.trouble(Trouble.REFUSED_FOR_NOW)
    try:
        await rig.channel.send(rig.chat, words("patience"))
    except TryLater as reason:
        assert reason.retry_after is not None
    else:
        raise AssertionError("a busy app was not told")
    assert len(rig.seen()) == before

    await rig.channel.send(rig.chat, words("patience"))
    assert rig.seen()[-1] == "patience"


async def a_lost_receipt_is_classed_as_unknown(rig: Rig) -> None:
    """`MaybeDone`, and no second try by the adapter itself."""
    before = len(rig.seen())
    rig.trouble(Trouble.RECEIPT_LOST)
    try:
        await rig.channel.send(rig.chat, words("perhaps"))
    except MaybeDone:
        pass
    else:
        raise AssertionError("a lost receipt was not told")

    assert len(rig.seen()) == before + 1


async def a_refusal_is_final_and_says_its_kind(rig: Rig) -> None:
    """`Refused`, with a reason that is not about the key."""
    rig.trouble(Trouble.NEVER)
    try:
        await rig.channel.send(rig.chat, words("never"))
    except Refused as reason:
        assert reason.reason is not RefusedReason.AUTH
    else:
        raise AssertionError("a refusal was not told")


async def a_revoked_key_is_said_and_not_shown(rig: Rig) -> None:
    """`Refused` (`AUTH`) at the next start and the next send, without the key in any word of it."""
    secret = rig.secret
    rig.revoke()
    for call in (rig.channel.start, lambda: rig.channel.send(rig.chat, words("hello"))):
        try:
            await call()
        except Refused as reason:
            assert reason.reason is RefusedReason.AUTH
            assert secret not in all_that_is_told(reason)
        else:
            raise AssertionError("a key that does not work was not told")


async def no_error_shows_the_key(rig: Rig) -> None:
    """Neither one of any kind, with all that is behind it, nor the adapter itself where it is printed."""
    secret, told = rig.secret, [repr(rig.channel)]
    for trouble in Trouble:
        rig.trouble(trouble)
        told.append(await _told_of(lambda: rig.channel.send(rig.chat, words("hello"))))
    await rig.cut()
    told.append(await _told_of(lambda: rig.channel.send(rig.chat, words("hello"))))
    told.append(await _told_of(rig.channel.start))
    await rig.mend()
    rig.revoke()
    told.append(await _told_of(rig.channel.start))

    assert all(secret not in said for said in told)


async def _told_of(call: Callable[[], Awaitable[object]]) -> str:
    try:
        await call()
    except ConchError as error:
        return all_that_is_told(error)
    return ""


async def a_cut_connection_is_taken_up_again(rig: Rig) -> None:
    """While the app is away a send is `TryLater` or `MaybeDone`; when it is back, both ways work as before."""
    async with always_listening(rig) as ear:
        await rig.cut()
        try:
            await rig.channel.send(rig.chat, words("into the cut"))
        except (TryLater, MaybeDone):
            pass
        else:
            raise AssertionError("a send went through a cut")
        await rig.mend()
        await patiently_sent(rig, words("here again"))
        await _say_until_heard(rig, ear, "are you there?")

    heard = [item for item in ear.heard if isinstance(item, InboundMessage)]
    assert rig.seen()[-1] == "here again"
    assert {message.text for message in heard} == {"are you there?"}
    assert len({message.update_id for message in heard}) == len(heard)


async def _say_until_heard(rig: Rig, ear: Ear, text: str) -> None:
    """Many an app keeps nothing for a bot that is just coming back, and a person then writes again."""
    async with asyncio.timeout(PATIENCE):
        while not ear.heard:
            await rig.say(text)
            with suppress(TimeoutError):
                await asyncio.wait_for(ear.until_heard(InboundMessage), _IMPATIENCE)


FAILING: Final[tuple[Promise, ...]] = (
    a_busy_app_is_classed_as_such,
    a_lost_receipt_is_classed_as_unknown,
    a_refusal_is_final_and_says_its_kind,
    a_revoked_key_is_said_and_not_shown,
    no_error_shows_the_key,
    a_cut_connection_is_taken_up_again,
)
