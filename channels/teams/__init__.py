"""The Teams adapter."""
