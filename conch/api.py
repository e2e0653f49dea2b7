"""What the JSON API is given of the running program."""

from conch.admin import Admin
from conch.app import App
from core.engines.catalogue import Catalogue
from core.store.log import EventLog
from web.api.parts import Parts


def parts_of(app: App, admin: Admin) -> Parts:
    """Everything that its routes use."""
    return Parts(
        conversations=app.conversations,
        log=EventLog(app.database),
        feed=app.feed,
        preferences=app.preferences,
        engines=app.engines,
        catalogue=Catalogue(app.engines),
        administration=admin,
        clock=app.clock,
        audit=admin.doer.audit,
    )
