"""Ctrl-C while modules still load, where no loop and no command could answer it yet."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOADED_AND_INTERRUPTED = """
import os, runpy, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts tests in the background has it ignored

class Interrupts:
    def find_spec(self, name, *_):
        if name == os.environ["INTERRUPTED_AT"]:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
runpy.run_module("conch", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["typer", "conch.settings", "conch.server"])
def test_an_interrupt_while_modules_load_ends_quietly(tmp_path: Path, module: str) -> None:
    command = [sys.executable, "-c", LOADED_AND_INTERRUPTED, "serve", "--port", "0"]
    environment = {**os.environ, "CONCH_HOME": str(tmp_path), "INTERRUPTED_AT": module}

    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
