"""Where each chat is reached: what Teams calls a conversation reference, kept over restarts.

A bot can write to a chat only at the service address that Teams last spoke from. Who else is in it is kept along, for
whoever has to open the chat anew.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import structlog

from channels.reach import Notebook
from channels.teams.fields import Json, need_text, need_thing, text, thing

_NAME = "chat:"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reference:
    """One private chat. `tenant` is the organization's id, where Teams says it."""

    service_url: str
    conversation: str
    bot: str
    person: str
    tenant: str | None

    @classmethod
    def of(cls, activity: Json) -> "Reference":
        """As an activity from there says.

        Raises:
            ValueError: it says nothing of the kind.
        """
        conversation = need_thing(activity, "conversation")
        channel_tenant = text(thing(thing(activity, "channelData") or {}, "tenant") or {}, "id")
        return cls(
            service_url=need_text(activity, "serviceUrl"),
            conversation=need_text(conversation, "id"),
            bot=need_text(need_thing(activity, "recipient"), "id"),
            person=need_text(need_thing(activity, "from"), "id"),
            tenant=text(conversation, "tenantId") or channel_tenant,
        )


class Places:
    """The chats of one bot."""

    def __init__(self, default: str) -> None:
        self._default = default
        self._known: dict[str, Reference] = {}
        self._notebook: Notebook | None = None

    def remember_in(self, notebook: Notebook) -> None:
        """Keep them there."""
        self._notebook = notebook

    async def load(self) -> None:
        """Know again what was known before.

        Raises:
            TryLater: it cannot be read now.
        """
        kept: Mapping[str, str] = await self._notebook.recall() if self._notebook is not None else {}
        for name, words in kept.items():
            if name.startswith(_NAME):
                try:
                    reference = Reference(**json.loads(words))
                except (TypeError, ValueError):
                    _log.warning("where a chat is reached cannot be read any more", chat=name)
                    continue
                self._known.setdefault(reference.conversation, reference)

    async def heard(self, reference: Reference) -> None:
        """Teams spoke from there.

        Raises:
            TryLater: it cannot be kept now.
        """
        if self._known.get(reference.conversation) == reference:
            return
        if self._notebook is not None:
            await self._notebook.note(f"{_NAME}{reference.conversation}", json.dumps(asdict(reference)))
        self._known[reference.conversation] = reference

    def service_of(self, conversation: str) -> str:
        """The address for a chat; of one that nobody heard from yet, the one that is good for all."""
        known = self._known.get(conversation)
        return self._default if known is None else known.service_url
