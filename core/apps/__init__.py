"""Apps that the owner connected: signing in, what is kept of it, and the tools that then come along."""
