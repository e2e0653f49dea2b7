"""A pretend Teams: Connector, sign-in and OpenID metadata on loopback with real keys, and its people's screens."""
