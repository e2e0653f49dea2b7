"""Secrets at rest."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UsageError
from core.safety.secrets import KEY_FILE, SecretBox

KEY = "a long passphrase that nobody would guess"
OTHER_KEY = "another passphrase that nobody would guess"
BOX = SecretBox(KEY)


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=50), max_size=3))
def test_what_is_sealed_comes_out_as_it_was(credentials: dict[str, str]) -> None:
    sealed = BOX.seal(credentials)

    assert BOX.open(sealed) == credentials


def test_a_sealed_secret_shows_nothing_of_itself() -> None:
    sealed = SecretBox(KEY).seal({"token": "123456:canary"})

    assert "canary" not in sealed


def test_the_same_secret_looks_different_each_time() -> None:
    box = SecretBox(KEY)

    first, second = box.encrypt("secret"), box.encrypt("secret")

    assert first != second


def test_another_key_opens_nothing_and_says_what_to_do() -> None:
    sealed = SecretBox(KEY).encrypt("secret")

    with pytest.raises(UsageError, match="CONCH_SECRET_KEY"):
        SecretBox(OTHER_KEY).decrypt(sealed)


def test_a_changed_secret_is_noticed() -> None:
    sealed = SecretBox(KEY).encrypt("secret")

    with pytest.raises(UsageError):
        SecretBox(KEY).decrypt(sealed[:-4] + "AAA=")


def test_a_short_key_is_refused_without_repeating_it() -> None:
    with pytest.raises(UsageError) as refused:
        SecretBox("hunter2")

    assert "hunter2" not in str(refused.value)


def test_a_key_file_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    sealed = SecretBox.kept_in(tmp_path).encrypt("secret")

    opened = SecretBox.kept_in(tmp_path).decrypt(sealed)

    assert opened == "secret"
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]


def test_a_key_file_that_others_may_read_is_closed(tmp_path: Path) -> None:
    SecretBox.kept_in(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)

    SecretBox.kept_in(tmp_path)

    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600


def test_a_given_key_makes_no_file(tmp_path: Path) -> None:
    box = SecretBox.kept_in(tmp_path, KEY)

    assert SecretBox(KEY).decrypt(box.encrypt("secret")) == "secret"
    assert list(tmp_path.iterdir()) == []


def test_a_key_file_cut_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_text("")

    with pytest.raises(UsageError):
        SecretBox.kept_in(tmp_path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        SecretBox.kept_in(tmp_path / "nowhere")
