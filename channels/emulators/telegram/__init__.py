"""A pretend Telegram: the Bot API over HTTP, people who write to bots, and ways to break it. Start at `pretend.py`."""
