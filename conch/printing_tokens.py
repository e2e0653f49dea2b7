"""What the commands about tokens of the API print."""

from collections.abc import Sequence

from conch.printing import moment, table
from web.tokens import NewTokenView, TokenView

NO_TOKENS = "There is no token yet. Make one with `conch tokens add NAME`."

_SCOPES = {"read": "looks only", "full": "everything"}


def made(view: NewTokenView) -> str:
    """The new token and how it is used."""
    may = "look at everything and change nothing" if view.made.scope == "read" else "do everything that you may"
    return (
        f"This is the token “{view.made.name}”. It is shown this once, so keep it now:\n"
        f"  {view.token.get_secret_value()}\n"
        f"Whoever has it may {may} through the API. Send it as `Authorization: Bearer …`; "
        f"`conch tokens revoke` takes it back."
    )


def tokens(views: Sequence[TokenView]) -> str:
    """Which there are."""
    if not views:
        return NO_TOKENS
    rows = [
        (view.name, _SCOPES[view.scope], moment(view.created_at), moment(view.last_used) if view.last_used else "never")
        for view in views
    ]
    return table(("TOKEN", "MAY", "MADE", "LAST USED"), rows)
