"""The in-memory app with forms: opened by a button, as in Discord and Slack, or standing in a message, as in Teams."""

from collections.abc import Sequence

from channels.base import Form, Press, Sink, Update
from channels.memory.channel import MemoryChannel
from channels.memory.faults import Call
from core.errors import Refused


class FormChannel(MemoryChannel):
    """With forms that a button opens. What does not fit is shown in the form, and taken only once it does."""

    async def open_form(self, press: Press, form: Form) -> None:
        """Show it to whoever pressed."""
        with self._app.faults.around(Call.ANSWER_PRESS, press.message.chat.id):
            self._room(press.message.chat).show_form(press.message.message_id, form)

    async def take(self, sink: Sink, updates: Sequence[Update]) -> None:
        """Answer presses that open a form, and forms with a fault; store the rest."""
        await sink.store([update for update in updates if not await self._is_answered(sink, update)])

    async def _is_answered(self, sink: Sink, update: Update) -> bool:
        """Whether the update needs nothing more; a form that is not there leaves the press to be told why."""
        press = next((inbound for inbound in self.parse(update.payload) if isinstance(inbound, Press)), None)
        if press is None:
            return False
        if press.filled is not None:
            faults = await sink.faults(press)
            self._room(press.message.chat).show_faults(faults)
            return bool(faults)
        form = await sink.form(press) if update.payload["press"].get("opens") else None
        if form is None:
            return False
        try:
            await self.open_form(press, form)
        except Refused:
            return False
        return True


class FieldsChannel(MemoryChannel):
    """With forms in messages."""

    def holds(self, form: Form) -> bool:
        """All there is room for in a question."""
        return True
