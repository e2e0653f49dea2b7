"""How long to wait, in the words that end a sentence."""


def when_again(seconds: float | None) -> str:
    """When something may work again; None (nobody said) and less than a second are "in a moment"."""
    if seconds is None or seconds < 1:
        return "in a moment"
    if seconds <= 90:
        return f"in {round(seconds)} seconds" if seconds >= 1.5 else "in a second"
    if seconds <= 90 * 60:
        return f"in about {round(seconds / 60)} minutes"
    return f"in about {round(seconds / 3600)} hours"
