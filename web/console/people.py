"""The pages about people and groups: who may talk to which bot, who asks, and in which groups it answers.

Names, previews and titles are what strangers wrote; they are shown as text and nothing else.
"""

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from core.errors import ConchError, UsageError
from web.administration import Administration, PersonView
from web.console.channels import KIND_TITLES, called
from web.console.desk import Desk, fields


class PeoplePages:
    """The pages. Letting somebody in needs a sign-in not long ago; keeping somebody out never does."""

    def __init__(self, desk: Desk, administration: Administration) -> None:
        self._desk = desk
        self._administration = administration

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        fresh = self._desk.fresh
        app.add_api_route("/people", self.people, methods=["GET"], response_model=None)
        app.add_api_route("/people/let-in", self.let_in, methods=["POST"], response_model=None, dependencies=fresh)
        app.add_api_route("/people/block", self.block, methods=["POST"], response_model=None)
        app.add_api_route("/people/remove", self.remove, methods=["POST"], response_model=None)
        app.add_api_route("/groups", self.groups, methods=["GET"], response_model=None)
        app.add_api_route("/groups/on", self.group_on, methods=["POST"], response_model=None, dependencies=fresh)
        app.add_api_route("/groups/off", self.group_off, methods=["POST"], response_model=None)

    # ---- people ----------------------------------------------------------------------------------------------------

    async def people(self, request: Request) -> Response:
        """Everyone the bots know, those who ask first."""
        return self._desk.page(request, "console/people.html", **await self._everyone())

    async def let_in(self, request: Request) -> Response:
        """Let somebody in; the first one owns the bot."""
        return await self._do(request, "let in")

    async def block(self, request: Request) -> Response:
        """Never hear of somebody again."""
        return await self._do(request, "block")

    async def remove(self, request: Request) -> Response:
        """Take back what somebody was allowed."""
        return await self._do(request, "remove")

    async def _do(self, request: Request, what: str) -> Response:
        given = await fields(request)
        try:
            person, bot = _expected(given, "person"), _expected(given, "bot")
            words = await self._done(what, person, bot)
        except ConchError as fault:
            return self._desk.refused(request, "console/people.html", fault, **await self._everyone())
        path = f"/bots/{bot}" if given.get("from") == "bot" and bot.isalnum() else "/people"
        return self._desk.done(request, path, words)

    async def _done(self, what: str, person: str, bot: str) -> str:
        match what:
            case "let in":
                view = await self._administration.let_in(person, bot)
                role = "owns" if view.role == "owner" else "may talk to"
                return f"{view.name} {role} {called(view.channel)} now."
            case "block":
                view = await self._administration.block(person, bot)
                return f"{view.name} is blocked. {called(view.channel)} does not hear them any more."
        view = await self._administration.remove_person(person, bot)
        return f"{view.name} is a stranger to {called(view.channel)} now."

    async def _everyone(self) -> dict[str, object]:
        everyone = await self._administration.people(None)
        owned = {person.channel.id for person in everyone.people if person.role == "owner"}
        return {
            "people": sorted(everyone.people, key=_place),
            "requests": everyone.requests,
            "owned": owned,
            "roles": {"owner": "owner", "person": "let in", "blocked": "blocked"},
        }

    # ---- groups ----------------------------------------------------------------------------------------------------

    async def groups(self, request: Request) -> Response:
        """The groups that bots are in."""
        return self._desk.page(request, "console/groups.html", **await self._all_groups())

    async def group_on(self, request: Request) -> Response:
        """Answer there."""
        return await self._switch(request, on=True)

    async def group_off(self, request: Request) -> Response:
        """Be silent there."""
        return await self._switch(request, on=False)

    async def _switch(self, request: Request, *, on: bool) -> Response:
        given = await fields(request)
        try:
            group = await self._administration.switch_group(_expected(given, "group"), _expected(given, "bot"), on)
        except ConchError as fault:
            return self._desk.refused(request, "console/groups.html", fault, **await self._all_groups())
        name, title = called(group.channel), group.title.strip() or group.id
        words = f"{name} answers in “{title}” when somebody mentions it or replies to it."
        return self._desk.done(request, "/groups", words if on else f"{name} is silent in “{title}” now.")

    async def _all_groups(self) -> dict[str, object]:
        return {"groups": await self._administration.groups(None), "titles": KIND_TITLES}


def _expected(given: object, name: str) -> str:
    value = given.get(name, "") if isinstance(given, dict) else ""
    if not value:
        raise UsageError("Something is missing in that form. Load the page again.")
    return str(value)


def _place(person: PersonView) -> tuple[int, str]:
    """Owners first, the blocked last."""
    return ("owner", "person", "blocked").index(person.role), person.name.casefold()
