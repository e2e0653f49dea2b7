"""The pages about engines: what answers, with which model, what takes over, and connecting another one."""

from fastapi import FastAPI
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response

from core.engines.models.kinds import KINDS
from core.errors import ConchError, NotFound
from web.administration import Administration
from web.console.desk import Desk, fields
from web.engines import EngineView, NewEngine


class EnginePages:
    """The pages. The list is `/engines`; one engine is `/engine/<id>`, as its id may be any word."""

    def __init__(self, desk: Desk, administration: Administration) -> None:
        self._desk = desk
        self._engines = administration.engines

    def add_to(self, app: FastAPI) -> None:
        """Register the routes."""
        fresh = self._desk.fresh
        app.add_api_route("/engines", self.overview, methods=["GET"], response_model=None)
        app.add_api_route("/engines/new", self.form, methods=["GET"], response_model=None, dependencies=fresh)
        app.add_api_route("/engines/new", self.add, methods=["POST"], response_model=None, dependencies=fresh)
        app.add_api_route("/engines/no-fallback", self.no_fallback, methods=["POST"], response_model=None)
        app.add_api_route("/engine/{engine}", self.one, methods=["GET"], response_model=None)
        app.add_api_route("/engine/{engine}/default", self.make_default, methods=["POST"], response_model=None)
        app.add_api_route("/engine/{engine}/fallback", self.make_fallback, methods=["POST"], response_model=None)
        app.add_api_route("/engine/{engine}/test", self.test, methods=["POST"], response_model=None)
        app.add_api_route("/engine/{engine}/remove", self.ask_first, methods=["GET"], response_model=None)
        app.add_api_route("/engine/{engine}/remove", self.remove, methods=["POST"], response_model=None)

    # ---- looking ---------------------------------------------------------------------------------------------------

    async def overview(self, request: Request) -> Response:
        """Every engine; asks each for its models."""
        return self._desk.page(request, "console/engines.html", found=await self._engines.list())

    async def form(self, request: Request, kind: str = "", name: str = "") -> Response:
        """What is needed to connect one; `name` is one that gets a new key."""
        typed = {"kind": kind, "name": name, "url": ""}
        return self._desk.page(request, "console/new_engine.html", kinds=KINDS.values(), typed=typed)

    async def one(self, request: Request, engine: str) -> Response:
        """An engine and its models."""
        return self._desk.page(request, "console/engine.html", **await self._about(engine))

    async def ask_first(self, request: Request, engine: str) -> Response:
        """What removing it means."""
        return self._desk.page(request, "console/remove_engine.html", engine=await self._find(engine))

    # ---- doing -----------------------------------------------------------------------------------------------------

    async def add(self, request: Request) -> Response:
        """Connect one, after its server said which models it has. A key that was typed is not shown again."""
        given = await fields(request)
        typed = {name: given.get(name, "").strip() for name in ("kind", "url", "name")}
        key = given.get("key", "").strip()
        new = NewEngine(
            pasted=SecretStr(key) if key else None, **{name: words or None for name, words in typed.items()}
        )
        try:
            added = await self._engines.add(new)
        except ConchError as fault:
            return self._desk.refused(request, "console/new_engine.html", fault, kinds=KINDS.values(), typed=typed)
        engine = added.engine
        words = f"{engine.title} " + ("has its new key." if added.updated else "is connected.")
        return self._desk.done(request, f"/engine/{engine.id}", words)

    async def make_default(self, request: Request, engine: str) -> Response:
        """Let it answer where a chat names none."""
        model = (await fields(request)).get("model") or None
        try:
            view = await self._engines.make_default(engine, model)
        except ConchError as fault:
            return self._desk.refused(request, "console/engine.html", fault, **await self._about(engine))
        words = f"{view.title} answers from now on" + (f", with {view.model}." if view.model else ".")
        return self._desk.done(request, f"/engine/{view.id}", words)

    async def make_fallback(self, request: Request, engine: str) -> Response:
        """Let it take over for one reply when another cannot answer."""
        try:
            await self._engines.make_fallback(engine)
        except ConchError as fault:
            return self._desk.refused(request, "console/engine.html", fault, **await self._about(engine))
        words = "It takes over for one reply when another engine cannot answer."
        return self._desk.done(request, f"/engine/{engine}", words)

    async def no_fallback(self, request: Request) -> Response:
        """Nothing takes over."""
        try:
            await self._engines.make_fallback(None)
        except ConchError as fault:
            return self._desk.refused(request, "console/engines.html", fault, found=await self._engines.list())
        return self._desk.done(request, "/engines", "No engine takes over any more.")

    async def test(self, request: Request, engine: str) -> Response:
        """Ask it one small question."""
        try:
            trial = await self._engines.test(engine)
        except ConchError as fault:
            return self._desk.refused(request, "console/engine.html", fault, **await self._about(engine))
        return self._desk.page(request, "console/engine.html", **{**await self._about(engine), "trial": trial})

    async def remove(self, request: Request, engine: str) -> Response:
        """Forget it and its key."""
        try:
            removed = await self._engines.remove(engine)
        except ConchError as fault:
            return self._desk.refused(request, "console/engines.html", fault, found=await self._engines.list())
        return self._desk.done(request, "/engines", f"{removed.title} is forgotten. {removed.answers} answers now.")

    # ---- inside ----------------------------------------------------------------------------------------------------

    async def _about(self, engine: str) -> dict[str, object]:
        view = await self._find(engine)
        models = await self._engines.models(engine) if view.state != "broken" else ()
        return {"engine": view, "models": models[0].models if models else (), "trial": None}

    async def _find(self, engine: str) -> EngineView:
        for view in (await self._engines.list()).engines:
            if view.id == engine:
                return view
        raise NotFound("That engine is not connected any more.")
