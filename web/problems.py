"""What the web side says when it does not do what was asked.

A page for people, JSON with a stable code for programs. What a route says when all is well is its own business.
"""

from html import escape

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response

NEW_LINK = (
    "Run `conch console` on the machine where Conch runs (for the playground `conch console --playground`): "
    "it prints a new link."
)

PROBLEMS = {
    "foreign-host": ("Not this address", "Conch does not answer under this name. Add it to allowed_hosts to use it."),
    "foreign-origin": ("Not from here", "This request came from another site, so nothing was done."),
    "signed-out": (
        "Please come in by the link",
        f"Conch printed a link when it started; it works once. {NEW_LINK}",
    ),
    "unproven": ("Not from there", "Nothing proves that the chat app sent this, so nothing was done."),
    "link-used": ("This link is used up", f"Each link works once, within a day. {NEW_LINK}"),
    "not-found": ("Nothing here", "There is no such page."),
    "wrong-method": ("Not like this", "This address does not take this kind of request."),
    "invalid": ("That did not fit", "Something in the request is missing or malformed."),
    "too-large": ("Too large", "What was sent is larger than allowed."),
    "unavailable": ("Not now", "Conch cannot do this at the moment. Try again soon."),
    "failed": ("That went wrong", "The fault is Conch's and stands in its log."),
}
"""The stable code of each problem: its title and what to do."""


def problem(headers: Headers, status: int, code: str, detail: str | None = None) -> Response:
    """The answer to whoever sent `headers`: HTML if that is what they read, else problem+json (RFC 9457)."""
    title, usual = PROBLEMS[code]
    detail = detail or usual
    if "text/html" in headers.get("accept", ""):
        return HTMLResponse(_page(title, detail), status)
    body = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}
    return JSONResponse(body, status, media_type="application/problem+json")


def _page(title: str, detail: str) -> str:
    words = escape(detail).split("`")
    shown = "".join(f"<code>{word}</code>" if place % 2 else word for place, word in enumerate(words))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · Conch</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/static/base.css">'
        f'</head><body class="notice"><main><h1>{escape(title)}</h1><p>{shown}</p></main></body></html>'
    )
