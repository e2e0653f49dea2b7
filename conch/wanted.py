"""What engine the owner wants connected: kind, key, address and model, out of what they gave. Pure."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from core.engines.base import ModelInfo
from core.engines.models import providers
from core.engines.models.contract import Connection
from core.engines.models.kinds import KINDS, Kind
from core.errors import NotFound, UsageError
from core.store.engines import EngineRecord
from web.engines import NewEngine

NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")

MOST_NAMED: Final = 8
"""Models that are named where the wanted one is not there."""

_SEVERAL = "compatible"
"""The kind of which there may well be several, so that the machine's name says which one it is."""


def wanted(new: NewEngine) -> Connection:
    """The connection that was asked for, complete and fit to be used; its address None for the kind's own.

    Raises:
        UsageError: something is missing or does not fit; the message says what to do.
    """
    kind, key = _kind_and_key(new)
    url = _whole(kind, new.url) if new.url else None
    name = _name(new, kind)
    connection = Connection(name, _title(kind, name, url), kind.id, url, key, new.model)
    providers.checked(connection)
    return connection


def as_connected(new: NewEngine, records: Sequence[EngineRecord]) -> NewEngine:
    """What was asked for, with kind, address and model of the connected engine that it names: it gets a new key."""
    if new.kind in KINDS:
        return new
    known = next((record for record in records if record.id == (new.kind or new.name)), None)
    if known is None or (new.kind and new.name not in (None, new.kind)):
        return new
    kept = {"url": new.url or known.base_url, "model": new.model or known.model}
    return new.model_copy(update={"kind": known.kind, "name": known.id, **kept})


def _kind_and_key(new: NewEngine) -> tuple[Kind, SecretStr | None]:
    pasted = new.pasted.get_secret_value().strip() if new.pasted else ""
    found = providers.recognise(pasted) if pasted else None
    if new.kind is None:
        if found is None:
            raise UsageError(_whose(pasted))
        return KINDS[found[0]], SecretStr(found[1])
    kind = KINDS.get(new.kind)
    if kind is None:
        raise UsageError(f"There is no kind of engine “{new.kind}”. There is: {', '.join(KINDS)}.")
    if not pasted:
        return kind, None
    return kind, SecretStr(_key_for(kind, pasted, found, at_own_address=new.url is None))


def _key_for(kind: Kind, pasted: str, found: tuple[str, str] | None, *, at_own_address: bool) -> str:
    if found is not None and found[0] == kind.id:
        return found[1]
    if found is not None and kind.key_shape and at_own_address:
        raise UsageError(
            f"That is a key for {KINDS[found[0]].title}, not for {kind.title}, so nothing was sent anywhere."
        )
    if len(pasted.split()) != 1:
        raise UsageError("There is no key in what you pasted, so nothing was sent anywhere. Paste the key alone.")
    return pasted


def _whose(pasted: str) -> str:
    if not pasted:
        return f"Say what to connect, as in `conch engines add ollama`. There is: {', '.join(KINDS)}."
    return (
        "It cannot be told whose key that is, so nothing was sent anywhere. Say it, as in `conch engines add mistral`. "
        f"There is: {', '.join(KINDS)}."
    )


def _name(new: NewEngine, kind: Kind) -> str:
    name = new.name or kind.id
    if not NAME.fullmatch(name):
        raise UsageError(f"“{name}” cannot be an engine's name: small letters, digits and hyphens do, at most 32.")
    return name


def _title(kind: Kind, name: str, url: str | None) -> str:
    """Its name for people, which tells several of one kind apart."""
    if kind.id == _SEVERAL:
        return f"The server at {urlsplit(url or '').netloc}" if name == kind.id else name
    return kind.title if name == kind.id else f"{kind.title} ({name})"


def _whole(kind: Kind, url: str) -> str:
    """The address with what is often left out: http:// of a machine nearby, and the path that such servers have."""
    url = url.strip().rstrip("/")
    if "://" not in url:
        url = f"http://{url}"
    has_own_path = bool(kind.address) and urlsplit(str(kind.address)).path == "/v1" and not kind.needs_key
    return f"{url}/v1" if has_own_path and not urlsplit(url).path else url


def expect_model(model: str, models: Sequence[ModelInfo], title: str) -> None:
    """Look for a model among those that a server has.

    Raises:
        NotFound: it is not there; the message names those that may be meant.
    """
    ids = [each.id for each in models]
    if model in ids:
        return
    near = [name for name in ids if model.casefold() in name.casefold()] or get_close_matches(model, ids, MOST_NAMED)
    shown = list(dict.fromkeys((*near, *ids)))[:MOST_NAMED]
    more = f" and {len(ids) - len(shown)} more" if len(ids) > len(shown) else ""
    raise NotFound(f"{title} has no model “{model}”. It has: {', '.join(shown)}{more}.")
