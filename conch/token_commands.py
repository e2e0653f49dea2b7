"""The commands about tokens of the API: for programs of the owner's own."""

from typing import Annotated

import typer

from conch import printing_tokens
from conch.commanding import ask, in_folder

tokens_app = typer.Typer(
    no_args_is_help=True, callback=in_folder, help="Keys with which programs of yours use Conch's JSON API."
)


@tokens_app.command("add")
def add_token(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is for. Shown where its program answers something.")],
    read_only: Annotated[
        bool, typer.Option("--read-only", help="It may look at everything and change nothing.")
    ] = False,
) -> None:
    """Make a token. It is shown this once."""
    new = ask(context.obj, "conch tokens add", lambda conch: conch.tokens.add(name, read_only))
    typer.echo(printing_tokens.made(new))


@tokens_app.command("list")
def list_tokens(context: typer.Context) -> None:
    """Show which tokens there are, what each may do and when it was last used."""
    typer.echo(printing_tokens.tokens(ask(context.obj, "conch tokens list", lambda conch: conch.tokens.list())))


@tokens_app.command("revoke")
def revoke_token(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Its name, as `conch tokens list` shows it.")],
) -> None:
    """Take a token back. Whoever uses it is turned away from now on."""
    view = ask(context.obj, "conch tokens revoke", lambda conch: conch.tokens.revoke(name))
    typer.echo(f"“{view.name}” is revoked: whoever uses it is turned away from now on.")
