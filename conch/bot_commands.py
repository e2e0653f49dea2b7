"""The commands about bots: which are connected, who may talk to them, in which groups they answer."""

import uuid
from pathlib import Path
from typing import Annotated

import typer

from conch import printing, settings
from conch.asking import pasted_secret
from conch.commanding import HISTORY, ask, in_folder
from core.errors import UsageError

channels_app = typer.Typer(no_args_is_help=True, callback=in_folder, help="The bots that you connected.")
people_app = typer.Typer(no_args_is_help=True, callback=in_folder, help="Who may talk to your bots.")
groups_app = typer.Typer(no_args_is_help=True, callback=in_folder, help="The groups that your bots answer in.")

ITS_BOT = "Which bot, by its username or id; not needed where there is only one."
Bot = Annotated[str | None, typer.Argument(help=ITS_BOT, metavar="[BOT]", show_default=False)]
OfBot = Annotated[str | None, typer.Option("--bot", help=ITS_BOT, show_default=False)]
PersonId = Annotated[str, typer.Argument(help="The app's own id of the person, as `conch people list` shows it.")]
GroupId = Annotated[str, typer.Argument(help="The app's own id of the group, as `conch groups list` shows it.")]
IDS_ARE_NUMBERS = {"ignore_unknown_options": True}
"""Telegram's groups have negative ones, which look like an option."""

PROMPT = "Paste the bot's key, or the whole message with it (it is not shown): "
PROMPTS = {
    "slack": (
        "Paste the bot's key, which begins with xoxb- (it is not shown): ",
        "Now the app's key, which begins with xapp-, or the signing secret: ",
    ),
    "teams": (
        "Paste the app's Application (client) ID (it is not shown): ",
        "Now its Directory (tenant) ID: ",
        "Now the Value of a client secret: ",
    ),
}
"""Apps that give a bot's keys in different places."""


# ---- bots ------------------------------------------------------------------------------------------------------------


@channels_app.command("add")
def add_channel(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(help="The chat app: telegram, discord, slack or teams.", metavar="APP")],
    key: Annotated[
        str | None,
        typer.Argument(help="The key, or a message with it. Better left out: Conch asks for it.", show_default=False),
    ] = None,
) -> None:
    """Connect a bot, or give a connected one its new key."""
    if key is not None:
        typer.echo(HISTORY, err=True)
    pasted = key or "\n".join(pasted_secret(prompt) for prompt in PROMPTS.get(kind, (PROMPT,)))
    view = ask(context.obj, "conch channels add", lambda conch: conch.add_channel(kind, pasted))
    typer.echo(printing.connected(view, running=view.channel.state is not None))


@channels_app.command("manifest")
def print_manifest(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(help="The chat app: slack or teams.", metavar="APP")] = "slack",
    bot: Annotated[
        str | None,
        typer.Argument(
            help="Slack: a connected bot, to have Slack bring its messages to public_url. "
            "Teams: the Application (client) ID of the bot.",
            metavar="[BOT]",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Teams: the file to write.")] = Path("conch-teams.zip"),
) -> None:
    """Make what an app is made from: for Slack a manifest to paste, for Teams a package to upload."""
    # Only who wants it pays for the imports.
    from channels.slack import manifest as slack  # noqa: PLC0415 - see above
    from channels.teams import manifest as teams  # noqa: PLC0415 - see above

    if kind == "teams":
        out.write_bytes(teams.package(*_of_teams(context, bot)))
        typer.echo(f"{out} is written. Upload it in Teams under Apps → Manage your apps → Upload an app.")
    elif kind == "slack":
        typer.echo(slack.as_text(_address_of(context, bot) if bot is not None else None))
    else:
        raise UsageError("Only Slack and Teams need a manifest: run `conch channels manifest slack`, or `… teams ID`.")


def _of_teams(context: typer.Context, bot: str | None) -> tuple[str, str]:
    """The bot's id and our address, which the package names."""
    try:
        app_id = str(uuid.UUID(bot))
    except (TypeError, ValueError) as fault:
        words = "Give the bot's Application (client) ID: `conch channels manifest teams ID`."
        raise UsageError(words) from fault
    base = settings.load(context.obj).settings.public_url
    if not base:
        raise UsageError("Teams brings messages to public_url. Set it first; the package names it.")
    return app_id, base


def _address_of(context: typer.Context, bot: str) -> str:
    """Where Slack brings the messages of a connected bot."""
    base = settings.load(context.obj).settings.public_url
    if not base:
        raise UsageError("Slack brings messages to public_url only. Set it, or leave the bot's name out.")
    known = ask(context.obj, "conch channels manifest", lambda conch: conch.channels())
    wanted = bot.removeprefix("@").lower()
    found = [view for view in known if view.kind == "slack" and wanted in (view.id, (view.username or "").lower())]
    if not found:
        raise UsageError(f"No Slack bot “{bot}” is connected. `conch channels list` shows those that are.")
    return f"{base.rstrip('/')}/channels/slack/{found[0].id}"


@channels_app.command("link")
def link_channel(context: typer.Context, bot: Bot = None) -> None:
    """Make a link that lets its user in, once, within ten minutes."""
    typer.echo(printing.hello(ask(context.obj, "conch channels link", lambda conch: conch.link_channel(bot))))


@channels_app.command("list")
def list_channels(
    context: typer.Context,
) -> None:
    """Show the connected bots and how they are doing."""
    typer.echo(printing.channels(ask(context.obj, "conch channels list", lambda conch: conch.channels())))


@channels_app.command("on")
def channel_on(context: typer.Context, bot: Bot = None) -> None:
    """Turn a bot on."""
    view = ask(context.obj, "conch channels on", lambda conch: conch.switch_channel(bot, True))
    typer.echo(f"{printing.called(view)} is on.")


@channels_app.command("off")
def channel_off(context: typer.Context, bot: Bot = None) -> None:
    """Turn a bot off. What waits to be sent stays stored."""
    view = ask(context.obj, "conch channels off", lambda conch: conch.switch_channel(bot, False))
    typer.echo(f"{printing.called(view)} is off.")


@channels_app.command("remove")
def remove_channel(
    context: typer.Context,
    bot: Annotated[str, typer.Argument(help="Which bot, by its username or id.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
) -> None:
    """Forget a bot, its key and the people it knows. Conversations stay."""
    if not yes:
        known = ask(context.obj, "conch channels remove", lambda conch: conch.people(bot))
        typer.confirm(f"Forget {bot}, its key and its people ({len(known.people)})?", abort=True, err=True)
    view = ask(context.obj, "conch channels remove", lambda conch: conch.remove_channel(bot))
    typer.echo(f"{printing.called(view)} is forgotten.")


# ---- people ----------------------------------------------------------------------------------------------------------


@people_app.command("list")
def list_people(context: typer.Context, bot: OfBot = None) -> None:
    """Show who is let in, who is blocked and who asks."""
    typer.echo(printing.people(ask(context.obj, "conch people list", lambda conch: conch.people(bot))))


@people_app.command("let-in")
def let_in(context: typer.Context, person: PersonId, bot: OfBot = None) -> None:
    """Let someone in who wrote to a bot. The first one owns it."""
    view = ask(context.obj, "conch people let-in", lambda conch: conch.let_in(person, bot))
    role = "owns" if view.role == "owner" else "may talk to"
    typer.echo(f"{printing.named(view)} {role} {printing.called(view.channel)} now.")


@people_app.command("block")
def block(context: typer.Context, person: PersonId, bot: OfBot = None) -> None:
    """Never hear of someone again."""
    view = ask(context.obj, "conch people block", lambda conch: conch.block(person, bot))
    typer.echo(f"{printing.named(view)} is blocked.")


@people_app.command("remove")
def remove_person(context: typer.Context, person: PersonId, bot: OfBot = None) -> None:
    """Take back what someone was allowed; a blocked one may ask again."""
    view = ask(context.obj, "conch people remove", lambda conch: conch.remove_person(person, bot))
    typer.echo(f"{printing.named(view)} is a stranger to {printing.called(view.channel)} now.")


# ---- groups ----------------------------------------------------------------------------------------------------------


@groups_app.command("list")
def list_groups(context: typer.Context, bot: OfBot = None) -> None:
    """Show the groups that your bots are in, and where they answer."""
    typer.echo(printing.groups(ask(context.obj, "conch groups list", lambda conch: conch.groups(bot))))


@groups_app.command("on", context_settings=IDS_ARE_NUMBERS)
def group_on(context: typer.Context, group: GroupId, bot: OfBot = None) -> None:
    """Answer in a group, when somebody there mentions the bot or replies to it."""
    typer.echo(
        printing.switched(ask(context.obj, "conch groups on", lambda conch: conch.switch_group(group, bot, True)))
    )


@groups_app.command("off", context_settings=IDS_ARE_NUMBERS)
def group_off(context: typer.Context, group: GroupId, bot: OfBot = None) -> None:
    """Do not answer in a group any more."""
    typer.echo(
        printing.switched(ask(context.obj, "conch groups off", lambda conch: conch.switch_group(group, bot, False)))
    )
