"""The live side of a chat's page: what happens becomes patches of what a browser shows, sent as it happens."""
