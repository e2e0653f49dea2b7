"""Skills: ways of doing something that the owner keeps as files, and that the assistant follows when it may."""
