"""The commands about settings that count at once, and about what models used."""

from typing import Annotated

import typer

from conch import printing_engines
from conch.commanding import ForPlayground, ask, folder, in_folder

settings_app = typer.Typer(
    no_args_is_help=True, callback=in_folder, help="Settings that count as soon as you change them."
)

Name = Annotated[str, typer.Argument(help="Its name, as `conch settings list` shows it.", metavar="NAME")]


@settings_app.command("list")
def list_settings(context: typer.Context) -> None:
    """Show every setting with its value and where that comes from."""
    typer.echo(printing_engines.settings(ask(context.obj, "conch settings list", lambda conch: conch.settings.list())))


@settings_app.command("set", context_settings={"ignore_unknown_options": True})
def set_setting(
    context: typer.Context,
    name: Name,
    value: Annotated[str, typer.Argument(help="Its new value; a list is given with commas.")],
) -> None:
    """Change a setting. It counts from now on, also in a running server."""
    view = ask(context.obj, "conch settings set", lambda conch: conch.settings.set(name, value))
    typer.echo(printing_engines.is_set(view))


@settings_app.command("unset")
def unset_setting(context: typer.Context, name: Name) -> None:
    """Go back to what Conch was started with."""
    view = ask(context.obj, "conch settings unset", lambda conch: conch.settings.unset(name))
    typer.echo(printing_engines.is_set(view))


def usage(
    days: Annotated[int, typer.Option(min=1, max=3_660, help="How many days back, today among them.")] = 7,
    playground: ForPlayground = False,
) -> None:
    """Show what models used: tokens, cost, and what is left of the budgets. Days are counted in UTC."""
    place = folder(playground=playground)
    typer.echo(printing_engines.usage(ask(place, "conch usage", lambda conch: conch.usage(days))))
