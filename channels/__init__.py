"""Chat apps: the way of a message from an app into the core and of an answer back."""
