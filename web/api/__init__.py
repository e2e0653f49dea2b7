"""The JSON API: everything that can be done with conversations, engines and settings, for programs and the console."""
