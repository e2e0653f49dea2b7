"""The command line: what each command takes, and what it prints. What a command does is elsewhere.

The server and the chat are imported by the commands that run them: what they are made of takes a second to import, and
`conch --help` and a command to a running server should not take it.

Exit codes: 0 done; 1 it could not be done now, or Conch is at fault; 2 the words or the settings are off; 130 Ctrl-C.
"""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from importlib.metadata import version as version_of
from typing import Annotated, Any, TypeVar

import typer

from conch import home, lock, logs, printing, settings
from conch.access import administration
from conch.asking import pasted_secret
from conch.home import Home
from conch.settings import Loaded
from core.clock import SystemClock
from core.errors import ConchError, UsageError
from core.safety.redaction import Redactor, redact
from web.administration import Administration

if sys.platform != "win32":
    import uvloop

T = TypeVar("T")

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Conch: one assistant, reached from your chat apps and the browser.",
    epilog="Settings come from CONCH_… variables and conch.toml in the data folder (CONCH_HOME).",
)
channels_app = typer.Typer(no_args_is_help=True, help="The bots that you connected.")
people_app = typer.Typer(no_args_is_help=True, help="Who may talk to your bots.")
app.add_typer(channels_app, name="channels")
app.add_typer(people_app, name="people")
groups_app = typer.Typer(no_args_is_help=True, help="The groups that your bots answer in.")
app.add_typer(groups_app, name="groups")

ITS_BOT = "Which bot, by its username or id; not needed where there is only one."
Bot = Annotated[str | None, typer.Argument(help=ITS_BOT, metavar="[BOT]", show_default=False)]
OfBot = Annotated[str | None, typer.Option("--bot", help=ITS_BOT, show_default=False)]
PersonId = Annotated[str, typer.Argument(help="The app's own id of the person, as `conch people list` shows it.")]
GroupId = Annotated[str, typer.Argument(help="The app's own id of the group, as `conch groups list` shows it.")]
IDS_ARE_NUMBERS = {"ignore_unknown_options": True}
"""Telegram's groups have negative ones, which look like an option."""
InPlayground = Annotated[bool, typer.Option("--playground", help="A pretend Telegram in the browser, nothing real.")]
ForPlayground = Annotated[bool, typer.Option("--playground", help="For the playground's bot instead of your own.")]

HISTORY = (
    "Next time leave the key out: what is typed on a command line stays in the shell's history. Conch asks for it."
)

_clock = SystemClock()


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
    _set_up_logs(loaded, quiet=True)
    try:
        with lock.hold(place, "conch chat", _clock, patience=1.0):
            from conch import chat as terminal  # noqa: PLC0415 - see the module's docstring

            _run(terminal.chat(place, loaded.settings, _clock))
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
    typer.echo(_ask(_folder(playground), "conch console", lambda conch: conch.console_link()))


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="For programs: one JSON object.")] = False,
) -> None:
    """Look whether everything is as it should be, and say what to do. A server may run or not; 1 where it is not so."""
    logs.configure("error", "human", Redactor())
    from conch.doctor import examine  # noqa: PLC0415 - it looks into the database; see the module's docstring

    found = _run(examine(home.find(), _clock))
    typer.echo(redact(printing.checkup_json(found) if as_json else printing.checkup(found)))
    if printing.has_failed(found):
        raise typer.Exit(1)


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(f"conch {version_of('conch')}")


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


@channels_app.callback()
@people_app.callback()
@groups_app.callback()
def in_folder(context: typer.Context, playground: ForPlayground = False) -> None:
    """Before a command of these: the data folder that it is for."""
    context.obj = _folder(playground)


# ---- bots ------------------------------------------------------------------------------------------------------------


@channels_app.command("add")
def add_channel(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(help="The chat app: telegram.", metavar="APP")],
    key: Annotated[
        str | None,
        typer.Argument(help="The key, or a message with it. Better left out: Conch asks for it.", show_default=False),
    ] = None,
) -> None:
    """Connect a bot, or give a connected one its new key."""
    if key is not None:
        typer.echo(HISTORY, err=True)
    pasted = key or pasted_secret("Paste the bot's key, or the whole message with it (it is not shown): ")
    view = _ask(context.obj, "conch channels add", lambda conch: conch.add_channel(kind, pasted))
    typer.echo(printing.connected(view, running=view.channel.state is not None))


@channels_app.command("link")
def link_channel(context: typer.Context, bot: Bot = None) -> None:
    """Make a link that lets its user in, once, within ten minutes."""
    typer.echo(printing.hello(_ask(context.obj, "conch channels link", lambda conch: conch.link_channel(bot))))


@channels_app.command("list")
def list_channels(
    context: typer.Context,
) -> None:
    """Show the connected bots and how they are doing."""
    typer.echo(printing.channels(_ask(context.obj, "conch channels list", lambda conch: conch.channels())))


@channels_app.command("on")
def channel_on(context: typer.Context, bot: Bot = None) -> None:
    """Turn a bot on."""
    view = _ask(context.obj, "conch channels on", lambda conch: conch.switch_channel(bot, True))
    typer.echo(f"{printing.called(view)} is on.")


@channels_app.command("off")
def channel_off(context: typer.Context, bot: Bot = None) -> None:
    """Turn a bot off. What waits to be sent stays stored."""
    view = _ask(context.obj, "conch channels off", lambda conch: conch.switch_channel(bot, False))
    typer.echo(f"{printing.called(view)} is off.")


@channels_app.command("remove")
def remove_channel(
    context: typer.Context,
    bot: Annotated[str, typer.Argument(help="Which bot, by its username or id.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """Forget a bot, its key and the people it knows. Conversations stay."""
    if not yes:
        known = _ask(context.obj, "conch channels remove", lambda conch: conch.people(bot))
        typer.confirm(f"Forget {bot}, its key and its people ({len(known.people)})?", abort=True, err=True)
    view = _ask(context.obj, "conch channels remove", lambda conch: conch.remove_channel(bot))
    typer.echo(f"{printing.called(view)} is forgotten.")


# ---- people ----------------------------------------------------------------------------------------------------------


@people_app.command("list")
def list_people(context: typer.Context, bot: OfBot = None) -> None:
    """Show who is let in, who is blocked and who asks."""
    typer.echo(printing.people(_ask(context.obj, "conch people list", lambda conch: conch.people(bot))))


@people_app.command("let-in")
def let_in(context: typer.Context, person: PersonId, bot: OfBot = None) -> None:
    """Let someone in who wrote to a bot. The first one owns it."""
    view = _ask(context.obj, "conch people let-in", lambda conch: conch.let_in(person, bot))
    role = "owns" if view.role == "owner" else "may talk to"
    typer.echo(f"{printing.named(view)} {role} {printing.called(view.channel)} now.")


@people_app.command("block")
def block(context: typer.Context, person: PersonId, bot: OfBot = None) -> None:
    """Never hear of someone again."""
    view = _ask(context.obj, "conch people block", lambda conch: conch.block(person, bot))
    typer.echo(f"{printing.named(view)} is blocked.")


@people_app.command("remove")
def remove_person(context: typer.Context, person: PersonId, bot: OfBot = None) -> None:
    """Take back what someone was allowed; a blocked one may ask again."""
    view = _ask(context.obj, "conch people remove", lambda conch: conch.remove_person(person, bot))
    typer.echo(f"{printing.named(view)} is a stranger to {printing.called(view.channel)} now.")


# ---- groups ----------------------------------------------------------------------------------------------------------


@groups_app.command("list")
def list_groups(context: typer.Context, bot: OfBot = None) -> None:
    """Show the groups that your bots are in, and where they answer."""
    typer.echo(printing.groups(_ask(context.obj, "conch groups list", lambda conch: conch.groups(bot))))


@groups_app.command("on", context_settings=IDS_ARE_NUMBERS)
def group_on(context: typer.Context, group: GroupId, bot: OfBot = None) -> None:
    """Answer in a group, when somebody there mentions the bot or replies to it."""
    typer.echo(
        printing.switched(_ask(context.obj, "conch groups on", lambda conch: conch.switch_group(group, bot, True)))
    )


@groups_app.command("off", context_settings=IDS_ARE_NUMBERS)
def group_off(context: typer.Context, group: GroupId, bot: OfBot = None) -> None:
    """Do not answer in a group any more."""
    typer.echo(
        printing.switched(_ask(context.obj, "conch groups off", lambda conch: conch.switch_group(group, bot, False)))
    )


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


def _folder(playground: bool) -> Home:
    return home.find().playground if playground else home.find()


def _place(playground: bool) -> Home:
    place = _folder(playground)
    place.prepare()
    return place


def _with(loaded: Loaded, port: int | None, host: str | None) -> Loaded:
    """What the command line says wins over every setting."""
    given = {name: value for name, value in (("port", port), ("host", host)) if value is not None}
    return replace(loaded, settings=loaded.settings.model_copy(update=given))


def _serve(place: Home, loaded: Loaded, in_playground: bool) -> None:
    _set_up_logs(loaded)
    if loaded.fault is not None:
        typer.echo(f"{loaded.fault}\nConch starts with the last settings that worked instead.", err=True)
    with lock.hold(place, "conch serve", _clock, patience=1.0) as held:
        from conch import server  # noqa: PLC0415 - see the module's docstring

        _run(
            server.serve(
                server.Start(
                    home=place,
                    settings=loaded.settings,
                    clock=_clock,
                    held=held,
                    say=typer.echo,
                    in_playground=in_playground,
                    on_started=lambda: _keep(place, loaded),
                )
            )
        )


def _keep(place: Home, loaded: Loaded) -> None:
    if loaded.fault is None:
        settings.keep_as_last_good(place, loaded)


def _set_up_logs(loaded: Loaded, *, quiet: bool = False) -> None:
    """Logs go to standard error; a chat in the terminal shows only what is wrong."""
    chosen, redactor = loaded.settings, Redactor()
    if chosen.secret_key is not None:
        redactor.add(chosen.secret_key.get_secret_value())
    logs.configure("error" if quiet else chosen.log_level, chosen.log_format, redactor)
    for remark in loaded.remarks:
        typer.echo(remark, err=True)


def _ask(place: Home, program: str, ask: Callable[[Administration], Awaitable[T]]) -> T:
    """One of the owner's commands, done by the running server or over the data folder."""
    logs.configure("error", "human", Redactor())

    async def do() -> T:
        async with administration(place, program, _clock) as conch:
            return await ask(conch)

    return _run(do())


def _run(work: Coroutine[Any, Any, T]) -> T:
    factory = uvloop.new_event_loop if sys.platform != "win32" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)
