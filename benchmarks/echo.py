"""Echo bots side by side on one Bot API: Conch the whole way, python-telegram-bot plain, and as fast as it goes.

`flood` is everything at once, 40 messages from each of 50 chats: what waits while Conch answers goes as one, so it
makes fewer calls than there are messages. `in turn` is one answer for each message, one in flight a chat. `RTT` is the
same while each call takes 50 ms. `crowd` is one message from each of 1,000 chats at once. `steady` is 200 messages a
second. `/help` goes in turn.
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvloop

from benchmarks import machine
from benchmarks.people import Outcome, People, person_ids
from benchmarks.processes import bot
from benchmarks.wire import Wire

CHATS, CROWD = 50, 1_000
LATENCY = 0.05
BOTS: Mapping[str, str] = {"plain": "plain_ptb", "tuned": "tuned_ptb", "conch": "conch_echo"}
TITLES = {"plain": "python-telegram-bot as documented", "tuned": "… tuned", "conch": "Conch, the whole way"}


@dataclass(frozen=True, slots=True)
class Measured:
    """One scenario of one bot. `cpu` is in microseconds for each message."""

    outcome: Outcome
    cpu: float


Round = Mapping[str, Measured]


async def scenarios(name: str, wanted: Sequence[str], scale: float) -> Round:
    """Every scenario for one bot, each with what it cost."""
    wire = Wire()
    people = People(wire, CROWD)
    found: dict[str, Measured] = {}
    async with bot(BOTS[name], wire, person_ids(CROWD)) as process:
        await people.in_turn(CHATS, 4)  # warm

        async def measure(what: str, messages: int) -> None:
            if wanted and what not in wanted:
                return
            before = process.used().cpu
            outcome = await _play(what, people, wire, messages)
            found[what] = Measured(outcome, (process.used().cpu - before) / outcome.messages * 1e6)

        await measure("flood", int(40 * scale))
        await measure("in turn", int(40 * scale))
        await measure("/help", int(40 * scale))
        await measure("RTT", max(1, int((2 if name == "plain" else 40) * scale)))
        await measure("steady", int(4 * scale) or 1)
        await measure("crowd", 1)
    return found


async def _play(what: str, people: People, wire: Wire, count: int) -> Outcome:
    if what == "flood":
        return await people.flood(CHATS, count)
    if what == "crowd":
        return await people.flood(CROWD, count)
    if what == "steady":
        return await people.steady(CHATS, 200, count)
    wire.latency = LATENCY if what == "RTT" else 0.0
    try:
        return await people.in_turn(CHATS, count, words="/help" if what == "/help" else "")
    finally:
        wire.latency = 0.0


# ---- showing ---------------------------------------------------------------------------------------------------------


def median(rounds: Sequence[Round], what: str, figure: str) -> float:
    """Over the rounds: `rate`, `cpu`, `calls` a message, `p50` or `p99` in milliseconds."""
    return statistics.median(_figure(round_[what], figure) for round_ in rounds)


def _figure(measured: Measured, figure: str) -> float:
    outcome = measured.outcome
    match figure:
        case "rate":
            return outcome.rate
        case "cpu":
            return measured.cpu
        case "calls":
            return outcome.calls / outcome.messages
        case "p50":
            return statistics.median(outcome.waits) * 1e3
        case _:
            return statistics.quantiles(outcome.waits, n=100)[98] * 1e3


def show(name: str, rounds: Sequence[Round]) -> None:
    print(f"\n{TITLES[name]}")
    for what in rounds[0]:
        rate, cpu, calls = (median(rounds, what, figure) for figure in ("rate", "cpu", "calls"))
        rates = [round_[what].outcome.rate for round_ in rounds]
        line = f"  {what:8} {rate:8,.0f} msg/s  ({min(rates):,.0f} to {max(rates):,.0f})  {cpu:6,.0f} µs CPU"
        line += f"  {calls:4.2f} calls a message"
        if what == "steady":
            line += f"  p50 {median(rounds, what, 'p50'):.2f} ms, p99 {median(rounds, what, 'p99'):.2f} ms"
        faults = sorted({round_[what].outcome.faults for round_ in rounds} - {""})
        print(f"{line}  {'; '.join(faults) or 'all answered once, in order'}")


def compare(all_rounds: Mapping[str, Sequence[Round]], flush: float) -> None:
    """The ratios that the goals are about, inside one run."""
    plain, tuned, ours = (all_rounds.get(name) for name in ("plain", "tuned", "conch"))
    if not (plain and tuned and ours):
        return
    print("\nRatios (goal)")
    for what in ("flood", "in turn", "crowd", "/help"):
        if what in ours[0]:
            rate = median(ours, what, "rate")
            over_plain, over_tuned = (rate / median(peer, what, "rate") for peer in (plain, tuned))
            print(f"  {what:8} {over_plain:5.2f} × plain (≥ 1.5)  {over_tuned:5.2f} × tuned (≥ 0.5)")
    if {"/help", "in turn"} <= ours[0].keys():
        print(f"  /help    {median(ours, '/help', 'rate') / median(ours, 'in turn', 'rate'):5.2f} × an echo (≥ 1)")
    if "RTT" in ours[0]:
        rate, ceiling = median(ours, "RTT", "rate"), CHATS / LATENCY
        print(f"  RTT      {rate / ceiling:5.2f} of the ceiling (≥ 0.8)  ", end="")
        print(f"{rate / median(plain, 'RTT', 'rate'):5.1f} × plain (≥ 40)")
    if "steady" in ours[0]:
        for figure in ("p50", "p99"):
            most = 2 * median(plain, "steady", figure) + 4 * flush
            print(f"  {figure} at 200/s {median(ours, 'steady', figure):.2f} ms (≤ {most:.2f})")


async def run(asked: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="conch-bench-") as folder:
        flush = machine.flush_ms(Path(folder))
    print(f"{machine.described()}; {machine.load():.1f} processes wanted it; one flush {flush:.2f} ms")
    print("SQLite: PRAGMA synchronous is 2 (FULL), read back. Budgets and gathering are off (rates 0, gather_ms 0).")
    names = asked.bots or list(BOTS)
    all_rounds: dict[str, list[Round]] = {name: [] for name in names}
    for _ in range(asked.rounds):
        for name in names:
            all_rounds[name].append(await scenarios(name, asked.only, asked.scale))
    for name, rounds in all_rounds.items():
        show(name, rounds)
    compare(all_rounds, flush)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bots", nargs="*", choices=BOTS, help="some of them; all without")
    parser.add_argument("--only", nargs="*", default=[], help="some scenarios; all without")
    parser.add_argument("--scale", type=float, default=1.0, help="how many messages, as a share of the usual")
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
