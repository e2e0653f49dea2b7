"""What the doctor makes of the facts about bots, engines and deliveries. Pure: facts in, findings out."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from channels.base import HealthState
from conch.findings import Finding, fail, ok, warn
from conch.kinds import CONNECT_ONE
from web.diagnosis import Answer, BotFacts, ConnectedApp, Diagnosis
from web.engines import EngineView

CLOCK_MAY_DIFFER = 30.0
"""Seconds; a whole second of it is how apps tell the time, some is the way there and back."""
CLOCK_MUST_NOT_DIFFER = 300.0
"""Seconds, from which on certificates and signed requests begin to be refused."""

STUCK_AFTER = 60.0
"""Seconds within which a running server sees an update through to the core."""

LOG = "The log of `conch serve` has the reason."

_PASSING = (HealthState.CONNECTING.value, HealthState.RECONNECTING.value)


def about_everything(facts: Diagnosis) -> Iterator[Finding]:
    """Every finding."""
    if not facts.can_store:
        yield fail(
            "Store",
            "The database takes nothing at the moment, so no message is taken either.",
            "See that the disk has room and that no other program holds the database.",
        )
    yield about_clock(facts.bots)
    for bot in facts.bots:
        yield from about_bot(bot, running=facts.running)
    if not facts.bots:
        yield warn("Bots", "No bot is connected.", f"Connect one with {CONNECT_ONE}.")
    for engine in facts.engines:
        yield about_engine(engine)
    for remark in facts.remarks:
        yield warn("Engines", remark, "`conch engines list` shows what there is.")
    for app in facts.apps:
        yield about_app(app)
    yield about_deliveries(facts)


def about_clock(bots: Sequence[BotFacts]) -> Finding:
    """Whether this machine's clock is right, by the apps' own."""
    told = [bot.app.clock_ahead for bot in bots if bot.app.clock_ahead is not None]
    if not told:
        return ok("Clock", "Not compared: no bot's app told its time.")
    ahead = min(told, key=abs)  # one that answered late makes ours look fast
    if abs(ahead) <= CLOCK_MAY_DIFFER:
        return ok("Clock", "Right, by the apps' own.")
    said = f"This machine's clock is {abs(ahead):.0f} s {'slow' if ahead > 0 else 'fast'}."
    todo = "Have it set over the network (for example `timedatectl set-ntp true`)."
    return (fail if abs(ahead) > CLOCK_MUST_NOT_DIFFER else warn)("Clock", said, todo)


def about_app(app: ConnectedApp) -> Finding:
    """Whether a connected app can be used."""
    subject = f"App {app.id}"
    match app.answer:
        case Answer.WORKS:
            return ok(subject, f"{app.name} is connected.")
        case Answer.AWAY:
            return warn(subject, f"{app.name} does not answer at the moment.", "Look again in a while.")
        case _:
            again = f"Connect it again: `conch apps connect {app.id}`."
            return fail(subject, f"{app.name} is connected, and its keys are good for nothing any more.", again)


# ---- bots ------------------------------------------------------------------------------------------------------------


def about_bot(bot: BotFacts, *, running: bool) -> Iterator[Finding]:
    """A bot's key, whether messages come in, and whether they get through to the core."""
    subject = f"Bot {bot.name}"
    if not bot.enabled:
        yield ok(subject, "Turned off.")
        return
    found = (*_key(subject, bot), *_receiving(subject, bot, running), *_core(subject, bot, running))
    yield from found or (ok(subject, _well(bot, running)),)


def _key(subject: str, bot: BotFacts) -> Iterator[Finding]:
    again = _again(bot)
    match bot.app.answer:
        case Answer.REFUSED:
            yield fail(subject, bot.app.words, again)
        case Answer.UNREADABLE:
            yield fail(subject, bot.app.words, again)
        case Answer.AWAY:
            yield fail(subject, bot.app.words, "See that this machine reaches the app: network, proxy, firewall.")
        case Answer.WORKS:
            pass


def _again(bot: BotFacts) -> str:
    return f"Get the key from the app and run `conch channels add {bot.kind}`."


def _receiving(subject: str, bot: BotFacts, running: bool) -> Iterator[Finding]:
    """Whether what is written to the bot arrives here."""
    if not running:
        for trouble in bot.app.troubles:
            yield warn(subject, trouble, "Start `conch serve`.")
        return
    for trouble in bot.app.troubles:
        yield fail(subject, trouble, LOG)
    if bot.app.answer is Answer.WORKS and bot.state in _PASSING:
        yield warn(subject, _state(bot), f"Look again in a minute. {LOG}")
    elif bot.app.answer is Answer.WORKS and bot.state != HealthState.ONLINE.value:
        yield fail(subject, _state(bot), _again(bot) if bot.state == HealthState.NEEDS_TOKEN.value else LOG)
    elif bot.app.waiting and not bot.app.troubles:
        yield fail(
            subject,
            f"It counts as online, and yet its app keeps {bot.app.waiting} updates that nobody fetches.",
            f"Turn it off and on (`conch channels off`, `conch channels on`). {LOG}",
        )


def _state(bot: BotFacts) -> str:
    return f"It is {bot.state or 'not started'}. {bot.detail or ''}".strip()


def _core(subject: str, bot: BotFacts, running: bool) -> Iterator[Finding]:
    """Whether what arrived gets through."""
    if running and bot.pending and bot.oldest > STUCK_AFTER:
        yield fail(
            subject,
            f"{bot.pending} updates came in and were not seen through, the oldest for {bot.oldest:.0f} s.",
            f"Start Conch again: it takes them up. {LOG}",
        )
    if bot.poisoned:
        yield warn(subject, f"{bot.poisoned} updates could not be handled and were skipped.", LOG)


def _well(bot: BotFacts, running: bool) -> str:
    if not running:
        waiting = bot.pending + (bot.app.waiting or 0)
        return "Its key works." + (f" {waiting} updates wait for the next start." if waiting else "")
    heard = f"last heard of {_moment(bot.last_event)}" if bot.last_event else "nothing heard of yet"
    return f"Online since {_moment(bot.since)}, {heard}." if bot.since else "Online."


# ---- the rest --------------------------------------------------------------------------------------------------------


def about_engine(engine: EngineView) -> Finding:
    """Whether something can answer; only the one that answers by default is a failure when it cannot."""
    subject, judge = f"Engine {engine.id}", fail if engine.is_default else warn
    if engine.state == "broken":
        return judge(subject, f"{engine.title} cannot be used: {engine.trouble}", f"Or take it away: {_away(engine)}.")
    if engine.trouble:
        again = f"Then `conch engines test {engine.id}` shows whether it answers."
        return judge(subject, f"{engine.title}: {engine.trouble}", f"{_mend(engine)} {again}")
    if engine.state == "not-ready":
        kept = "; messages are kept until it can" if engine.is_default else ""
        return judge(subject, f"{engine.title} cannot answer now{kept}.", _mend(engine))
    return ok(subject, _fit(engine))


def _fit(engine: EngineView) -> str:
    models = f", {engine.models} models" if engine.models else ""
    role = " It answers by default" + (f", with {engine.model}." if engine.model else ".") if engine.is_default else ""
    return f"{engine.title} is ready ({engine.source}{models}).{role}"


def _mend(engine: EngineView) -> str:
    match engine.standing:
        case "connected":
            return f"See that its server runs and is reached; `conch engines add {engine.id}` gives it a new key."
        case "found":
            return f"It is here by {engine.source}: mend that, or take it away."
    return LOG


def _away(engine: EngineView) -> str:
    return f"`conch engines remove {engine.id}`"


def about_deliveries(facts: Diagnosis) -> Finding:
    """What was to be said and was not."""
    lost = {
        state: count for state, count in facts.unsent.items() if state in ("failed", "expired", "unknown") and count
    }
    if lost:
        counted = ", ".join(f"{count} {state}" for state, count in sorted(lost.items()))
        return warn("Deliveries", f"Messages that did not arrive for certain: {counted}.", LOG)
    waiting = sum(facts.unsent.values())
    return ok("Deliveries", f"{waiting} messages are on their way." if waiting else "Nothing waits, nothing failed.")


def _moment(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"
