"""Where the settings come from: the environment over `conch.toml` over the defaults, checked before anything starts.

What a setting of the core or the channels means is in `core.settings`; here are the ones that only a program has.
"""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from conch.home import VARIABLE, Home
from core import misfits
from core.clock import SystemClock
from core.errors import UsageError
from core.settings import Settings

PREFIX = "CONCH_"
NOT_SETTINGS = (VARIABLE, "CONCH_TEST_", "CONCH_PLATFORM_SPECS")
"""Variables that begin like a setting and are none."""

SECRET = ("secret_key", "database_url")
"""Never repeated in a message; a database's address may hold its password."""

MIN_SECRET_KEY = 32
"""Characters; as `core.safety.secrets` has it, which takes long to import."""

TELEGRAM = "https://api.telegram.org"
DISCORD = "https://discord.com/api/v10"
SLACK = "https://slack.com/api/"


class SettingsFault(UsageError):
    """Settings that cannot be used. `in_file`: mending `conch.toml` is enough."""

    def __init__(self, message: str, *, in_file: bool) -> None:
        super().__init__(message)
        self.in_file = in_file


def _may_have_keys(build: Callable[[bool], object], info: ValidationInfo) -> None:
    """Whether an address passes, as the chat app itself has it: nothing passes here that a start refuses.

    `build` makes the app's kind, with any machine allowed or not.
    """
    for anywhere in (True, bool(info.data.get("allow_remote_endpoints"))):
        try:
            build(anywhere)
        except UsageError as fault:
            how = "" if anywhere else ", by allow_remote_endpoints = true"
            raise ValueError(str(fault).removesuffix(".") + how) from fault


def _split_at_commas(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


class ProgramSettings(Settings, BaseSettings):
    """All settings. Each can be set as `CONCH_<NAME>` in the environment and as `<name>` in `conch.toml`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid")

    commands_for_people: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_at_commas)] = Field(
        (), description=Settings.model_fields["commands_for_people"].description
    )
    muted_suggestions: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_at_commas)] = Field(
        (), description=Settings.model_fields["muted_suggestions"].description
    )
    skills_automatic: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_at_commas)] = Field(
        (), description=Settings.model_fields["skills_automatic"].description
    )
    skills_when_asked: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_at_commas)] = Field(
        (), description=Settings.model_fields["skills_when_asked"].description
    )
    skills_for_people: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_at_commas)] = Field(
        (), description=Settings.model_fields["skills_for_people"].description
    )
    host: str = Field("127.0.0.1", description="The address to listen on; the default reaches this machine only")
    port: int = Field(7654, ge=0, le=65_535, description="The port to listen on; 0 takes a free one")
    allowed_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_at_commas)] = Field(
        (), description="Further names under which browsers may reach the web side, besides this machine's own"
    )
    root_path: str = Field(
        "", description="The path below which a proxy has Conch, such as /conch; else the path of public_url"
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_at_commas)] = Field(
        (), description="Addresses or networks of proxies in front, whose X-Forwarded headers are believed"
    )
    database_url: str | None = Field(None, description="Another database than the file in the data folder")
    secret_key: SecretStr | None = Field(
        None, min_length=MIN_SECRET_KEY, description="The key for stored secrets, instead of a file"
    )
    allow_remote_endpoints: bool = Field(
        False, description="Let a chat app's address be a machine that is neither the app's own nor this one"
    )
    telegram_base_url: str = Field(f"{TELEGRAM}/bot", description="Where Telegram's Bot API is; the token follows")
    telegram_base_file_url: str = Field(f"{TELEGRAM}/file/bot", description="Where Telegram's files are")
    telegram_webhook: bool = Field(
        False, description="Have Telegram bring messages to public_url, instead of asking for them"
    )
    discord_base_url: str = Field(DISCORD, description="Where Discord's API is")
    discord_gateway_url: str | None = Field(
        None, description="Where to listen to Discord, instead of where it says itself"
    )
    slack_base_url: str = Field(SLACK, description="Where Slack's Web API is; a method's name follows")
    teams_login_url: str | None = Field(None, description="Where Teams bots sign in, instead of at Microsoft")
    teams_openid_url: str | None = Field(None, description="Where Teams' keys are, instead of at Microsoft")
    teams_service_url: str | None = Field(None, description="Where Teams bots write, until Teams says where")
    teams_issuer: str | None = Field(None, description="Who signs what Teams brings, by the name in its tokens")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="The least that is logged")
    log_format: Literal["human", "json"] = Field("human", description="Lines for people, or JSON for machines")

    @field_validator("telegram_base_url", "telegram_base_file_url")
    @classmethod
    def _may_have_telegrams_keys(cls, address: str, info: ValidationInfo) -> str:
        # Only who sets an address pays for the import: `conch --help` needs nothing of an app.
        from channels.telegram.kind import TelegramKind  # noqa: PLC0415 - see above

        _may_have_keys(lambda anywhere: TelegramKind(SystemClock(), base_url=address, allow_remote=anywhere), info)
        return address

    @field_validator("discord_base_url")
    @classmethod
    def _may_have_discords_keys(cls, address: str, info: ValidationInfo) -> str:
        from channels.discord.kind import DiscordKind  # noqa: PLC0415 - as above

        _may_have_keys(lambda anywhere: DiscordKind(SystemClock(), base_url=address, allow_remote=anywhere), info)
        return address

    @field_validator("discord_gateway_url")
    @classmethod
    def _may_be_listened_to(cls, address: str | None, info: ValidationInfo) -> str | None:
        from channels.discord.kind import DiscordKind  # noqa: PLC0415 - as above

        _may_have_keys(lambda anywhere: DiscordKind(SystemClock(), gateway_url=address, allow_remote=anywhere), info)
        return address

    @field_validator("slack_base_url")
    @classmethod
    def _may_have_slacks_keys(cls, address: str, info: ValidationInfo) -> str:
        from channels.slack.kind import SlackKind  # noqa: PLC0415 - as above

        _may_have_keys(lambda anywhere: SlackKind(SystemClock(), base_url=address, allow_remote=anywhere), info)
        return address

    @field_validator("teams_login_url", "teams_openid_url", "teams_service_url")
    @classmethod
    def _may_have_the_keys_of_teams(cls, address: str | None, info: ValidationInfo) -> str | None:
        from channels.teams.addresses import Addresses  # noqa: PLC0415 - as above

        names = {"teams_login_url": "login", "teams_openid_url": "openid", "teams_service_url": "service"}
        if address is not None:
            given = {names[info.field_name or ""]: address}
            _may_have_keys(lambda anywhere: Addresses(**given, allow_remote=anywhere), info)
        return address

    @field_validator("root_path")
    @classmethod
    def _is_a_path(cls, given: str) -> str:
        from web.proxies import normal_root  # noqa: PLC0415 - as above

        return normal_root(given)

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        from web.proxies import networks  # noqa: PLC0415 - as above

        networks(given)
        return given

    @property
    def root(self) -> str:
        """The path below which browsers find Conch; empty for none."""
        return self.root_path or urlsplit(self.public_url or "").path.rstrip("/")

    @field_validator("telegram_webhook")
    @classmethod
    def _has_an_address(cls, webhook: bool, info: ValidationInfo) -> bool:
        address = urlsplit(info.data.get("public_url") or "")
        if webhook and not (address.scheme in ("http", "https") and address.hostname):
            raise ValueError("it needs public_url, the https address at which Telegram reaches Conch")
        return webhook

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment first; the file's values are passed in, so that its faults can be told apart."""
        return env_settings, init_settings

    @property
    def core(self) -> Settings:
        """The part that the core and the channels get."""
        return Settings.model_validate({name: getattr(self, name) for name in Settings.model_fields})


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings that passed. `remarks` are plain sentences for whoever starts the program."""

    settings: ProgramSettings
    remarks: tuple[str, ...] = ()
    fault: str | None = None
    """What is wrong with `conch.toml`, when these are the last good settings instead."""
    text: str | None = field(default=None, repr=False)
    """What stood in the file, where there was one; it may hold a key."""


def load(home: Home) -> Loaded:
    """Read and check everything.

    Raises:
        SettingsFault: something is wrong; the message names the file or variable, the key, and what to do.
    """
    return _load(home.config)


def load_or_last_good(home: Home) -> Loaded:
    """As `load`, but a fault in `conch.toml` falls back to the copy that a server last started with.

    A server that is started again and again by its supervisor stays up over a slip in the file, and says so.

    Raises:
        SettingsFault: there is no such copy, it is no better, or the fault is in the environment.
    """
    try:
        return _load(home.config)
    except SettingsFault as fault:
        if not fault.in_file or not home.last_good.exists():
            raise
        last = _load(home.last_good)
        return Loaded(last.settings, last.remarks, fault=str(fault))


def keep_as_last_good(home: Home, loaded: Loaded) -> None:
    """Remember what was loaded as settings that a server could start with; `conch.toml` may have been edited since.

    It may hold a key: nobody else may read the copy.
    """
    if loaded.text is None:
        home.last_good.unlink(missing_ok=True)
        return
    fresh = home.last_good.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    fresh.write_text(loaded.text, encoding="utf-8")
    fresh.replace(home.last_good)


def _load(file: Path) -> Loaded:
    text = _read(file)
    values = _parsed(text or "", file)
    for key in values:
        if key not in ProgramSettings.model_fields:
            raise SettingsFault(f"{file}: there is no setting “{key}”.{_meant(key)}", in_file=True)
    try:
        settings = ProgramSettings(**values)
    except ValidationError as fault:
        raise _explained(fault, file) from None  # the library's own error repeats what was set, secrets too
    return Loaded(settings, tuple(_misspelt_variables(os.environ)), text=text)


def _read(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsFault(
            f"{file} cannot be read: {fault}. Make it a text file that you may read.", in_file=True
        ) from fault


def _parsed(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise SettingsFault(
            f"{file} is not valid TOML: {fault}. Mend that line and start again.", in_file=True
        ) from fault


def _explained(fault: ValidationError, file: Path) -> SettingsFault:
    """One sentence a fault, the environment's named by its variable."""
    details = fault.errors(include_url=False)
    variables = [_variable(str(detail["loc"][0])) for detail in details]
    told = [_sentence(detail, variable, file) for detail, variable in zip(details, variables, strict=True)]
    return SettingsFault("\n".join(told), in_file=not any(variables))


def _variable(key: str) -> str | None:
    """The variable that sets this key now."""
    wanted = PREFIX + key.upper()
    return next((name for name, value in os.environ.items() if name.upper() == wanted and value), None)


def _sentence(detail: ErrorDetails, variable: str | None, file: Path) -> str:
    key = str(detail["loc"][0])
    field = ProgramSettings.model_fields[key]
    shown = "" if key in SECRET else f" ({detail['input']!r} was given)"
    place = f"{variable} in the environment" if variable else f"{file}, key “{key}”"
    about = f" It sets: {field.description[0].lower()}{field.description[1:]}." if field.description else ""
    default = "" if field.default is None else f", or take it out for the default ({field.default!r})"
    return f"{place}: {misfits.told(detail)}{shown}.{about} Mend it{default}."


def _meant(key: str) -> str:
    near = get_close_matches(key.lower().replace("-", "_"), ProgramSettings.model_fields, n=1)
    return f" Was “{near[0]}” meant?" if near else " Take it out, or look the name up in the documentation."


def _misspelt_variables(environment: Mapping[str, str]) -> Iterator[str]:
    """Variables that look like settings with a slip. No fault: other programs may set names that begin like ours."""
    for name in sorted(environment):
        key = name.upper().removeprefix(PREFIX).lower()
        if not name.upper().startswith(PREFIX) or name.startswith(NOT_SETTINGS) or key in ProgramSettings.model_fields:
            continue
        if near := get_close_matches(key, ProgramSettings.model_fields, n=1, cutoff=0.8):
            yield f"The variable {name} sets nothing. Was {PREFIX}{near[0].upper()} meant?"
