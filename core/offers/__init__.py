"""What could be turned on for a conversation: known, told to the model, offered to the owner, and carried on with."""
