"""The built-in demo engine: scripted, deterministic, without a network. It runs when no other engine is found."""
