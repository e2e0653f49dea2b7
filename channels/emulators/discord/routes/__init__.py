"""What each address of the REST API does, a module for each concern, and the table of them all."""
