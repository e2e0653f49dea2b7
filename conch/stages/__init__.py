"""One pretend app each, as the playground plays on it: its bot and people, its chats, what can be broken there."""
