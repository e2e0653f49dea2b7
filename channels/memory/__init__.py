"""The in-memory channel: the reference adapter, the base of tests, and the terminal chat."""
