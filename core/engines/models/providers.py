"""Connecting to a model server, and what there is to connect to. A vendor's library is loaded at its first use."""

from collections.abc import Mapping
from dataclasses import replace
from importlib import util
from typing import Final
from urllib.parse import urlsplit

from core.engines.models import addresses, kinds
from core.engines.models.contract import Connection, Provider
from core.engines.models.kinds import Kind
from core.engines.models.patience import PATIENCE, Patience
from core.errors import UsageError

PROVIDERS: Final[Mapping[str, Kind]] = kinds.KINDS
"""The known kinds by their id, in the order in which they are offered."""

_NO_GOOGLE: Final = (
    "Google Gemini needs a library that is not installed. Install it with `pip install 'conch[google]'` "
    "(or `uv tool install 'conch[google]'`), then start Conch again."
)


def recognise(pasted: str) -> tuple[str, str] | None:
    """The kind and the key in what somebody pasted, by the key's shape or the name before it; None when unsure."""
    return kinds.recognised(pasted)


def checked(connection: Connection) -> Connection:
    """The connection with its whole address, fit to be used. Loads no library.

    An address without a path gets the `/v1` that nearly everybody who speaks like OpenAI has.

    Raises:
        UsageError: the kind is not known, the address or the key is missing, the address is none, the key cannot be
            one, or it would go over plain http to a host out in the world.
    """
    kind = PROVIDERS.get(connection.kind)
    if kind is None:
        raise UsageError(f"There is no kind of engine {connection.kind!r}. There are: {', '.join(PROVIDERS)}.")
    if kind.needs_key and connection.key is None:
        where = f"; you get one at {kind.key_page}" if kind.key_page else ""
        raise UsageError(f"{kind.title} needs a key{where}.")
    if connection.key is not None and not _can_be_sent(connection.key.get_secret_value()):
        raise UsageError("There is something in this key that no key has, such as a space or an accent. Copy it again.")
    address = kinds.address_of(kind.id, connection.base_url)
    if address is None:
        raise UsageError("Say where the server is, for example --url http://127.0.0.1:8080/v1.")
    address = addresses.checked(address, has_key=connection.key is not None)
    if kind.speaks == "openai" and address != kind.address and not urlsplit(address).path:
        address += "/v1"
    return replace(connection, base_url=address)


def connect(connection: Connection, patience: Patience = PATIENCE) -> Provider:
    """The provider of a connection; talks to nobody yet. Takes a second or two the first time for each library.

    Raises:
        UsageError: as `checked`, or the library of this kind is not installed.
    """
    connection = checked(connection)
    # A vendor's library takes a second and 50 to 80 MiB, so only the one in use is loaded.
    from core.engines.models.asking import client_for  # noqa: PLC0415

    http = client_for(connection.base_url or "", patience)
    match PROVIDERS[connection.kind].speaks:
        case "anthropic":
            from core.engines.models.anthropic_api import AnthropicApi  # noqa: PLC0415

            return AnthropicApi(connection, patience, http)
        case "google":
            if not _is_installed("google.genai"):
                raise UsageError(_NO_GOOGLE)
            from core.engines.models.google_api import GoogleApi  # noqa: PLC0415

            return GoogleApi(connection, patience, http)
        case "openai":
            from core.engines.models.compatible import provider_of  # noqa: PLC0415

            return provider_of(connection, patience, http)


def _can_be_sent(key: str) -> bool:
    """Whether it may stand in a header; what an HTTP client would raise otherwise holds the key."""
    return key.isascii() and key.isprintable() and " " not in key and bool(key)


def _is_installed(module: str) -> bool:
    try:
        return util.find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package around it
        return False
