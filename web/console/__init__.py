"""The owner's console: its pages, a module per subject, in the frame that they share."""
