import stat
from pathlib import Path

import pytest

from conch import home
from conch.home import Home
from core.errors import UsageError


def test_the_variable_names_the_folder(tmp_path: Path) -> None:
    assert home.find({"CONCH_HOME": str(tmp_path)}) == Home(tmp_path)


def test_without_the_variable_it_is_the_usual_place_for_data() -> None:
    assert home.find({}).path.name == "conch"


def test_the_folder_is_closed_to_everyone_else(tmp_path: Path) -> None:
    place = Home(tmp_path / "new" / "conch")

    place.prepare()

    assert stat.S_IMODE(place.path.stat().st_mode) == 0o700


def test_the_playground_has_a_folder_of_its_own(tmp_path: Path) -> None:
    place = Home(tmp_path)

    assert place.playground.path == tmp_path / "playground"
    assert place.playground.database != place.database


def test_a_folder_that_cannot_be_made_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(UsageError, match=r"file/conch cannot be used.*CONCH_HOME"):
        Home(tmp_path / "file" / "conch").prepare()
