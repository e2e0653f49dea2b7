"""What answers: the contract of an engine and the engines themselves."""
