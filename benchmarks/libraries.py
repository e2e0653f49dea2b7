"""What it costs to load the library of a model engine, each in a process of its own on top of the program's own."""

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from benchmarks.machine import MIB
from benchmarks.processes import usual_environment

KINDS: Final[Mapping[str, str]] = {"openai": "OpenAI and alike", "anthropic": "Anthropic", "google": "Google"}

_PROGRAM = "import conch.server"
_LOAD = """
import json, os, sys, time
{program}
from benchmarks.machine import used_by
before, begun = used_by(os.getpid()), time.process_time()
from pydantic import SecretStr
from core.engines.models import engine, providers
from core.engines.models.contract import Connection
provider = providers.connect(Connection("bench", "Bench", sys.argv[1], None, SecretStr("k" * 40)))
provider.model("gpt-4o")
took, after = time.process_time() - begun, used_by(os.getpid())
print(json.dumps([took, after.memory - before.memory]))
"""


def cost_of_libraries(rounds: int) -> None:
    """Print what each takes: at the start where its engine is the default, else when it is first asked."""
    print("Loading an engine's library, on top of the program (it goes on in a thread while Conch starts)")
    for kind, title in KINDS.items():
        _load(kind)  # compiled from now on
        measured = [_load(kind) for _ in range(rounds)]
        took, memory = (statistics.median(figure) for figure in zip(*measured, strict=True))
        print(f"  {title:16} {took:.2f} s CPU, {memory / MIB:.0f} MiB")


def _load(kind: str) -> tuple[float, float]:
    code = _LOAD.format(program=_PROGRAM)
    command = [sys.executable, "-c", code, kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=usual_environment())
    took, memory = json.loads(done.stdout)
    return took, memory
