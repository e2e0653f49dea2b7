"""Passkeys: what a browser is asked, and whether what it answers was made by one of the owner's.

Done by the webauthn library, which is loaded when it is needed. A challenge is used once, by the browser that got it,
within five minutes. A passkey belongs to the host name that it was made for, and cannot be one of a bare IP address
(Web Authentication Level 2, 5.1.3): there the password is the way.
"""

import base64
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

from core.clock import Clock
from core.errors import NotAllowed, UsageError
from core.plain import plain
from core.store.owner_keys import KnownPasskey
from web.signing.keys import OwnerKeys

SECONDS: Final = 300.0
MOST: Final = 64
"""Challenges that are remembered; one more pushes out the oldest."""

LONGEST_NAME: Final = 40
TITLE: Final = "Conch"
WRONG: Final = "That passkey is none of yours here, or the browser took too long. Try again."


@dataclass(frozen=True, slots=True)
class Place:
    """Where a browser is: the host name, and the origin that its page has."""

    name: str
    origin: str

    @property
    def can(self) -> bool:
        """Whether a passkey can be for this name."""
        try:
            ip_address(self.name.strip("[]"))
        except ValueError:
            return bool(self.name)
        return False


class Passkeys:
    """Asks and checks."""

    def __init__(self, keys: OwnerKeys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._challenges: OrderedDict[str, tuple[bytes, float]] = OrderedDict()

    def of(self, place: Place) -> tuple[KnownPasskey, ...]:
        """Those that work there."""
        return tuple(one for one in self._keys.passkeys if one.rp_id == place.name)

    # ---- a new one -------------------------------------------------------------------------------------------------

    def creation(self, place: Place, browser: str) -> str:
        """What the browser is asked to make, as JSON. `browser` is something that only this browser has.

        Raises:
            UsageError: there is none for this host.
        """
        import webauthn  # noqa: PLC0415 - 27 MiB that most starts never need
        from webauthn.helpers import structs  # noqa: PLC0415

        if not place.can:
            raise UsageError(
                f"A passkey needs a name, and {place.name} is an address. {elsewhere(place)} Or choose a password."
            )
        selection = structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.PREFERRED,
            user_verification=structs.UserVerificationRequirement.PREFERRED,
        )
        options = webauthn.generate_registration_options(
            rp_id=place.name,
            rp_name=TITLE,
            user_name="owner",
            user_id=b"owner",
            user_display_name="The owner of this Conch",
            challenge=self._challenge(browser),
            authenticator_selection=selection,
            exclude_credentials=[
                structs.PublicKeyCredentialDescriptor(id=_bytes(one.credential_id)) for one in self.of(place)
            ],
        )
        return webauthn.options_to_json(options)

    async def keep(self, place: Place, browser: str, credential: dict[str, Any], name: str) -> KnownPasskey:
        """Keep what the browser made.

        Raises:
            NotAllowed: it does not answer what it was asked.
            UsageError: there are too many, or it is there already.
        """
        import webauthn  # noqa: PLC0415
        from webauthn.helpers.exceptions import WebAuthnException  # noqa: PLC0415

        challenge = self._take(browser)
        try:
            made = webauthn.verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=place.name,
                expected_origin=place.origin,
            )
        except (WebAuthnException, ValueError, KeyError, TypeError) as fault:
            raise NotAllowed(WRONG) from fault
        transports = (credential.get("response") or {}).get("transports") or ()
        passkey = KnownPasskey(
            credential_id=_text(made.credential_id),
            public_key=_text(made.credential_public_key),
            sign_count=made.sign_count,
            rp_id=place.name,
            transports=",".join(one for one in transports if isinstance(one, str))[:100],
            name=plain(name, LONGEST_NAME) or "Passkey",
            created_at=self._clock.now(),
        )
        await self._keys.add_passkey(passkey)
        return passkey

    # ---- signing in ------------------------------------------------------------------------------------------------

    def request(self, place: Place, browser: str) -> str:
        """What the browser is asked to sign, as JSON.

        Raises:
            UsageError: no passkey works there.
        """
        import webauthn  # noqa: PLC0415
        from webauthn.helpers import structs  # noqa: PLC0415

        known = self.of(place)
        if not known:
            raise UsageError("No passkey was made for this address.")
        options = webauthn.generate_authentication_options(
            rp_id=place.name,
            challenge=self._challenge(browser),
            allow_credentials=[structs.PublicKeyCredentialDescriptor(id=_bytes(one.credential_id)) for one in known],
        )
        return webauthn.options_to_json(options)

    async def check(self, place: Place, browser: str, credential: dict[str, Any]) -> KnownPasskey:
        """The passkey that signed.

        Raises:
            NotAllowed: it is none of the owner's there, or does not sign what was asked.
        """
        import webauthn  # noqa: PLC0415
        from webauthn.helpers.exceptions import WebAuthnException  # noqa: PLC0415

        challenge = self._take(browser)
        known = self._keys.passkey(str(credential.get("id", "")))
        if known is None or known.rp_id != place.name:
            raise NotAllowed(WRONG)
        try:
            signed = webauthn.verify_authentication_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=place.name,
                expected_origin=place.origin,
                credential_public_key=_bytes(known.public_key),
                credential_current_sign_count=known.sign_count,
            )
        except (WebAuthnException, ValueError, KeyError, TypeError) as fault:
            raise NotAllowed(WRONG) from fault
        await self._keys.used(known.credential_id, signed.new_sign_count)
        return known

    # ---- challenges ------------------------------------------------------------------------------------------------

    def _challenge(self, browser: str) -> bytes:
        challenge = secrets.token_bytes(32)
        self._challenges.pop(browser, None)
        self._challenges[browser] = challenge, self._clock.monotonic() + SECONDS
        while len(self._challenges) > MOST:
            self._challenges.popitem(last=False)
        return challenge

    def _take(self, browser: str) -> bytes:
        challenge, due = self._challenges.pop(browser, (b"", 0.0))
        if not challenge or self._clock.monotonic() >= due:
            raise NotAllowed(WRONG)
        return challenge


def elsewhere(place: Place) -> str:
    """How to get to a name from an address of this machine."""
    port = place.origin.rpartition(":")[2] if place.origin.count(":") > 1 else ""
    return f"On this machine open http://localhost{f':{port}' if port else ''} instead."


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
