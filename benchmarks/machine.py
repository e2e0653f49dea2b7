"""The machine under a bench: what its disk takes for one flush, and what a process used so far (Linux's /proc)."""

import os
import platform
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")

MIB = 1 << 20


def flush_ms(folder: Path, count: int = 200) -> float:
    """Milliseconds that the disk under a folder takes to make one page durable: the median."""
    times = []
    with (folder / "flush").open("wb", buffering=0) as file:
        for _ in range(count):
            file.write(b"x" * 4096)
            begun = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1e3


def described() -> str:
    """What the figures were taken on, in one line."""
    return f"{os.cpu_count()} cores, {_processor()}, {platform.system()}, Python {platform.python_version()}"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def load() -> float:
    """How many processes wanted the processor in the last minute: over the number of cores, figures are blurred."""
    return os.getloadavg()[0]


@dataclass(frozen=True, slots=True)
class Used:
    """What a process used so far; `cpu` in seconds of both user and system time, `memory` resident, in bytes."""

    cpu: float
    memory: int


def used_by(pid: int) -> Used:
    """What a process used so far, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return Used((int(fields[11]) + int(fields[12])) / _TICKS, int(fields[21]) * _PAGE)
