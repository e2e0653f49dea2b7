"""The console as a place where commands are given: what they do there, and whose conversation they are about."""
