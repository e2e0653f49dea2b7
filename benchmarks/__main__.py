"""`python -m benchmarks`: all benches one after the other, or those that are named; each in a process of its own."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def names() -> list[str]:
    """The modules here that can be run."""
    return sorted(
        path.stem for path in HERE.glob("*.py") if path.stem != "__main__" and "def main(" in path.read_text()
    )


def main() -> None:
    wanted, known = sys.argv[1:] or names(), names()
    if unknown := [name for name in wanted if name not in known]:
        sys.exit(f"There is no bench {', '.join(unknown)}. There is: {', '.join(known)}.")
    failed = [name for name in wanted if not _run(name)]
    if failed:
        sys.exit(f"These failed: {', '.join(failed)}.")


def _run(name: str) -> bool:
    print(f"\n== {name}", flush=True)
    return subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=HERE.parent, check=False).returncode == 0


if __name__ == "__main__":
    main()
