"""What happens is heard by everyone who listens, in order, and one listener's fault is its own."""

from core import events as ev
from core.live import Delta, LiveFeed, LiveItem
from tests.core.event_logs import log, said, started


def delta(offset: int, text: str = "x") -> Delta:
    return Delta("c", 1, "m", offset, text)


def test_events_and_words_are_heard_in_the_order_in_which_they_happen() -> None:
    feed, heard = LiveFeed(), list[LiveItem]()
    feed.listen(heard.append)
    events = log(said(), started())

    feed.publish_events(events)
    feed.publish(delta(0))
    feed.publish(delta(1))

    assert heard == [*events, delta(0), delta(1)]


def test_a_listener_that_left_hears_no_more_and_may_leave_twice() -> None:
    feed, heard, others = LiveFeed(), list[LiveItem](), list[LiveItem]()
    leave = feed.listen(heard.append)
    feed.listen(others.append)

    feed.publish(delta(0))
    leave()
    leave()
    feed.publish(delta(1))

    assert (heard, others) == ([delta(0)], [delta(0), delta(1)])


def test_a_listener_that_listens_twice_leaves_once_for_each() -> None:
    feed, heard = LiveFeed(), list[LiveItem]()
    leave_first, _leave_second = feed.listen(heard.append), feed.listen(heard.append)

    leave_first()
    leave_first()
    feed.publish(delta(0))

    assert heard == [delta(0)]


def test_a_listener_that_fails_is_nobody_elses_trouble() -> None:
    feed, heard = LiveFeed(), list[LiveItem]()

    def fails(item: LiveItem) -> None:
        raise RuntimeError("screen gone")

    feed.listen(fails)
    feed.listen(heard.append)
    feed.publish(delta(0))

    assert heard == [delta(0)]


def test_a_listener_may_leave_or_join_while_it_is_told() -> None:
    feed, heard = LiveFeed(), list[str]()

    def once(item: LiveItem) -> None:
        heard.append("once")
        leave()
        feed.listen(lambda item: heard.append("later"))

    leave = feed.listen(once)
    feed.listen(lambda item: heard.append("always"))
    feed.publish(delta(0))
    told_first = list(heard)
    feed.publish(delta(1))

    assert told_first == ["once", "always"]
    assert heard[2:] == ["always", "later"]


def test_nobody_needs_to_listen() -> None:
    LiveFeed().publish_events(log(ev.ContextCleared()))
