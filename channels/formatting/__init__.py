"""Markdown in, each chat app's own markup out, in parts that the app takes; start reading at `parts`."""
