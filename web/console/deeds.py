"""How what was done is said: a sentence for each kind of deed, and the kinds that one can look at alone. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Final

from core.store.audit import AuditLine, Deed

_SENTENCES: Final[Mapping[str, str]] = {
    Deed.SIGNED_IN: "Signed in {about}",
    Deed.SIGN_IN_FAILED: "Somebody could not sign in {about}",
    Deed.SIGNED_OUT: "Signed out",
    Deed.DEVICE_ENDED: "{by} signed out {about}",
    Deed.PASSWORD_SET: "{by} set the password",
    Deed.PASSWORD_REMOVED: "{by} removed the password",
    Deed.PASSKEY_ADDED: "{by} added the passkey “{about}”",
    Deed.PASSKEY_REMOVED: "{by} removed the passkey “{about}”",
    Deed.TOKEN_MADE: "{by} made an API token: {about}",
    Deed.TOKEN_REVOKED: "{by} revoked an API token: {about}",
    Deed.BOT_CONNECTED: "{by} connected {about}",
    Deed.BOT_KEY_CHANGED: "{by} gave {about} a new key",
    Deed.BOT_ON: "{by} turned {about} on",
    Deed.BOT_OFF: "{by} turned {about} off",
    Deed.BOT_REMOVED: "{by} removed {about}",
    Deed.LINK_MADE: "{by} made a hello link for {about}",
    Deed.LET_IN: "{by} let in {about}",
    Deed.CAME_IN: "{by} came in by a hello link of {about}",
    Deed.BLOCKED: "{by} blocked {about}",
    Deed.PERSON_REMOVED: "{by} removed {about}",
    Deed.GROUP_ON: "{by} turned on the group {about}",
    Deed.GROUP_OFF: "{by} turned off the group {about}",
    Deed.ENGINE_ADDED: "{by} connected {about}",
    Deed.ENGINE_KEY_CHANGED: "{by} gave {about} a new key or address",
    Deed.ENGINE_REMOVED: "{by} removed {about}",
    Deed.SETTING_CHANGED: "{by} changed {about}",
    Deed.APP_CONNECTED: "{by} connected {about}",
    Deed.APP_DISCONNECTED: "{by} disconnected {about}",
    Deed.ALLOWED: "{by} allowed {about}",
    Deed.DENIED: "{by} did not allow {about}",
    Deed.MODE_CHANGED: "{by} set {about}",
    Deed.OFFER_TAKEN: "{by} accepted {about}",
    Deed.SENT_AGAIN: "{by} had {about} sent again",
    Deed.LEFT_UNSENT: "{by} left {about} unsent",
    Deed.CHAT_DELETED: "{by} deleted the chat {about}",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """Deeds of one kind; `id` is in addresses of pages."""

    id: str
    title: str
    deeds: frozenset[str]


def _kind(kind_id: str, title: str, *deeds: Deed) -> Kind:
    return Kind(kind_id, title, frozenset(deed.value for deed in deeds))


KINDS: Final = (
    _kind(
        "signing",
        "Signing in",
        Deed.SIGNED_IN,
        Deed.SIGN_IN_FAILED,
        Deed.SIGNED_OUT,
        Deed.DEVICE_ENDED,
        Deed.PASSWORD_SET,
        Deed.PASSWORD_REMOVED,
        Deed.PASSKEY_ADDED,
        Deed.PASSKEY_REMOVED,
    ),
    _kind("allowed", "What was allowed", Deed.ALLOWED, Deed.DENIED, Deed.MODE_CHANGED, Deed.OFFER_TAKEN),
    _kind(
        "people",
        "People and groups",
        Deed.LET_IN,
        Deed.CAME_IN,
        Deed.BLOCKED,
        Deed.PERSON_REMOVED,
        Deed.LINK_MADE,
        Deed.GROUP_ON,
        Deed.GROUP_OFF,
    ),
    _kind(
        "bots",
        "Bots",
        Deed.BOT_CONNECTED,
        Deed.BOT_KEY_CHANGED,
        Deed.BOT_ON,
        Deed.BOT_OFF,
        Deed.BOT_REMOVED,
        Deed.SENT_AGAIN,
        Deed.LEFT_UNSENT,
    ),
    _kind("engines", "Engines", Deed.ENGINE_ADDED, Deed.ENGINE_KEY_CHANGED, Deed.ENGINE_REMOVED),
    _kind("apps", "Apps", Deed.APP_CONNECTED, Deed.APP_DISCONNECTED),
    _kind("chats", "Chats", Deed.CHAT_DELETED),
    _kind("settings", "Settings", Deed.SETTING_CHANGED),
    _kind("tokens", "API tokens", Deed.TOKEN_MADE, Deed.TOKEN_REVOKED),
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence; `foreign`: words that others chose."""

    words: str
    foreign: bool = False


def said(line: AuditLine) -> tuple[Piece, ...]:
    """What was done, as a sentence. A deed that this release does not know is told by its code."""
    sentence = _SENTENCES.get(line.what, f"{{by}}: {line.what.replace('{', '').replace('}', '')} {{about}}")
    given = {"by": line.by, "about": line.about}
    pieces: list[Piece] = []
    for words, name, _, _ in Formatter().parse(sentence):
        if words:
            pieces.append(Piece(words))
        if name is not None:
            pieces.append(Piece(_begun(given[name]) if not pieces else given[name], foreign=True))
    return tuple(piece for piece in pieces if piece.words)


def _begun(words: str) -> str:
    """As a sentence begins; names of people are left as they are written."""
    return f"T{words[1:]}" if words.startswith("the ") else words
