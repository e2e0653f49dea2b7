"""What the doctor finds out by itself, without a server: the data folder, the settings, the key file, the database, the
port. Nothing is changed by looking.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from conch import settings
from conch.findings import Finding, fail, ok, warn
from conch.home import VARIABLE, Home
from conch.kinds import connectable
from conch.settings import ProgramSettings
from core.clock import Clock
from core.errors import ConchError, UsageError
from core.safety.secrets import KEY_FILE
from core.skills.folder import read
from core.store.inspection import Inspected, Shape, inspected_file, inspected_server
from web.security import is_loopback
from web.serving import PortTaken, listen

LITTLE_ROOM = 500 << 20
"""Bytes free on the disk below which it is time to think of more."""
NO_ROOM = 50 << 20

SETTINGS = "Settings"
FOLDER = "Data folder"
DATABASE = "Database"

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def about_folder(place: Home) -> Iterator[Finding]:
    """Whether the data folder is there, ours, closed to others, and has room."""
    path = place.path
    if not path.exists():
        yield ok(FOLDER, f"{path} is not there yet; the first start makes it.")
        return
    if not path.is_dir() or not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        yield fail(
            FOLDER,
            f"{path} is no folder that Conch may write to.",
            f"Give it to the user that runs Conch, or set {VARIABLE} to another one.",
        )
        return
    if path.stat().st_mode & OTHERS:
        yield warn(FOLDER, f"{path} is open to others on this machine.", "A start of Conch closes it.")
    room = shutil.disk_usage(path).free
    if room < LITTLE_ROOM:
        judge = fail if room < NO_ROOM else warn
        yield judge("Disk", f"{size(room)} are left where {path} is.", "Make room: with a full disk nothing is taken.")
    else:
        yield ok(FOLDER, f"{path}, {size(room)} free.")


def about_settings(place: Home, clock: Clock) -> tuple[ProgramSettings | None, tuple[Finding, ...]]:
    """The settings where a start could use them, and what there is to say about them."""
    try:
        loaded = settings.load(place)
        connectable(loaded.settings, clock)
    except UsageError as fault:
        todo = "Mend it; until then a running Conch goes on with the last settings that worked."
        return None, (fail(SETTINGS, str(fault), todo),)
    chosen = loaded.settings
    found = [warn(SETTINGS, remark, "Mend the name, or take the variable out.") for remark in loaded.remarks]
    if not is_loopback(chosen.host) and not chosen.public_url:
        found.append(
            warn(
                SETTINGS,
                f"Other machines reach the web side on {chosen.host}, and what they send is readable on the way.",
                "Put a proxy with TLS in front and set public_url, or set host back to 127.0.0.1.",
            )
        )
    where = str(place.config) if place.config.exists() else "the environment and the defaults"
    return chosen, (*found, ok(SETTINGS, f"Read from {where}."))


def about_skills(place: Home) -> tuple[Finding, ...]:
    """Which files of the owner's skills cannot be used."""
    todo = "Mend the file, or take its folder away."
    return tuple(warn("Skills", fault, todo) for fault in read(place.skills).faults)


def has_key(place: Home, chosen: ProgramSettings) -> bool:
    """Whether there is a key that seals stored keys: without one, opening the data makes one."""
    return chosen.secret_key is not None or (place.path / KEY_FILE).exists()


def about_key(place: Home, chosen: ProgramSettings, sealed: int) -> Finding:
    """Whether the key that seals the keys of bots and engines, so many, is there and nobody else's to read."""
    path, subject = place.path / KEY_FILE, "Secret key"
    if chosen.secret_key is not None:
        return ok(subject, "From the settings.")
    if not path.exists():
        if sealed:
            return fail(
                subject,
                f"{path} is gone, and the keys of your bots and engines ({sealed}) are sealed with it.",
                "Bring it back from a backup; if it is lost, connect the bots and engines again.",
            )
        return ok(subject, "Not there yet; the first start makes it.")
    if not os.access(path, os.R_OK):
        return fail(subject, f"{path} cannot be read.", "Give it to the user that runs Conch.")
    if path.stat().st_mode & OTHERS:
        return warn(subject, f"{path} can be read by others.", f"Run `chmod 600 {path}`; a start of Conch does it too.")
    return ok(subject, f"{path}, for you only.")


def about_database(path: Path) -> tuple[Inspected | None, Finding]:
    """Whether the file is sound and of this release; what was found in it, where it can be used."""
    backup = "Restore it from a backup."
    if not path.exists():
        return None, ok(DATABASE, "Not there yet; the first start makes it.")
    try:
        found = inspected_file(path)
    except ConchError as fault:
        return None, fail(DATABASE, f"{path}: {fault}", backup)
    if found.faults:
        return None, fail(DATABASE, f"{path} is damaged: {'; '.join(found.faults)}.", backup)
    if not os.access(path, os.W_OK):
        return None, fail(DATABASE, f"{path} cannot be written to.", "Give it to the user that runs Conch.")
    return _seen(found, str(path))


async def about_server(url: str) -> tuple[Inspected | None, Finding]:
    """The same of a database on a server; its address may hold a password, so only the machine is named."""
    where = f"The database on {urlsplit(url).hostname}"
    try:
        return _seen(await inspected_server(url), where)
    except ConchError as fault:
        return None, fail(DATABASE, str(fault), "Mend database_url, or see that the server runs and lets Conch in.")


def _seen(found: Inspected, where: str) -> tuple[Inspected | None, Finding]:
    known = f"{where} ({size(found.size)})"
    match found.shape:
        case Shape.NEWER:
            return None, fail(
                DATABASE, f"{known} was written by a newer release.", "Run that release, or restore a backup."
            )
        case Shape.OLDER:
            said = f"{known} is sound, and of an earlier release."
            return found, warn(DATABASE, said, "Make a copy of it: the next start brings it to this release's shape.")
        case Shape.EMPTY:
            return found, ok(DATABASE, f"{known} is empty; the first start makes its tables.")
    return found, ok(DATABASE, f"{known} is sound and up to date.")


def about_port(chosen: ProgramSettings) -> Finding:
    """Whether the web side could listen; for when no server runs."""
    subject, where = "Port", f"{chosen.host}, port {chosen.port}"
    try:
        listen(chosen.host, chosen.port).close()
    except PortTaken:
        return fail(subject, f"Another program listens on {where}.", "End it, or choose another with CONCH_PORT.")
    except UsageError as fault:
        return fail(subject, str(fault), "Set host and port to what this machine has.")
    return ok(subject, f"Free: {where}." if chosen.port else f"Any free one on {chosen.host}.")


def size(count: int) -> str:
    """Bytes in words."""
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"
