"""What the owner's pages in the browser need of the running program, beyond what commands do too."""

import asyncio
import uuid
from collections.abc import Sequence

from channels.console.commands import ConsoleCommands
from channels.console.commands import Parts as CommandParts
from channels.outbox import message_of
from channels.slack import manifest as slack
from channels.teams import manifest as teams
from conch import checks
from conch.admin import Admin
from conch.app import App
from conch.findings import Finding
from conch.levels import LevelsLook
from conch.skill_admin import SkillAdmin
from conch.verdicts import about_bot, about_everything
from core.errors import ConchError, UsageError
from core.files import FileStore
from core.own_commands import OwnCommands
from core.skills.folder import read
from core.skills.skill import Skill, SkillMode
from core.store.audit import Audit, Deed
from core.store.outbox import Letter, OutboxRows
from web.api.following import Followers
from web.api.parts import Parts
from web.console.backing import DeliveryView, FindingView, LevelView
from web.console.chats import Chats
from web.console.deleting import Deleting
from web.ways_back import WaysBack

MOST_WORDS = 200
"""Characters that are shown of a message that did not arrive."""


class Checkup:
    """Looks at everything, and does what is wanted with messages that did not arrive."""

    def __init__(self, app: App, admin: Admin, levels: LevelsLook) -> None:
        self._app = app
        self._admin = admin
        self._levels = levels
        self._letters = OutboxRows(app.database)

    async def findings(self) -> Sequence[FindingView]:
        """The data folder, the skills, and what is connected."""
        home = self._app.home
        here = await asyncio.to_thread(lambda: (*checks.about_folder(home), *checks.about_skills(home)))
        return tuple(map(_finding, (*here, *about_everything(await self._admin.diagnose()))))

    async def findings_of(self, channel: str) -> Sequence[FindingView]:
        """One bot alone."""
        return tuple(map(_finding, about_bot(await self._admin.diagnose_bot(channel), running=True)))

    async def levels(self) -> Sequence[LevelView]:
        """What waits at this moment."""
        now = await self._levels()
        pending = sum(count for (_, state), count in now.inbox.items() if state == "pending")
        on_the_way = sum(count for state, count in now.outbox.items() if state in ("pending", "sending"))
        return (
            LevelView(title="Answers being written", count=now.turns),
            LevelView(title="Messages waiting for their turn", count=now.queued or 0),
            LevelView(title="Updates from apps not seen through", count=pending),
            LevelView(title="Messages on their way out", count=on_the_way),
        )

    async def deliveries(self, most: int) -> Sequence[DeliveryView]:
        """What did not arrive for certain."""
        names = {each.id: f"@{each.username}" if each.username else each.name for each in await self._admin.channels()}
        return tuple([_delivery(each, names) for each in await self._letters.in_trouble(most)])

    async def resend(self, delivery: int) -> bool:
        """Send it again."""
        done = await self._app.outbox.resend(delivery)
        if done:
            await self._admin.doer.did(Deed.SENT_AGAIN, f"message {delivery}")
        return done

    async def drop(self, delivery: int) -> bool:
        """Leave it unsent for good."""
        done = await self._app.outbox.drop(delivery)
        if done:
            await self._admin.doer.did(Deed.LEFT_UNSENT, f"message {delivery}")
        return done


class Skills:
    """The skills as they are in the folder at this moment."""

    def __init__(self, app: App, admin: Admin) -> None:
        self._folder = app.home.skills
        self._settings = admin.settings

    async def list(self) -> Sequence[Skill]:
        """Every skill."""
        return await (await self._found()).list()

    async def use(self, name: str, mode: SkillMode) -> Skill:
        """Have it used so."""
        return await (await self._found()).use(name, mode)

    async def _found(self) -> SkillAdmin:
        return SkillAdmin(self._settings, await asyncio.to_thread(read, self._folder))


class Manifests:
    """What chat apps make their side of a bot from. `public` is our address as seen from outside."""

    def __init__(self, public: str | None) -> None:
        self._public = public

    @property
    def reached(self) -> bool:
        """Whether apps can bring messages."""
        return bool(self._public)

    def slack(self) -> str:
        """For an app that listens by itself."""
        return slack.as_text()

    def teams(self, app_id: str) -> bytes:
        """The package."""
        if not self._public:
            raise UsageError("Teams brings messages to public_url. Set it first; the package names it.")
        try:
            known = str(uuid.UUID(app_id.strip()))
        except ValueError as fault:
            raise UsageError("That is no Application (client) ID. Azure shows it under Overview.") from fault
        return teams.package(known, self._public)


class Backing:
    """All of it, for the running server."""

    def __init__(self, app: App, admin: Admin, levels: LevelsLook, public: str | None) -> None:
        self.checkup = Checkup(app, admin, levels)
        self.skills = Skills(app, admin)
        self.manifests = Manifests(public)
        self.activity = admin.doer.audit


def chats_of(app: App, parts: Parts, followers: Followers, ways_back: WaysBack) -> Chats:
    """What the pages of chats need."""
    own = OwnCommands(app.home.commands)
    commands = ConsoleCommands(
        CommandParts(
            database=app.database,
            conversations=app.conversations,
            preferences=app.preferences,
            catalogue=parts.catalogue,
            own=own,
            skills=app.skills,
            clock=app.clock,
        )
    )
    files = FileStore(app.home.files)
    return Chats(
        parts=parts,
        commands=commands,
        links=app.apps.links,
        skills=app.skills,
        database=app.database,
        followers=followers,
        own=own,
        ways_back=ways_back,
        files=files,
        deleting=Deleting(app.conversations, parts.log, files, app.clock, Audit(app.database)),
    )


def _finding(found: Finding) -> FindingView:
    return FindingView(subject=found.subject, verdict=found.verdict.value, said=found.said, todo=found.todo)


def _delivery(letter: Letter, names: dict[str, str]) -> DeliveryView:
    return DeliveryView(
        id=letter.id,
        bot=names.get(letter.channel_id, "a bot that is gone"),
        words=_words(letter),
        state=letter.state.value,
        why=letter.error,
        at=letter.posted_at,
    )


def _words(letter: Letter) -> str:
    """What it was to say; nothing where that cannot be read any more."""
    try:
        words = message_of(letter).fallback
    except (ConchError, ValueError):
        return ""
    return words if len(words) <= MOST_WORDS else f"{words[:MOST_WORDS]}…"
