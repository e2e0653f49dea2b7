"""What this machine has that could answer in place of the demo: keys, a local model server, installed agents.

Only looking: nothing is started, and no model is called. What is done with it is up to the engines.
"""

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
AGENTS = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}
"""Programs on the path, and what they are called."""

OLLAMA_PORT = 11434
PROBE_SECONDS = 0.3

NEXT = "wait for the next release"
"""What every hint begins with, as long as the demo is the only engine there is."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What was found, the first of each being the one to name."""

    keys: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    ollama: bool = False

    @property
    def hint(self) -> str:
        """The quickest way to a real engine, as words that can follow "For a real assistant,"."""
        if self.keys:
            return f"{NEXT}: it will use the {self.keys[0]} that is set here"
        if self.agents:
            return f"{NEXT}: it will work with {self.agents[0]}, which is installed on this machine"
        if self.ollama:
            return f"{NEXT}: it will use the Ollama that runs on this machine"
        return f"{NEXT}: it connects models (by a key such as {KEYS[0]}, or Ollama) and agents such as Claude Code"


async def look(
    environment: Mapping[str, str] = os.environ, which: Callable[[str], str | None] = shutil.which
) -> Machine:
    """Look around; takes at most `PROBE_SECONDS`."""
    return Machine(
        keys=tuple(name for name in KEYS if environment.get(name)),
        agents=tuple(title for program, title in AGENTS.items() if which(program)),
        ollama=await _listens(*_ollama_address(environment.get("OLLAMA_HOST", ""))),
    )


def _ollama_address(setting: str) -> tuple[str, int]:
    """Where Ollama would be: its own variable may name a host, a port, or both."""
    try:
        parts = urlsplit(setting if "//" in setting else f"//{setting}")
        host, port = parts.hostname or "127.0.0.1", parts.port or OLLAMA_PORT
    except ValueError:
        return "127.0.0.1", OLLAMA_PORT
    return ("127.0.0.1" if host == "0.0.0.0" else host), port  # noqa: S104 - where it listens, not where we do


async def _listens(host: str, port: int) -> bool:
    """Whether something takes connections there; only this machine is asked."""
    if host not in ("127.0.0.1", "localhost", "::1"):
        return False
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), PROBE_SECONDS)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
