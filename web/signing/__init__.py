"""Signing in to the console: by a password or a passkey, and what slows down who guesses."""
