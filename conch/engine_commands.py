"""The commands about engines: which are connected, which answer, and with which model."""

from typing import Annotated

import typer
from pydantic import SecretStr

from conch import printing_engines
from conch.asking import pasted_secret
from conch.commanding import ask, in_folder
from core.engines.models.kinds import KINDS
from core.errors import UsageError
from web.engines import NewEngine

engines_app = typer.Typer(
    no_args_is_help=True, callback=in_folder, help="What answers: models by a key or on a server."
)

EngineId = Annotated[str, typer.Argument(help="Its name, as `conch engines list` shows it.", metavar="ENGINE")]

NONE = "none"


@engines_app.command("add")
def add_engine(
    context: typer.Context,
    kind: Annotated[
        str | None,
        typer.Argument(
            help=f"One of: {', '.join(KINDS)}; or the name of one that is connected. Left out, it is seen by the key.",
            metavar="[KIND]",
            show_default=False,
        ),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where the server is, if not at its usual place.")] = None,
    name: Annotated[str | None, typer.Option(help="What to call it here, where you connect several of a kind.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that answers where a chat chooses none.")] = None,
) -> None:
    """Connect a model service or server, or give a connected one its new key. The key is asked for and not shown."""
    if kind is not None and kind not in KINDS:
        _expect_connected(context, kind)
    pasted = _pasted(kind, url)
    new = NewEngine(kind=kind, pasted=SecretStr(pasted) if pasted else None, url=url, name=name, model=model)
    added = ask(context.obj, "conch engines add", lambda conch: conch.engines.add(new))
    typer.echo(printing_engines.added(added))


@engines_app.command("list")
def list_engines(context: typer.Context) -> None:
    """Show what can answer: connected, found on this machine, built in; and what is wrong with any of it."""
    typer.echo(printing_engines.engines(ask(context.obj, "conch engines list", lambda conch: conch.engines.list())))


@engines_app.command("models")
def list_models(
    context: typer.Context,
    engine: Annotated[
        str | None, typer.Argument(help="Only of this one.", metavar="[ENGINE]", show_default=False)
    ] = None,
) -> None:
    """Show the models that there are to choose from."""
    found = ask(context.obj, "conch engines models", lambda conch: conch.engines.models(engine))
    typer.echo(printing_engines.models(found))


@engines_app.command("default")
def default_engine(
    context: typer.Context,
    engine: EngineId,
    model: Annotated[
        str | None, typer.Argument(help="A model of it; left out, its own default.", show_default=False)
    ] = None,
) -> None:
    """Choose what answers wherever a chat chose nothing itself. It counts from the next message on."""
    view = ask(context.obj, "conch engines default", lambda conch: conch.engines.make_default(engine, model))
    typer.echo(printing_engines.is_default(view))


@engines_app.command("fallback")
def fallback_engine(
    context: typer.Context,
    engine: Annotated[str, typer.Argument(help="Its name, or `none`.", metavar="ENGINE|none")],
) -> None:
    """Choose what takes over for one reply when another engine is out of reach or takes no more."""
    wanted = None if engine == NONE else engine
    view = ask(context.obj, "conch engines fallback", lambda conch: conch.engines.make_fallback(wanted))
    typer.echo(printing_engines.is_fallback(view))


@engines_app.command("remove")
def remove_engine(context: typer.Context, engine: EngineId) -> None:
    """Forget a connected engine and its key. Conversations stay, and go on with the default."""
    view = ask(context.obj, "conch engines remove", lambda conch: conch.engines.remove(engine))
    typer.echo(printing_engines.removed(view))


@engines_app.command("test")
def test_engine(context: typer.Context, engine: EngineId) -> None:
    """Ask one small question, to see that it really answers. It costs as much as a short message."""
    trial = ask(context.obj, "conch engines test", lambda conch: conch.engines.test(engine))
    typer.echo(printing_engines.trial(trial))
    if trial.problem:
        raise typer.Exit(1)


def _expect_connected(context: typer.Context, name: str) -> None:
    """Before a key is asked for: a name that is no kind must be that of an engine which the owner connected."""
    found = ask(context.obj, "conch engines add", lambda conch: conch.engines.list())
    if not any(engine.id == name and engine.standing == "connected" for engine in found.engines):
        raise UsageError(f"There is no kind of engine “{name}”, and none of that name. There is: {', '.join(KINDS)}.")


def _pasted(kind: str | None, url: str | None) -> str:
    """The key, where one may be needed; asked before anything else, and checked by whoever connects."""
    known = KINDS.get(kind) if kind else None
    if known is None:
        return pasted_secret("Paste the key (it is not shown): ").strip()
    if known.needs_key:
        page = f" You get one at {known.key_page}." if known.key_page else ""
        return pasted_secret(f"Paste the key for {known.title} (it is not shown).{page} ").strip()
    if url is None:
        return ""
    return pasted_secret("Paste the server's key (it is not shown), or press Enter if it takes none: ").strip()
