"""The words that complete a command while it is typed: those that there are now, for whoever may give the command.

Looks and never writes, and waits for no engine: an app wants its answer within a moment, at every letter.
"""

from collections.abc import Iterator, Sequence

from channels.base import ChatRef, Sender
from channels.commands.options import ChatOptions
from channels.gate import Gate, Standing
from channels.menu_views import Name, View
from channels.menus.answers import sheet
from channels.menus.facts import Facts
from channels.menus.menu import Choose
from commands import registry
from commands.command import Command, Place
from commands.values import ValueItem, ValuesKind, ValueSource
from core.engines.catalogue import Catalogue
from core.events import ChatKind
from core.store.seats import Seat

_MENUS = frozenset(name.value for name in (Name.EFFORT, Name.FAST, Name.MODE))
"""Commands whose words are what their menu shows."""


class Suggesting:
    """Knows what commands can be completed with."""

    def __init__(self, gate: Gate, options: ChatOptions, catalogue: Catalogue) -> None:
        self._gate = gate
        self._options = options
        self._catalogue = catalogue

    async def suggest(self, chat: ChatRef, sender: Sender, name: str) -> Sequence[ValueItem]:
        """Everything that this command takes there from this person; nothing where they may not give it.

        Raises:
            StoreUnavailable: it cannot be looked up now.
            NotFound: the conversation is not there any more.
        """
        command = registry.find(name)
        standing = await self._gate.standing_in(chat, sender.id)
        if command is None or not _may_choose(command, chat, standing):
            return ()
        answering = await self._options.look(Seat(chat.channel_id, chat.id, chat.thread or "", sender.id))
        facts = Facts(answering, await self._catalogue.known())
        if command.values is not None and command.values.source is ValueSource.MODELS:
            return tuple(_models(facts))
        if command.name not in _MENUS:
            return command.values.items if command.values else ()
        choices = sheet(View(name=Name(command.name)), facts).choices
        return tuple(
            ValueItem(choice.word, choice.label, choice.ticked) for choice in choices if isinstance(choice.deed, Choose)
        )


def _may_choose(command: Command, chat: ChatRef, standing: Standing) -> bool:
    if not standing.answered or command.values is None or command.values.kind is not ValuesKind.CHOOSE:
        return False
    private = Place.OWNER_CHAT if standing is Standing.OWNER else Place.PERSON_CHAT
    return command.works_at(private if chat.kind is ChatKind.PRIVATE else Place.GROUP)


def _models(facts: Facts) -> Iterator[ValueItem]:
    """Every model of every engine, those of the engine in use first; an engine without models by itself."""
    for engine in sorted(facts.offered, key=lambda choice: choice.engine != facts.answering.engine):
        in_use = engine.engine == facts.answering.engine
        if not engine.models:
            yield ValueItem(engine.engine, engine.title, in_use)
        for model in engine.models:
            ticked = in_use and facts.model is not None and facts.model.id == model.id
            yield ValueItem(f"{engine.engine}/{model.id}", f"{model.title} ({engine.title})", ticked)
