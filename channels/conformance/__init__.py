"""Promises that any adapter, ours or a stranger's, must keep, and what is needed to hold it to them."""
