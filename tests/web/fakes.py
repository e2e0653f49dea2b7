"""Stand-ins for what the web side is given: the owner's commands, and a pretend app."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pydantic import SecretStr

from core.errors import NotFound, UsageError
from core.skills.skill import Skill, SkillMode
from core.store.audit import AuditLine, Deed
from web.administration import ChannelView, ConnectedView, GroupView, HelloView, PeopleView, PersonView, RequestView
from web.apps import AppLinkView, AppView
from web.console.backing import DeliveryView, FindingView, LevelView
from web.diagnosis import Answer, AppSays, BotFacts, Diagnosis
from web.engines import AddedView, EnginesView, EngineView, ModelsView, ModelView, NewEngine, RemovedView, TrialView
from web.phones import Abilities, Breakage, Content, ScreenEvent, Spot
from web.preferences import BudgetView, SettingView, UsageView, UsedView
from web.tokens import NewTokenView, TokenView

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SHELL = ChannelView(
    id="c1", kind="telegram", name="Shell <b>", username="shell_bot", enabled=True, state="online", last_event=NOON
)
PNG = Content("shell.png", "image/png", b"\x89PNG")
PAGE = Content("page.html", "text/html", b"<script>alert(1)</script>")


DEMO = EngineView(
    id="demo", title="Demo", standing="built-in", source="built in", state="ready", is_default=True, models=0
)
MODELS = ModelsView(engine="openai", title="OpenAI", models=(ModelView(id="gpt-6", title="GPT-6", window=400_000),))
VOICE = SettingView(name="voice", value="kind", source="changed", fixed=False, description="How the assistant speaks")
ENGINE = EngineView(
    id="openai",
    title="OpenAI",
    standing="connected",
    source="connected by you",
    state="ready",
    is_default=True,
    model="gpt-6",
    models=1,
)
REMOVED = RemovedView(id="openai", title="OpenAI", answers="Demo")
TRIAL = TrialView(engine="openai", title="OpenAI", model="gpt-6", answer="Yes.", seconds=0.4, input=20, output=2)
USAGE = UsageView(
    today=NOON.date(),
    used=(
        UsedView(
            day=NOON.date(),
            engine="openai",
            model="gpt-6",
            turns=2,
            unpriced=0,
            input=1_000,
            output=50,
            cached=800,
            cost=0.5,
        ),
    ),
    budget=BudgetView(day_cost=5),
)


SKILL = Skill(id="tidy", title="Tidy <up>", description="Puts things away", body="Be <i>neat</i>.", mode="when-asked")
CALENDAR = AppView(id="demo-calendar", name="Demo Calendar")
LAPTOP = TokenView(name="laptop", scope="full", created_at=NOON)
NEW_TOKEN = NewTokenView(token=SecretStr("conch_told-once"), made=LAPTOP)


REQUEST = RequestView(channel=SHELL, person_id="78", name="Eve", username=None, preview="Let me in", at=NOON)


class FakeEngines:
    """One engine."""

    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note

    async def list(self) -> EnginesView:
        self._note("engines")
        return EnginesView(engines=(ENGINE,))

    async def add(self, new: NewEngine) -> AddedView:
        self._note("add engine", new.kind, new.pasted.get_secret_value() if new.pasted else None, new.url, new.name)
        return AddedView(engine=ENGINE, updated=False)

    async def remove(self, engine: str) -> RemovedView:
        self._note("remove engine", engine)
        return REMOVED

    async def models(self, engine: str | None) -> Sequence[ModelsView]:
        self._note("models", engine)
        return (MODELS,)

    async def make_default(self, engine: str, model: str | None) -> EngineView:
        self._note("default", engine, model)
        return ENGINE

    async def make_fallback(self, engine: str | None) -> EngineView | None:
        self._note("fallback", engine)
        return ENGINE if engine else None

    async def test(self, engine: str) -> TrialView:
        self._note("test", engine)
        return TRIAL


class FakeSettings:
    """One setting."""

    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note

    async def list(self) -> Sequence[SettingView]:
        self._note("settings")
        return (VOICE,)

    async def set(self, name: str, value: str) -> SettingView:
        self._note("set", name, value)
        return VOICE

    async def unset(self, name: str) -> SettingView:
        self._note("unset", name)
        return VOICE


class FakeTokens:
    """One token."""

    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note

    async def list(self) -> Sequence[TokenView]:
        self._note("tokens")
        return (LAPTOP,)

    async def add(self, name: str, read_only: bool) -> NewTokenView:
        self._note("add token", name, read_only)
        return NEW_TOKEN

    async def revoke(self, name: str) -> TokenView:
        self._note("revoke token", name)
        return LAPTOP


class FakeApps:
    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note

    async def list(self) -> Sequence[AppView]:
        self._note("apps")
        return (CALENDAR,)

    async def connect(self, app_id: str) -> AppLinkView:
        self._note("connect app", app_id)
        return AppLinkView(app=CALENDAR, link="http://127.0.0.1:7654/connect/x", local=True)

    async def disconnect(self, app_id: str) -> AppView:
        self._note("disconnect app", app_id)
        return CALENDAR


class FakeAdministration:
    """One bot and one person. `error` is raised by whatever is asked next."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.error: Exception | None = None
        self.engines = FakeEngines(self._note)
        self.settings = FakeSettings(self._note)
        self.tokens = FakeTokens(self._note)
        self.apps = FakeApps(self._note)

    def _note(self, *ask: object) -> None:
        self.asked.append(ask)
        if self.error is not None:
            raise self.error

    async def channels(self) -> Sequence[ChannelView]:
        self._note("channels")
        return (SHELL,)

    async def add_channel(self, kind: str, pasted: str) -> ConnectedView:
        self._note("add", kind, pasted)
        return ConnectedView(channel=SHELL, updated=False, hello=hello())

    async def link_channel(self, channel: str | None) -> HelloView:
        self._note("link", channel)
        return hello()

    async def switch_channel(self, channel: str | None, on: bool) -> ChannelView:
        self._note("switch", channel, on)
        return SHELL.model_copy(update={"enabled": on})

    async def remove_channel(self, channel: str) -> ChannelView:
        self._note("remove", channel)
        return SHELL

    async def people(self, channel: str | None) -> PeopleView:
        self._note("people", channel)
        return PeopleView(people=(person("owner"),), requests=(REQUEST,))

    async def let_in(self, person_id: str, channel: str | None) -> PersonView:
        self._note("let in", person_id, channel)
        return person("person")

    async def block(self, person_id: str, channel: str | None) -> PersonView:
        self._note("block", person_id, channel)
        return person("blocked")

    async def remove_person(self, person_id: str, channel: str | None) -> PersonView:
        self._note("remove person", person_id, channel)
        return person("person")

    async def groups(self, channel: str | None) -> Sequence[GroupView]:
        self._note("groups", channel)
        return (group(on=False),)

    async def switch_group(self, group_id: str, channel: str | None, on: bool) -> GroupView:
        self._note("switch group", group_id, channel, on)
        return group(on=on)

    async def usage(self, days: int) -> UsageView:
        self._note("usage", days)
        return USAGE

    async def diagnose(self) -> Diagnosis:
        self._note("diagnose")
        return diagnosis()

    async def console_link(self) -> str:
        self._note("console link")
        return "http://127.0.0.1:7654/?token=new"


def diagnosis(**bot: Any) -> Diagnosis:
    """All is well in a running server, but for what is said of its bot."""
    facts = {"name": "@shell_bot", "kind": "telegram", "enabled": True, "state": "online", "since": NOON}
    says = AppSays(answer=Answer.WORKS, clock_ahead=0.2, waiting=0)
    return Diagnosis(
        running=True,
        can_store=True,
        bots=(BotFacts(**{**facts, "app": says, **bot}),),
        engines=(DEMO,),
        unsent={"pending": 0},
    )


def hello() -> HelloView:
    return HelloView(channel=SHELL, link="https://t.me/shell_bot?start=code", expires_at=NOON)


def person(role: str) -> PersonView:
    return PersonView(channel=SHELL, id="77", name="Ada", username="ada", role=role, since=NOON, last_seen=None)


def group(*, on: bool) -> GroupView:
    return GroupView(channel=SHELL, id="-1001", title="Team \x1b[2J", on=on, last_heard=NOON)


class FakePretendApp:
    """Remembers what was done to it; `happens` puts something into the stream."""

    name, title = "shell", "Shell"
    abilities = Abilities(replies="quote", writes_to="@Shell")
    breakages = (Breakage("flood", "Flood", "Telegram says: too many requests"),)

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []
        self.error: Exception | None = None
        self._stream: asyncio.Queue[ScreenEvent] = asyncio.Queue()
        self.asked_after: int | None = None

    def happens(self, number: int, **data: object) -> None:
        self._stream.put_nowait(ScreenEvent(number, data))

    async def state(self) -> Mapping[str, Any]:
        self._do("look")
        return {"after": 0, "bot": {"name": "Shell"}, "people": [], "places": [], "screens": {}, "faults": []}

    async def events(self, after: int) -> AsyncIterator[ScreenEvent]:
        self.asked_after = after
        while True:
            yield await self._stream.get()

    def _do(self, *what: object) -> None:
        if self.error is not None:
            raise self.error
        self.done.append(what)

    async def say(self, spot: Spot, text: str) -> None:
        self._do("say", spot, text)

    async def reply(self, spot: Spot, message: str, text: str) -> None:
        self._do("reply", spot, message, text)

    async def edit(self, spot: Spot, message: str, text: str) -> None:
        self._do("edit", spot, message, text)

    async def like(self, spot: Spot, message: str, *, on: bool) -> None:
        self._do("like", spot, message, on)

    async def forward(self, spot: Spot, text: str, of: str) -> None:
        self._do("forward", spot, text, of)

    async def press(self, spot: Spot, message: str, labels: Sequence[str]) -> Mapping[str, Any]:
        self._do("press", spot, message, labels)
        return {"line": "Done", "form": None, "errors": {}}

    async def fill_in(self, spot: Spot, form: str, values: Mapping[str, str | Sequence[str]]) -> Mapping[str, Any]:
        self._do("fill in", spot, form, values)
        return {"line": "", "form": None, "errors": {"Day": "No such day."}}

    async def attach(self, spot: Spot, file: Content, caption: str) -> None:
        self._do("attach", spot, file, caption)

    async def file(self, file_id: str) -> Content:
        if file_id == "picture":
            return PNG
        if file_id == "page":
            return PAGE
        raise NotFound("There is no such file.")

    async def break_(self, name: str) -> None:
        if name != "flood":
            raise UsageError(f"There is no breakage {name!r}.")
        self._do("break", name)

    async def mend(self) -> None:
        self._do("mend")


class FakeCheckup:
    """One finding of each kind and one delivery in trouble."""

    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note
        self.in_trouble = True

    async def findings(self) -> Sequence[FindingView]:
        self._note("findings")
        return (
            FindingView(subject="Clock", verdict="ok", said="Right, by the apps' own."),
            FindingView(subject="Bot @shell_bot", verdict="fail", said="Its key <b> works no more.", todo="Run `x`."),
            FindingView(subject="Engines", verdict="warn", said="No engine “x”.", todo="Choose another."),
        )

    async def findings_of(self, channel: str) -> Sequence[FindingView]:
        self._note("findings of", channel)
        return (FindingView(subject="Bot @shell_bot", verdict="ok", said="Online since noon."),)

    async def levels(self) -> Sequence[LevelView]:
        return (LevelView(title="Answers being written", count=2),)

    async def deliveries(self, most: int) -> Sequence[DeliveryView]:
        self._note("deliveries", most)
        words = "Hello <script>alert(1)</script>"
        found = DeliveryView(id=7, bot="@shell_bot", words=words, state="unknown", why="no <receipt>", at=NOON)
        return (found,) if self.in_trouble else ()

    async def resend(self, delivery: int) -> bool:
        self._note("resend", delivery)
        return self.in_trouble

    async def drop(self, delivery: int) -> bool:
        self._note("drop", delivery)
        return self.in_trouble


class FakeSkills:
    """One skill."""

    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note

    async def list(self) -> Sequence[Skill]:
        return (SKILL,)

    async def use(self, name: str, mode: SkillMode) -> Skill:
        self._note("use skill", name, mode)
        return replace(SKILL, mode=mode)


class FakeManifests:
    """What apps are made from; `reached` can be taken away."""

    def __init__(self) -> None:
        self.reached = True

    def slack(self) -> str:
        return '{"display_information": {"name": "Conch"}}'

    def teams(self, app_id: str) -> bytes:
        if app_id != "known":
            raise UsageError("That is no Application (client) ID.")
        return b"PK"


class FakeActivity:
    """As many lines as are wanted, each minute one, the newest first."""

    def __init__(self) -> None:
        self.lines: Sequence[AuditLine] = (AuditLine(1, NOON, Deed.LET_IN, "The terminal", "Ada", "127.0.0.1"),)

    async def page(self, most: int, before: int | None = None, what: Sequence[str] = ()) -> Sequence[AuditLine]:
        wanted = [
            each for each in self.lines if (before is None or each.id < before) and (not what or each.what in what)
        ]
        return tuple(wanted[:most])


class FakeBacking:
    """What the owner's pages need beside the commands."""

    def __init__(self, note: Callable[..., None]) -> None:
        self.checkup = FakeCheckup(note)
        self.skills = FakeSkills(note)
        self.manifests = FakeManifests()
        self.activity = FakeActivity()
