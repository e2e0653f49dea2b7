"""What a browser sees: the HTTP side of the program."""
