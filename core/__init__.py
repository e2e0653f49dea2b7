"""The conversation core: the event log, its folds, turns and engines. It knows no chat app and no web page."""
