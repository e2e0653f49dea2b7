"""The program: settings, composition root, command line."""
