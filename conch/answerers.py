"""What whoever starts Conch is told about who answers."""

from collections.abc import Iterator

from conch.app import App
from conch.engine_admin import missing
from conch.machine import Machine
from core.engines.registry import Standing


def engines_command(in_playground: bool) -> str:
    """How the commands about engines begin."""
    return "conch engines --playground" if in_playground else "conch engines"


def answers(app: App, machine: Machine, command: str) -> str:
    """Who answers where a chat names none, as words that can follow "Answers"."""
    default = app.engines.default
    standing = app.engines.standing(default.id)
    if standing is Standing.BUILT_IN:
        return f"come from the built-in demo. For a real assistant, {machine.hint(command)}."
    model = app.preferences.current.default_model or default.default_model()
    named = f"come from {default.title}" + (f" ({model})" if model else "")
    if standing is Standing.CONNECTED:
        return f"{named}, which you connected."
    return f"{named}, by {app.connections.found[default.id].source}."


def about_engines(app: App, machine: Machine) -> Iterator[str]:
    """What is set and not there, connected and broken, or found and not to be used."""
    yield from missing(app.engines)
    for broken in app.connections.broken:
        yield f"{broken.record.title} ({broken.record.id}) cannot be used: {broken.why}"
    yield from machine.remarks
    if machine.about_agents:
        yield machine.about_agents
