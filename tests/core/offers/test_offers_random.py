"""Offers in any order of events: what holds in every conversation, by the pure decisions alone."""

from dataclasses import dataclass
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from core import events as ev
from core.attendance import Attendance
from core.cards import Offer, OfferKind
from core.conversation_state import ConversationState
from core.decisions import Clear
from core.offers.carrying import ResolveOffer
from core.offers.desk import ShowOffer
from core.projections import advance, fold, opening_events

AT = datetime(2026, 1, 1, tzinfo=UTC)
HERE = Attendance(guest=False, attended=True, owners=True, own_words=True)
TARGETS = ("photos", "maps", "mail")


@dataclass
class Chat:
    """A conversation whose log grows by decisions."""

    log: list[ev.Event]
    state: ConversationState
    shown: int = 0

    def add(self, *data: ev.EventData) -> None:
        for one in data:
            event = ev.Event("chat", len(self.log), AT, one)
            self.log.append(event)
            self.state = advance(self.state, event)

    def do(self, what: tuple[str, int]) -> None:
        action, which = what
        match action:
            case "say" if self.state.turn is None:
                said = ev.UserMessage(message_id="m", text="hello", origin=ev.Origin(kind="console"))
                self.add(*opening_events(self.state, said, ev.TurnStarted(engine="e")))
            case "end" if self.state.turn is not None:
                self.add(ev.TurnCompleted(outcome="success", engine="e"))
            case "read":
                self.add(ev.Tainted(source="web", label=str(which)))
            case "assistant" | "cue":
                self.add(*self.show("assistant" if action == "assistant" else "cue", which).events(self.state))
            case "accept" | "dismiss":
                taken = ResolveOffer(f"offer-{which}", "accepted", "Ada")
                folded = ResolveOffer(f"offer-{which}", "dismissed", "Ada")
                self.add(*(taken if action == "accept" else folded).events(self.state))
            case "clear":
                self.add(*Clear().events(self.state))

    def show(self, by: str, which: int) -> ShowOffer:
        self.shown += 1
        offer = Offer(
            offer_id=f"offer-{self.shown}",
            kind=OfferKind.APP,
            target=TARGETS[which % len(TARGETS)],
            name="n",
            description="d",
            why="w",
            by="assistant" if by == "assistant" else "cue",
            request="r",
        )
        turn = self.state.turn_seq if self.state.turn_seq is not None else -2
        return ShowOffer(turn, HERE, offer.by, offer)


ACTIONS = st.tuples(
    st.sampled_from(["say", "end", "read", "assistant", "cue", "accept", "dismiss", "clear"]), st.integers(0, 8)
)


@given(st.lists(ACTIONS, max_size=60))
def test_whatever_happens_an_offer_is_shown_once_and_resolved_once(actions: list[tuple[str, int]]) -> None:
    chat = Chat([], ConversationState())

    for action in actions:
        chat.do(action)

    offers = [event.data.offer for event in chat.log if isinstance(event.data, ev.OfferShown)]
    resolved = [event.data.offer_id for event in chat.log if isinstance(event.data, ev.OfferResolved)]
    targets = [offer.target for offer in offers]
    assert len(set(targets)) == len(targets)
    assert len(set(resolved)) == len(resolved)
    assert {offer.offer_id for offer in chat.state.open_offers} == {o.offer_id for o in offers} - set(resolved)
    assert fold(chat.log) == chat.state


@given(st.lists(ACTIONS, max_size=60))
def test_a_turn_shows_one_offer_and_none_of_the_assistant_s_after_it_read_something(
    actions: list[tuple[str, int]],
) -> None:
    chat = Chat([], ConversationState())

    for action in actions:
        chat.do(action)

    shown = read = False
    for event in chat.log:
        match event.data:
            case ev.TurnStarted():
                shown = read = False
            case ev.Tainted():
                read = True
            case ev.OfferShown(offer=offer):
                assert not shown
                assert offer.by == "cue" or not read
                shown = True
