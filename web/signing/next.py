"""Where a browser goes on after signing in: a page of ours, whatever the address said. Pure."""

from typing import Final
from urllib.parse import urlsplit

LONGEST: Final = 1_000

SIGN_IN: Final = "/sign-in"


def next_path(given: str, root: str = "") -> str:
    """The path with its query, below `root`; `/` for anything that could lead elsewhere, or back to signing in."""
    if not given.startswith("/") or len(given) > LONGEST or given.startswith(("//", "/\\")):
        return "/"
    if not given.isascii() or not given.isprintable() or "\\" in given:
        return "/"
    parts = urlsplit(given)
    path = parts.path.removeprefix(root) if root and parts.path.startswith(f"{root}/") else parts.path
    if parts.scheme or parts.netloc or path.startswith("//") or path.startswith(SIGN_IN):
        return "/"
    return f"{path}?{parts.query}" if parts.query else path


def path_of_referer(referer: str | None, host: str, root: str = "") -> str:
    """The page that a form was on, where a browser says so and it is one of ours."""
    parts = urlsplit(referer or "")
    if parts.netloc.lower() != host.lower():
        return "/"
    return next_path(f"{parts.path}?{parts.query}" if parts.query else parts.path, root)
