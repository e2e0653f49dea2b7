"""Secrets and redaction: what keeps keys out of places where they do not belong."""
