"""How the console's pages and forms are answered: a page with the note that waits, a form with the way to its page.

A form is sent to an address of ours and answered with 303 to a page; one that could not be done is answered with the
page again, 422, the fault above it and what was typed still in it. What a page is about does not belong here.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl

from fastapi.params import Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from core.errors import UsageError
from web.console.notes import Note, Notes
from web.pages import Templates
from web.security import Gate, read_cookie

MOST_FIELDS: Final = 100

MOST_TYPED: Final = 64 * 1024
"""Bytes of one form: a pasted message with a key in it is the longest thing."""


class Desk:
    """Answers. What is put into a page is escaped."""

    def __init__(self, gate: Gate, templates: Templates, notes: Notes, fresh: Sequence[Depends] = ()) -> None:
        """Use `fresh` as what has to hold before something sensitive is done: a sign-in not long ago."""
        self.fresh = list(fresh)
        self._gate = gate
        self._templates = templates
        self._notes = notes

    def page(self, request: Request, name: str, **values: object) -> HTMLResponse:
        """A page, with what there is to tell on it."""
        session = self.session(request)
        note = self._notes.take(session) if session else None
        answer = self._templates.page(request, name, 200, note=note, **values)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def refused(self, request: Request, name: str, fault: Exception, **values: object) -> HTMLResponse:
        """The page again, with what was wrong."""
        answer = self._templates.page(request, name, 422, note=Note(str(fault), trouble=True), **values)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def fragment(self, request: Request, name: str, **values: object) -> str:
        """A part of a page, for one that is open."""
        return self._templates.fragment(request, name, **values)

    def told(self, request: Request, path: str, fault: Exception) -> RedirectResponse:
        """On to a page below our root, which says what was wrong."""
        session = self.session(request)
        if session:
            self._notes.keep(session, Note(str(fault), trouble=True))
        return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)

    def done(self, request: Request, path: str, words: str | None = None) -> RedirectResponse:
        """On to a page below our root, which says these words."""
        session = self.session(request)
        if words is not None and session:
            self._notes.keep(session, Note(words))
        return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)

    def is_secure(self, request: Request) -> bool:
        """Whether the browser reached us over TLS."""
        return self._gate.is_secure(request.headers.get("host", ""), request.url.scheme)

    def session(self, request: Request) -> str | None:
        """The browser's session, which is a secret."""
        return read_cookie(request.headers, self._gate.cookie)


async def fields(request: Request) -> Mapping[str, str]:
    """What a form sent; of a field that came twice the last.

    Raises:
        UsageError: it is too large, or no form.
    """
    return {name: values[-1] for name, values in (await all_fields(request)).items()}


async def all_fields(request: Request) -> Mapping[str, Sequence[str]]:
    """What a form sent, with everything that came in a field; at least one value in each.

    Raises:
        UsageError: it is too large, or no form.
    """
    body = await request.body()
    if len(body) > MOST_TYPED:
        raise UsageError("That is too much for one form.")
    try:
        given = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as fault:
        raise UsageError("That is no form of ours.") from fault
    if any("\0" in value for _, value in given):  # PostgreSQL cannot keep it
        raise UsageError("There is a character in that form that nobody can type.")
    found: dict[str, list[str]] = {}
    for name, value in given:
        found.setdefault(name, []).append(value)
    return found
