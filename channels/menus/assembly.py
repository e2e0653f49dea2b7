"""Puts together what commands and menus about answers share, so that the service need not know its parts."""

from dataclasses import dataclass

from channels.arrivals import Arrivals
from channels.commands.answers import Answers
from channels.commands.options import ChatOptions
from channels.commands.status import OffersAnew, StatusLines
from channels.menus.desk import MenuDesk
from channels.menus.editing import MenuEdits
from channels.seating import Seating
from core.clock import Clock
from core.conversations import Conversations
from core.engines.catalogue import Catalogue
from core.preferences import Preferences
from core.store.database import Database
from core.store.usage import UsageRows


@dataclass(frozen=True, slots=True)
class Choosing:
    """What there is to choose how chats are answered, as the program has it; the same for every channel."""

    catalogue: Catalogue
    preferences: Preferences
    edits: MenuEdits


def assembled(
    choosing: Choosing,
    *,
    database: Database,
    conversations: Conversations,
    seating: Seating,
    arrivals: Arrivals,
    offers: OffersAnew,
    clock: Clock,
) -> tuple[Answers, MenuDesk]:
    """The parts of the commands, and the desk that claims presses and hears words."""
    catalogue, preferences = choosing.catalogue, choosing.preferences
    options = ChatOptions(conversations=conversations, seating=seating, arrivals=arrivals, preferences=preferences)
    status = StatusLines(
        database=database,
        conversations=conversations,
        seating=seating,
        arrivals=arrivals,
        options=options,
        catalogue=catalogue,
    )
    desk = MenuDesk(
        database=database,
        options=options,
        catalogue=catalogue,
        preferences=preferences,
        status=status.of,
        edits=choosing.edits,
        clock=clock,
    )
    return Answers(options, catalogue, desk, preferences, UsageRows(database), clock.now, offers), desk
