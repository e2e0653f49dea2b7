"""What this machine has that can answer in place of the demo: keys in the environment, a running Ollama, agents.

Only looking: nothing is started or stored, and no model is called. A key never leaves `Found`.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Final

import aiohttp
from pydantic import SecretStr

from core.engines.models.addresses import checked, is_near
from core.engines.models.kinds import KINDS, Kind
from core.errors import UsageError

AGENTS: Final = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}
"""Programs on the path, and what they are called."""

OLLAMA: Final = "ollama"
OLLAMA_HOST: Final = "OLLAMA_HOST"
PROBE_SECONDS: Final = 0.5

LIBRARIES: Final = {"google": ("google.genai", "pip install 'conch[google]'")}
"""What a kind of server needs besides what is always installed, and how it is installed."""


@dataclass(frozen=True, slots=True)
class Found:
    """A model server that can be used at once. `source` says for people by what it was found."""

    kind: str
    title: str
    source: str
    base_url: str | None = None
    key: SecretStr | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Machine:
    """What was found, the first of each being the one to name. `remarks` say what cannot be used yet, and why."""

    found: tuple[Found, ...] = ()
    agents: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def hint(self, command: str = "conch engines") -> str:
        """The quickest way to a real engine, as words that can follow "For a real assistant,"."""
        if self.found:
            [first, *_] = self.found
            return f"run `{command} default {first.kind}`: {first.title} is here, by {first.source}"
        return f"run `{command} add` and paste a key (Anthropic, OpenAI, Google, OpenRouter …), or start Ollama here"

    @property
    def about_agents(self) -> str | None:
        """A word about agents that cannot take part yet."""
        if not self.agents:
            return None
        return f"{' and '.join(self.agents)} found on this machine: coding agents come with a later release."


NOTHING_FOUND: Final = Machine()


async def look(
    environment: Mapping[str, str] = os.environ, which: Callable[[str], str | None] = shutil.which
) -> Machine:
    """Look around; takes at most `PROBE_SECONDS`."""
    found, remarks = list[Found](), list[str]()
    for kind in KINDS.values():
        try:
            found += _by_key(kind, environment)
        except UsageError as fault:
            remarks.append(str(fault))
    served = await _served_by_ollama(environment)
    if served is not None:
        address, models = served
        if models:
            found.append(Found(OLLAMA, KINDS[OLLAMA].title, f"the Ollama at {address}", f"{address}/v1"))
        else:
            remarks.append(f"The Ollama at {address} has no model yet: get one with `ollama pull`.")
    agents = tuple(title for program, title in AGENTS.items() if which(program))
    return Machine(tuple(found), agents, tuple(remarks))


def _by_key(kind: Kind, environment: Mapping[str, str]) -> Iterator[Found]:
    """The server whose key is in the environment, at the address that is set there too.

    Raises:
        UsageError: there is a key, and yet it cannot be used.
    """
    name, key = _first(kind.key_names, environment)
    if not key or not kind.needs_key:
        return
    module, install = LIBRARIES.get(kind.id, (None, ""))
    if module is not None and not _is_installed(module):
        raise UsageError(f"{name} is set; to use it for {kind.title}, install what that takes: {install}.")
    where, address = _first(kind.address_names, environment)
    try:
        base_url = checked(address, has_key=True) if address else None
    except UsageError as fault:
        raise UsageError(f"{name} is not used, because {where} is off: {fault}") from fault
    source = f"the {name} that is set here" + (f", at {base_url} ({where})" if base_url else "")
    yield Found(kind.id, kind.title, source, base_url, SecretStr(key))


def _first(names: tuple[str, ...], environment: Mapping[str, str]) -> tuple[str, str]:
    """The first of these variables that says something, with what it says."""
    said = ((name, environment.get(name, "").strip()) for name in names)
    return next(((name, value) for name, value in said if value), ("", ""))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is not there
        return False


# ---- Ollama ----------------------------------------------------------------------------------------------------------


async def _served_by_ollama(environment: Mapping[str, str]) -> tuple[str, int] | None:
    """Where an Ollama runs and how many models it has; None where none answers. Others' networks are not asked."""
    address = ollama_address(environment.get(OLLAMA_HOST, ""))
    if address is None or not is_near(address):
        return None
    timeout = aiohttp.ClientTimeout(total=PROBE_SECONDS)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(f"{address}/api/tags") as answer:
            listed = json.loads(await answer.text())
        return address, len(listed["models"])
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError, KeyError, TypeError):
        return None


def ollama_address(setting: str) -> str | None:
    """Where Ollama is: its own variable may name a host, a port, or both, with or without http://. None: it is odd.

    Source: https://docs.ollama.com/faq ("How do I configure Ollama server?").
    """
    default = str(KINDS[OLLAMA].address).removesuffix("/v1")
    setting = setting.strip().rstrip("/")
    if not setting:
        return default
    scheme, _, rest = setting.rpartition("://")
    host, colon, port = rest.rpartition(":") if not rest.endswith("]") else (rest, "", "")
    if not colon:
        host, port = rest, default.rpartition(":")[2]
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104 - where it listens
    try:
        return checked(f"{scheme or 'http'}://{host}:{port}", has_key=False)
    except UsageError:
        return None
