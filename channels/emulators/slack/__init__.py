"""A pretend Slack: Web API, Socket Mode, request URLs and response URLs on loopback, and its people's screens."""
