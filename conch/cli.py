"""The command line: the commands that run Conch and look at it. What a command does is elsewhere.

The server and the chat are imported by the commands that run them: what they are made of takes a second to import, and
`conch --help` and a command to a running server should not take it.

Exit codes: 0 done; 1 it could not be done now, or Conch is at fault; 2 the words or the settings are off; 130 Ctrl-C.
"""

import sys
import traceback
from dataclasses import replace
from functools import partial
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Annotated

import typer

from conch import lock, logs, printing, settings
from conch.app_commands import apps_app
from conch.bot_commands import channels_app, groups_app, people_app
from conch.commanding import CLOCK, ForPlayground, ask, folder, run
from conch.engine_commands import engines_app
from conch.home import Home
from conch.setting_commands import settings_app, usage
from conch.settings import Loaded
from conch.skill_commands import skills_app
from conch.token_commands import tokens_app
from core.errors import ConchError, UsageError
from core.safety.redaction import Redactor, redact

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Conch: one assistant, reached from your chat apps and the browser.",
    epilog="Settings come from CONCH_… variables and conch.toml in the data folder (CONCH_HOME).",
)
app.add_typer(channels_app, name="channels")
app.add_typer(people_app, name="people")
app.add_typer(groups_app, name="groups")
app.add_typer(engines_app, name="engines")
app.add_typer(apps_app, name="apps")
app.add_typer(settings_app, name="settings")
app.add_typer(skills_app, name="skills")
app.add_typer(tokens_app, name="tokens")

InPlayground = Annotated[bool, typer.Option("--playground", help="A pretend Telegram in the browser, nothing real.")]


# ---- running ---------------------------------------------------------------------------------------------------------


@app.command()
def serve(
    playground: InPlayground = False,
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="Instead of the port in the settings.")] = None,
    host: Annotated[str | None, typer.Option(help="Instead of the address in the settings.")] = None,
) -> None:
    """Run Conch: every connected bot, and the web side. Ctrl-C ends it."""
    place = _place(playground)
    loaded = settings.load_or_last_good(place)
    _serve(place, _with(loaded, port, host), playground)


@app.command()
def chat() -> None:
    """Talk in the terminal, without a server and without a bot. Ctrl-D ends it; a pipe works too."""
    place = _place(playground=False)
    loaded = settings.load(place)
    redactor = _set_up_logs(loaded, quiet=True)
    try:
        with lock.hold(place, "conch chat", CLOCK, patience=1.0):
            from conch import chat as terminal  # noqa: PLC0415 - see the module's docstring

            run(terminal.chat(place, loaded.settings, CLOCK, partial(typer.echo, err=True), redactor.add))
    except lock.DataInUse as fault:
        where = fault.holder.address if fault.holder else None
        if where is None:
            raise
        raise UsageError(
            f"Conch is running already, at {where}. Talk to it through one of your bots, or end it first to chat here."
        ) from fault


@app.command()
def console(playground: InPlayground = False) -> None:
    """Print a new one-time link to the web side of the running server."""
    typer.echo(ask(folder(playground=playground), "conch console", lambda conch: conch.console_link()))


@app.command()
def doctor(
    playground: ForPlayground = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: one JSON object.")] = False,
) -> None:
    """Look whether everything is as it should be, and say what to do. A server may run or not; 1 where it is not so."""
    logs.configure("error", "human", Redactor())
    from conch.doctor import examine  # noqa: PLC0415 - it looks into the database; see the module's docstring

    found = run(examine(folder(playground=playground), CLOCK))
    typer.echo(redact(printing.checkup_json(found) if as_json else printing.checkup(found)))
    if printing.has_failed(found):
        raise typer.Exit(1)


@app.command("new-channel")
def new_channel(
    name: Annotated[str, typer.Argument(help="What it is called in settings and commands: `matrix`, for example.")],
    into: Annotated[Path, typer.Option("--into", help="The folder to put its own folder into.")] = Path(),
) -> None:
    """Write a package for a chat app that Conch does not have: a working adapter, a pretend app, and their tests."""
    from conch import scaffold  # noqa: PLC0415 - only who wants it pays for the templates

    place = scaffold.write(name, into)
    typer.echo(f"{place} is written. Its tests pass already: run `pytest` there. Its README.md says what comes next.")


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(f"conch {version_of('conch')}")


app.command()(usage)


def _version_wanted(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def about(
    _: Annotated[
        bool, typer.Option("--version", callback=_version_wanted, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Before every command: `--version` stands without one."""


# ---- inside ----------------------------------------------------------------------------------------------------------


def main() -> None:
    """The program `conch`."""
    try:
        app()
    except UsageError as fault:
        _fail(fault, 2)
    except ConchError as fault:
        _fail(fault, 1)
    except Exception:  # noqa: BLE001 - the last place where a key could still be shown
        typer.echo(redact(traceback.format_exc()), err=True)
        typer.echo("That is a fault of Conch's own.", err=True)
        sys.exit(1)


def _fail(fault: ConchError, code: int) -> None:
    typer.echo(redact(str(fault)), err=True)
    sys.exit(code)


def _place(playground: bool) -> Home:
    place = folder(playground=playground)
    place.prepare()
    return place


def _with(loaded: Loaded, port: int | None, host: str | None) -> Loaded:
    """What the command line says wins over every setting."""
    given = {name: value for name, value in (("port", port), ("host", host)) if value is not None}
    return replace(loaded, settings=loaded.settings.model_copy(update=given))


def _serve(place: Home, loaded: Loaded, in_playground: bool) -> None:
    redactor = _set_up_logs(loaded)
    if loaded.fault is not None:
        typer.echo(f"{loaded.fault}\nConch starts with the last settings that worked instead.", err=True)
    with lock.hold(place, "conch serve", CLOCK, patience=1.0) as held:
        from conch import server  # noqa: PLC0415 - see the module's docstring

        run(
            server.serve(
                server.Start(
                    home=place,
                    settings=loaded.settings,
                    clock=CLOCK,
                    held=held,
                    say=typer.echo,
                    in_playground=in_playground,
                    remember=redactor.add,
                    on_started=lambda: _keep(place, loaded),
                )
            )
        )


def _keep(place: Home, loaded: Loaded) -> None:
    if loaded.fault is None:
        settings.keep_as_last_good(place, loaded)


def _set_up_logs(loaded: Loaded, *, quiet: bool = False) -> Redactor:
    """Logs go to standard error; a chat in the terminal shows only what is wrong."""
    chosen, redactor = loaded.settings, Redactor()
    if chosen.secret_key is not None:
        redactor.add(chosen.secret_key.get_secret_value())
    logs.configure("error" if quiet else chosen.log_level, chosen.log_format, redactor)
    for remark in loaded.remarks:
        typer.echo(remark, err=True)
    return redactor
