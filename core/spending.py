"""What may still be used today, and a word to the owner when much of it is gone.

The figures are in `core.store.usage`, what they mean in `core.budget`. What turns use is counted while they run as
well, so that many at the same moment do not each take the rest of a day.
"""

from datetime import datetime, time, timedelta

import structlog

from core import problems
from core.budget import MILESTONES, Allowed, Budget, Milestone, allowed, budgets, milestones
from core.events import Address, ChatKind, Origin
from core.preferences import Preferences
from core.spent import NOTHING, Spent
from core.store.database import Database
from core.store.log import Append
from core.store.owners import owner_chat
from core.store.people import People
from core.store.usage import UsageRows

_log = structlog.get_logger(__name__)


class Spending:
    """Keeps turns within the budgets; one for all conversations."""

    def __init__(self, database: Database, preferences: Preferences) -> None:
        self._database = database
        self._usage = UsageRows(database)
        self._people = People(database)
        self._preferences = preferences
        self._running: dict[object, Spent] = {}

    def note(self, turn: object, used: Spent) -> None:
        """A running turn used so much, none of which is stored yet."""
        self._running[turn] = used

    def forget(self, turn: object) -> None:
        """What it used is stored, or was nothing."""
        self._running.pop(turn, None)

    async def allowed(self, turn: Spent = NOTHING) -> Allowed | Budget:
        """What a turn may use that used `turn` already; the budget, where nothing is left of one.

        Raises:
            StoreUnavailable: nobody knows now.
        """
        settings = self._preferences.current
        if not budgets(settings):
            return Allowed()
        today = sum(self._running.values(), await self._usage.today())
        return allowed(settings, today, turn)

    async def look(self, conversation_id: str, origin: Origin) -> None:
        """Tell the owner, once a day each, when half and when most of a day's budget is used: where `origin` is their
        own, in that conversation. Never raises: what was used stands, and the next one looks again.
        """
        try:
            await self._look(conversation_id, origin)
        except Exception:  # noqa: BLE001 - as above
            _log.exception("nobody could be told how much is used")

    async def _look(self, conversation_id: str, origin: Origin) -> None:
        settings = self._preferences.current
        if any(budget.span == "day" for budget in budgets(settings)):
            for reached in milestones(settings, await self._usage.today()):
                if await self._is_news(reached):
                    await self._tell(reached, conversation_id, origin)

    async def _is_news(self, reached: Milestone) -> bool:
        """Not told yet today (UTC). Who hears of most of it need not hear of half of it later."""
        now = self._database.now()
        yesterday = datetime.combine(now, time(), now.tzinfo) - timedelta(milliseconds=1)
        news = False
        for percent in MILESTONES:
            if percent <= reached.percent:
                news = await self._people.tell("", "", f"{reached.budget.setting} {percent}", yesterday)
        return news

    async def _tell(self, reached: Milestone, conversation_id: str, origin: Origin) -> None:
        _log.warning("much of a budget is used", budget=reached.budget.setting, percent=reached.percent)
        here = (conversation_id, origin.address) if _is_owners_own(origin) else None
        where: tuple[str, Address | None] | None = here or await owner_chat(self._database)
        if where is not None:
            to, address = where
            aside = address.model_copy(update={"reply_to": None}) if address else None
            await self._database.commit(Append(to, (problems.milestone(reached, aside),)))


def _is_owners_own(origin: Origin) -> bool:
    """Whether nobody else reads along: their private chat, or where no chat app is."""
    if origin.address is None:
        return origin.kind in ("console", "api")
    return origin.role == "owner" and origin.address.chat_kind is ChatKind.PRIVATE
