"""The page for authors of adapters: its code runs as it stands there, and its table is the contract's."""

import re
import subprocess
import sys
from pathlib import Path

from channels.conformance.abilities import ABILITIES, without

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "channels.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_code_runs_and_prints_what_the_page_shows() -> None:
    program = "\n".join(blocks("python"))

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.stderr == ""
    shown = [line for block in blocks("text") for line in block.splitlines()]
    assert len(shown) == 3
    assert set(shown) <= set(done.stdout.splitlines())
    assert "BROKEN" not in done.stdout


def test_the_kit_needs_no_test_framework() -> None:
    program = "import sys; from channels.conformance import promises; assert 'pytest' not in sys.modules"

    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.stderr == ""


def test_the_table_says_of_each_ability_what_the_contract_does() -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE, re.MULTILINE))

    assert table == {ability.__name__: without(ability) for ability in ABILITIES}


def test_the_page_can_be_found() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")

    assert "(channels.md)" in index
