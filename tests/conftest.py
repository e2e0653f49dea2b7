"""What every test runs under; each plugin says what it adds. A fixture for one area belongs to that area's folder."""

import gc
import os

from hypothesis import settings

pytest_plugins = ["tests.plugins.groups", "tests.plugins.guards", "tests.plugins.reports", "pytester"]

# In CI a property is tried with the same examples each time: a submission is judged by itself, not by chance. New
# examples are looked for on every other machine.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking through it for rubbish again and again takes an eighth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(25_000, 20, 100)
