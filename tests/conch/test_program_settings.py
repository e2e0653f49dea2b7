import pytest

from conch import settings
from conch.home import Home
from conch.settings import SettingsFault
from core.safety.secrets import MIN_KEY
from core.settings import Settings


def test_without_anything_set_the_defaults_hold(place: Home) -> None:
    loaded = settings.load(place)

    assert (loaded.settings.host, loaded.settings.port) == ("127.0.0.1", 7654)
    assert loaded.settings.core == Settings()


def test_the_environment_wins_over_the_file(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    place.config.write_text('port = 8000\nassistant_name = "Ada"\n')
    monkeypatch.setenv("CONCH_PORT", "9000")

    loaded = settings.load(place)

    assert (loaded.settings.port, loaded.settings.core.assistant_name) == (9000, "Ada")


def test_an_empty_variable_sets_nothing(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_PORT", "")

    assert settings.load(place).settings.port == 7654


@pytest.mark.parametrize("written", ['"one.example, two.example"', '["one.example", "two.example"]'])
def test_several_hosts_are_a_list_or_words_between_commas(place: Home, written: str) -> None:
    place.config.write_text(f"allowed_hosts = {written}\n")

    assert settings.load(place).settings.allowed_hosts == ("one.example", "two.example")


def test_several_hosts_in_the_environment_stand_between_commas(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_ALLOWED_HOSTS", "one.example,two.example")

    assert settings.load(place).settings.allowed_hosts == ("one.example", "two.example")


def test_commands_for_people_stand_between_commas(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_COMMANDS_FOR_PEOPLE", "daily, briefing")

    assert settings.load(place).settings.core.commands_for_people == ("daily", "briefing")


def test_a_bad_value_in_the_file_is_named_with_file_key_and_what_to_do(place: Home) -> None:
    place.config.write_text("port = 70000\n")

    with pytest.raises(SettingsFault) as fault:
        settings.load(place)

    assert str(place.config) in str(fault.value)
    assert "“port”" in str(fault.value)
    assert "7654" in str(fault.value)


def test_a_bad_value_in_the_environment_is_named_by_its_variable(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_GATHER_MS", "soon")

    with pytest.raises(SettingsFault, match="CONCH_GATHER_MS in the environment") as fault:
        settings.load(place)

    assert not fault.value.in_file


@pytest.mark.parametrize("address", ["", 'public_url = "conch.example"', 'public_url = "ftp://conch.example"'])
def test_a_webhook_needs_an_address_that_telegram_can_reach(place: Home, address: str) -> None:
    place.config.write_text(f"telegram_webhook = true\n{address}\n")

    with pytest.raises(SettingsFault, match=r"telegram_webhook.* it needs public_url"):
        settings.load(place)


def test_a_webhook_with_an_address_is_taken(place: Home) -> None:
    place.config.write_text('telegram_webhook = true\npublic_url = "https://conch.example"\n')

    assert settings.load(place).settings.telegram_webhook


@pytest.mark.parametrize(
    ("key", "app", "scheme"),
    [
        ("telegram_base_url", "Telegram", "http"),
        ("telegram_base_file_url", "Telegram", "http"),
        ("discord_base_url", "Discord", "http"),
        ("discord_gateway_url", "Discord", "wss"),
    ],
)
def test_an_address_that_may_not_have_keys_names_what_would_allow_it(
    place: Home, key: str, app: str, scheme: str
) -> None:
    place.config.write_text(f'{key} = "{scheme}://evil.example"\n')

    with pytest.raises(SettingsFault) as fault:
        settings.load(place)

    assert f"{place.config}, key “{key}”: evil.example is not {app}" in str(fault.value)
    assert "allow_remote_endpoints = true" in str(fault.value)


def test_an_address_in_the_environment_is_named_by_its_variable(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_TELEGRAM_BASE_URL", "http://evil.example")

    with pytest.raises(SettingsFault, match=r"CONCH_TELEGRAM_BASE_URL in the environment.* allow_remote_endpoints"):
        settings.load(place)


@pytest.mark.parametrize(
    "written",
    [
        'telegram_base_url = "http://127.0.0.1:8081/bot"',
        'allow_remote_endpoints = true\ntelegram_base_url = "http://a.b"',
    ],
)
def test_an_address_on_this_machine_or_allowed_is_taken(place: Home, written: str) -> None:
    place.config.write_text(written)

    assert settings.load(place).settings.telegram_base_url.startswith("http://")


def test_what_is_no_address_is_not_helped_by_allowing_others(place: Home) -> None:
    place.config.write_text('telegram_base_url = "ftp://a.b"\n')

    with pytest.raises(SettingsFault, match="is not an address") as fault:
        settings.load(place)

    assert "allow_remote_endpoints" not in str(fault.value)


def test_every_fault_is_told_at_once(place: Home) -> None:
    place.config.write_text('port = 70000\nlog_level = "loud"\n')

    with pytest.raises(SettingsFault) as fault:
        settings.load(place)

    assert len(str(fault.value).splitlines()) == 2


def test_an_unknown_key_names_the_one_that_was_probably_meant(place: Home) -> None:
    place.config.write_text("gather-ms = 500\n")

    with pytest.raises(SettingsFault, match="Was “gather_ms” meant"):
        settings.load(place)


def test_a_slip_of_the_pen_names_the_line(place: Home) -> None:
    place.config.write_text('host = "127.0.0.1"\nport = = 1\n')

    with pytest.raises(SettingsFault, match="line 2"):
        settings.load(place)


def test_a_file_that_is_no_text_is_a_plain_fault(place: Home) -> None:
    place.config.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(SettingsFault, match="cannot be read"):
        settings.load(place)


def test_a_misspelt_variable_is_remarked_upon(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_GATHER_MSS", "500")
    monkeypatch.setenv("CONCH_SERVICE_HOST", "10.0.0.1")

    loaded = settings.load(place)

    assert loaded.remarks == ("The variable CONCH_GATHER_MSS sets nothing. Was CONCH_GATHER_MS meant?",)


@pytest.mark.parametrize("written", ["secret_key = 4711", 'database_url = ["postgresql://conch:4711@db"]'])
def test_what_may_hold_a_secret_is_never_repeated(place: Home, written: str) -> None:
    place.config.write_text(written)

    with pytest.raises(SettingsFault) as fault:
        settings.load(place)

    assert "4711" not in str(fault.value)


def test_a_key_is_as_long_as_the_box_for_secrets_wants_it(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_SECRET_KEY", "k" * (MIN_KEY - 1))
    with pytest.raises(SettingsFault, match="CONCH_SECRET_KEY"):
        settings.load(place)

    monkeypatch.setenv("CONCH_SECRET_KEY", "k" * MIN_KEY)

    assert settings.load(place).settings.secret_key is not None


def test_the_key_is_not_shown_with_the_settings(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONCH_SECRET_KEY", "canary-key" * 4)
    place.config.write_text(f'secret_key = "{"canary-key" * 4}"\n')

    loaded = settings.load(place)

    assert "canary-key" not in repr(loaded)


@pytest.mark.report("R191")
def test_a_fault_in_the_file_falls_back_to_what_a_server_last_started_with(place: Home) -> None:
    place.config.write_text("port = 8000\n")
    settings.keep_as_last_good(place, settings.load(place))
    place.config.write_text("port = true and more\n")

    loaded = settings.load_or_last_good(place)

    assert loaded.settings.port == 8000
    assert loaded.fault is not None
    assert "conch.toml" in loaded.fault


@pytest.mark.report("R191")
def test_without_a_last_good_file_the_fault_is_told(place: Home) -> None:
    place.config.write_text("port = 70000\n")

    with pytest.raises(SettingsFault):
        settings.load_or_last_good(place)


def test_a_fault_in_the_environment_is_not_hidden_by_the_last_good_file(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.keep_as_last_good(place, settings.load(place))
    place.last_good.write_text("port = 8000\n")
    monkeypatch.setenv("CONCH_PORT", "nowhere")

    with pytest.raises(SettingsFault, match="CONCH_PORT"):
        settings.load_or_last_good(place)


@pytest.mark.report("R191")
def test_an_edit_while_a_server_starts_does_not_come_into_the_copy(place: Home) -> None:
    place.config.write_text("port = 8000\n")
    loaded = settings.load(place)
    place.config.write_text("port = nowhere\n")

    settings.keep_as_last_good(place, loaded)

    assert settings.load_or_last_good(place).settings.port == 8000


def test_nobody_else_may_read_the_copy(place: Home) -> None:
    place.config.write_text(f'secret_key = "{"canary" * 6}"\n')
    place.config.chmod(0o644)

    settings.keep_as_last_good(place, settings.load(place))

    assert place.last_good.stat().st_mode & 0o077 == 0


def test_taking_the_file_away_takes_the_copy_away(place: Home) -> None:
    place.config.write_text("port = 8000\n")
    settings.keep_as_last_good(place, settings.load(place))
    place.config.unlink()

    settings.keep_as_last_good(place, settings.load(place))

    assert not place.last_good.exists()
