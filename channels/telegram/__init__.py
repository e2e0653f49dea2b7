"""The Telegram adapter, on python-telegram-bot."""
