"""What the card of an offer says and which buttons it has, while it can be taken and afterwards.

Pure. All words of the assistant, of skills and of apps are data: they are made literal. Where it stands is in
`channels.offers`, what its buttons do in `channels.taking`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal
from urllib.parse import urlsplit

from channels.base import ButtonStyle, Capabilities
from channels.cards.drawing import Drawn, drawn
from channels.cards.prompts import Prompt, PromptButton
from channels.choices import has_buttons
from channels.formatting.parts import literal
from commands.parsing import slash_in
from core.cards import Offer, OfferKind
from core.store.cards import CardRecord

LASTS: Final = timedelta(minutes=10)
"""How long an offer's buttons may be pressed, and its link opened."""

CONNECT, TAKE, TURN_ON, USE, NOT_NOW, MUTE = "of-link", "of-take", "of-on", "of-once", "of-not", "of-mute"
"""What the buttons do; the first opens a link."""

DEEDS: Final = frozenset({TAKE, TURN_ON, USE, NOT_NOW, MUTE})

ONLY_HERE: Final = "The link opens only on the machine where Conch runs."

LINKED, UNLINKED = '{"linked":true}', "{}"

BELOW: Final = "further down"
"""What is said of a card that stands anew below."""


@dataclass(frozen=True, slots=True)
class Connecting:
    """How the app of an offer is connected: the link to its sign-in, None where it has none.

    `local`: the link works on the machine where Conch runs, and nowhere else.
    """

    link: str | None = None
    local: bool = False


NO_LINK: Final = Connecting()


# ---- while it can be taken -------------------------------------------------------------------------------------------


def offer_drawn(
    offer: Offer,
    capabilities: Capabilities,
    token_for: Callable[[str], str],
    *,
    allowed: str = "",
    connecting: Connecting = NO_LINK,
    behalf: str | None = None,
) -> Drawn:
    """The card in one app. `allowed` says what a skill may do, `behalf` for which other chat it is offered."""
    taps = has_buttons(capabilities) and not _has_bare_host(connecting.link)
    drawing = drawn(offer_prompt(offer, allowed, connecting, behalf, taps=taps), capabilities, token_for)
    if connecting.link is None or not taps:
        return drawing
    linked = (replace(button, token=None, url=connecting.link) for button in drawing.buttons[:1])
    return Drawn(drawing.markdown, (*linked, *drawing.buttons[1:]))


def _has_bare_host(link: str | None) -> bool:
    """As localhost has: Telegram refuses a button with such an address, and the whole message with it."""
    host = urlsplit(link or "").hostname or "."
    return "." not in host and ":" not in host


def offer_prompt(
    offer: Offer, allowed: str = "", connecting: Connecting = NO_LINK, behalf: str | None = None, *, taps: bool = True
) -> Prompt:
    """What is offered and what for. Without `taps` a link is in the text, as no button could open it."""
    may_do = [literal(allowed)] if allowed else []
    lines = [*_about(offer, behalf), *may_do, *_how(offer, connecting, taps)]
    return Prompt("\n\n".join(lines), offer_buttons(offer, linked=connecting.link is not None, taps=taps))


def offer_buttons(offer: Offer, *, linked: bool, taps: bool) -> tuple[PromptButton, ...]:
    """What can be picked, in order. `linked`: the app is connected by a link."""
    ways_out = (PromptButton("Not now", NOT_NOW), PromptButton("Don't suggest", MUTE))
    return (*_takes(offer, linked, taps), *ways_out)


def _about(offer: Offer, behalf: str | None) -> list[str]:
    whom = [f"For {literal(behalf)}:"] if behalf is not None else []
    name = f"**{literal(offer.name)}**"
    about = f"{name}: {literal(offer.description)}" if offer.description else name
    return [*whom, about, *([literal(offer.why)] if offer.why else [])]


def _how(offer: Offer, connecting: Connecting, taps: bool) -> Sequence[str]:
    if offer.kind is OfferKind.SKILL:
        off = "It is off. Turn it on, and I carry on with what you asked."
        return [
            off if offer.skill_mode == "off" else "I use it only when you say so: this once, or always when it fits."
        ]
    if connecting.link is None:
        return ["It is not connected. Once it is, say so here and I carry on with what you asked."]
    here = f" {ONLY_HERE}" if connecting.local else ""
    if taps:
        return [f"Connect it, and I carry on with what you asked.{here}"]
    return [f"Open this to connect it, and I carry on with what you asked.{here}", connecting.link]


def _takes(offer: Offer, linked: bool, taps: bool) -> tuple[PromptButton, ...]:
    if offer.kind is OfferKind.SKILL:
        if offer.skill_mode == "off":
            return (PromptButton("Turn on", TURN_ON, ButtonStyle.PRIMARY),)
        return (PromptButton("Use it", USE, ButtonStyle.PRIMARY), PromptButton("Always", TURN_ON))
    if not linked:
        return (PromptButton("It's connected", TAKE, ButtonStyle.PRIMARY),)
    return (PromptButton("Connect", CONNECT, ButtonStyle.PRIMARY),) if taps else ()


def draft_of(connecting: Connecting) -> str:
    """What is stored with the card, so that its buttons are known again; the link itself is not."""
    return LINKED if connecting.link is not None else UNLINKED


def was_linked(card: CardRecord) -> bool:
    """Whether the card was drawn with a link."""
    return card.draft == LINKED


# ---- afterwards ------------------------------------------------------------------------------------------------------


def is_over(card: CardRecord, now: datetime) -> bool:
    """Whether the time of its buttons is."""
    return now >= card.created_at + LASTS


def offer_face(card: CardRecord, offer: Offer, capabilities: Capabilities) -> Drawn:
    """As it is to look later: folded, or, where it is still open, with the time of its buttons over."""
    if not card.open:
        return Drawn(f"_{literal(folded_line(card, offer))}_")
    again = f"Its buttons' time is over. Send `{slash_in(capabilities.kind, 'status')}` for fresh ones."
    return Drawn("\n\n".join([*_about(offer, card.place.behalf), again]))


def folded_line(card: CardRecord, offer: Offer) -> str:
    """What is left of it, as plain text: “Offered: Snapbox · not now”."""
    whom = f" for {card.place.behalf}" if card.place.behalf is not None else ""
    return f"Offered{whom}: {offer.name} · {card.note or 'over'}"


def end_of_offer(offer: Offer, outcome: Literal["accepted", "dismissed", "expired"]) -> str:
    """What became of it, as the note of its card."""
    match outcome:
        case "expired":
            return "over"
        case "dismissed":
            return "not now"
    if offer.kind is OfferKind.APP:
        return "connected"
    return "turned on" if offer.skill_mode == "off" else "used"
