"""What the commands about apps print."""

from collections.abc import Sequence

from conch.printing import table
from core.apps.links import ON_THIS_MACHINE
from web.apps import AppLinkView, AppView


def apps(found: Sequence[AppView]) -> str:
    """Which there are, and which are connected."""
    rows = [(each.id, each.name, _state(each)) for each in found]
    return table(("ID", "NAME", "CONNECTED"), rows)


def link(made: AppLinkView) -> str:
    """Where to sign in."""
    where = ON_THIS_MACHINE if made.local else "Open it in any browser."
    return f"Sign in with {made.app.name} here:\n\n  {made.link}\n\n{where} It works once, for ten minutes."


def disconnected(app: AppView) -> str:
    """What is so now."""
    return f"{app.name} is disconnected: its keys are forgotten. What it brought into chats stays there."


def _state(app: AppView) -> str:
    if app.connected_at is None:
        return "no"
    return f"yes, as {app.account}, since {app.connected_at.astimezone():%Y-%m-%d}"
