"""Lives of the core over one data folder."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.core.lives import Life, Start, migrate


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy, so that migrations do not run for each test."""
    path = tmp_path_factory.mktemp("empty") / "conch.db"
    migrate(path)
    return path


@pytest.fixture
def folder(tmp_path: Path, empty_database: Path) -> Path:
    """A data folder with an empty database."""
    shutil.copyfile(empty_database, tmp_path / "conch.db")
    return tmp_path


@pytest.fixture
async def start(folder: Path) -> AsyncIterator[Start]:
    """Begins a life of the core; another one over the same folder when it was begun before. All end with the test."""
    begin = Start(folder)
    yield begin
    await begin.end_all()


@pytest.fixture
async def life(start: Start) -> Life:
    """A life with an engine that echoes."""
    return await start()
