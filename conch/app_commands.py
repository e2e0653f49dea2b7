"""The commands about apps: what the assistant can use besides talking."""

from typing import Annotated

import typer

from conch import printing_apps
from conch.commanding import ask, in_folder

apps_app = typer.Typer(
    no_args_is_help=True, callback=in_folder, help="Apps that the assistant uses for you once you connected them."
)

Id = Annotated[str, typer.Argument(help="Its id, as `conch apps list` shows it.", metavar="ID")]


@apps_app.command("list")
def list_apps(context: typer.Context) -> None:
    """Show which apps can be connected, and which are."""
    typer.echo(printing_apps.apps(ask(context.obj, "conch apps list", lambda conch: conch.apps.list())))


@apps_app.command("connect")
def connect_app(context: typer.Context, app_id: Id) -> None:
    """Print a link to an app's sign-in. It works once, for ten minutes."""
    typer.echo(printing_apps.link(ask(context.obj, "conch apps connect", lambda conch: conch.apps.connect(app_id))))


@apps_app.command("disconnect")
def disconnect_app(context: typer.Context, app_id: Id) -> None:
    """Forget an app's keys. The assistant cannot use it from now on."""
    view = ask(context.obj, "conch apps disconnect", lambda conch: conch.apps.disconnect(app_id))
    typer.echo(printing_apps.disconnected(view))
