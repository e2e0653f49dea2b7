"""Tests that any adapter, ours or a stranger's, must pass."""
