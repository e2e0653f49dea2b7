"""What a bot can call, a module for each family of methods."""
