"""`conch doctor`: everything that can be wrong is looked at, with a running server or without one.

What is found out here is in `conch.checks`, what becomes of the facts about bots and engines in `conch.verdicts`; here
is who can be asked, and in which order.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from conch import checks, lock
from conch.checks import FOLDER
from conch.control import reach
from conch.findings import Finding, Verdict, fail, ok, warn
from conch.home import Home
from conch.lock import DataInUse, Holder
from conch.settings import ProgramSettings
from conch.verdicts import about_everything
from core.clock import Clock
from core.errors import ConchError
from core.store.inspection import Inspected, Shape
from web.diagnosis import Diagnosis

PROGRAM = "conch doctor"

PATIENCE = 3.0
"""Seconds that another short command is waited for."""

WEB_SECONDS = 5.0

_SQLITE = "sqlite:///"


async def examine(place: Home, clock: Clock) -> tuple[Finding, ...]:
    """Every finding, in an order that leads from the ground up."""
    here = await _look_here(place, clock)
    return (*here.findings, *await _look_further(place, here, clock))


@dataclass(frozen=True, slots=True)
class _Here:
    """What was found without asking anybody.

    `has_folder`: there is a data folder, and it can be used. `openable`: so is the database, and opening it changes
    nothing in it.
    """

    findings: tuple[Finding, ...]
    settings: ProgramSettings | None
    has_folder: bool = False
    openable: bool = False
    bots: int = 0


async def _look_here(place: Home, clock: Clock) -> _Here:
    chosen, found = await asyncio.to_thread(_ground, place, clock)
    has_folder = place.path.is_dir() and not any(_has_failed(each) for each in found if each.subject == FOLDER)
    if chosen is None or not has_folder:
        return _Here(found, chosen, has_folder)
    inspected, about_database = await _database(place, chosen)
    bots = inspected.bots if inspected else 0
    about_key = checks.about_key(place, chosen, inspected.sealed if inspected else 0)
    has_key = not _has_failed(about_key) and checks.has_key(place, chosen)
    openable = has_key and inspected is not None and inspected.shape is Shape.CURRENT
    return _Here((*found, about_key, about_database), chosen, has_folder, openable, bots)


def _ground(place: Home, clock: Clock) -> tuple[ProgramSettings | None, tuple[Finding, ...]]:
    chosen, about_settings = checks.about_settings(place, clock)
    return chosen, (*about_settings, *checks.about_folder(place), *checks.about_skills(place))


async def _database(place: Home, chosen: ProgramSettings) -> tuple[Inspected | None, Finding]:
    """Look at the file in the data folder, at another file, or at a server's database."""
    url = chosen.database_url
    if url is None or url.startswith(_SQLITE):
        file = place.database if url is None else Path(url.removeprefix(_SQLITE))
        return await asyncio.to_thread(checks.about_database, file)
    return await checks.about_server(url)


def _has_failed(finding: Finding) -> bool:
    return finding.verdict is Verdict.FAIL


# ---- asking others ---------------------------------------------------------------------------------------------------


async def _look_further(place: Home, here: _Here, clock: Clock) -> Sequence[Finding]:
    """Ask the server; without one, ask the bots' apps from here where nothing has to be changed for that."""
    if not here.has_folder:
        return _port(here)
    try:
        with lock.hold(place, PROGRAM, clock, patience=PATIENCE if _is_short(lock.holder(place)) else 0):
            return (*_nobody_runs(here), *_port(here), *await _from_here(place, here, clock))
    except DataInUse as fault:
        return await _from_server(fault.holder, here)


def _is_short(holder: Holder | None) -> bool:
    return holder is not None and holder.control is None


def _nobody_runs(here: _Here) -> tuple[Finding, ...]:
    if here.bots:
        return (warn("Server", "Conch does not run, so your bots answer nobody.", "Start it with `conch serve`."),)
    return (ok("Server", "Conch does not run."),)


def _port(here: _Here) -> tuple[Finding, ...]:
    return () if here.settings is None else (checks.about_port(here.settings),)


async def _from_here(place: Home, here: _Here, clock: Clock) -> Sequence[Finding]:
    if not here.openable:
        return ()
    # Everything that a server is made of takes a second to import, and a running one is asked instead.
    from conch.alone import alone  # noqa: PLC0415 - see above

    try:
        async with alone(place, clock) as admin:
            return tuple(about_everything(await admin.diagnose()))
    except ConchError as fault:
        return (fail("Start", str(fault), "Mend that first: `conch serve` would not start either."),)


async def _from_server(holder: Holder | None, here: _Here) -> Sequence[Finding]:
    if holder is None or holder.control is None:
        who = str(holder) if holder else "A program that is just starting"
        return (warn("Server", f"{who} uses the data, so the bots were not looked at.", "Ask again when it ended."),)
    try:
        async with reach(holder.control) as server:
            diagnosis: Diagnosis = await server.diagnose()
    except ConchError as fault:
        todo = "Look into its log. If it hangs, end that process and start it again."
        return (fail("Server", f"{holder} does not answer its commands: {fault}", todo),)
    return (ok("Server", f"{holder}."), await _web_side(holder, here), *about_everything(diagnosis))


async def _web_side(holder: Holder, here: _Here) -> Finding:
    """Whether the server's own port answers, and is the one in the settings."""
    subject, address = "Web side", holder.address or ""
    try:
        timeout = aiohttp.ClientTimeout(total=WEB_SECONDS)
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(f"{address}/healthz") as answer:
            status = answer.status
    except (aiohttp.ClientError, TimeoutError) as fault:
        return fail(subject, f"Nothing answers at {address}: {fault or 'no answer in time'}.", "Start Conch again.")
    if status != 200:
        return fail(subject, f"{address} says {status}.", "The lines that follow may say why.")
    if here.settings is not None and here.settings.port and not address.endswith(f":{here.settings.port}"):
        said = f"It answers at {address}, while the settings say port {here.settings.port}."
        return warn(
            subject, said, "Fine if it was started with --port; otherwise the settings count from the next start on."
        )
    return ok(subject, f"It answers at {address}.")
