"""The Discord adapter, on discord.py."""
