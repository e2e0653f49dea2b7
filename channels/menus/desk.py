"""The one place where menus are opened, pressed and answered with words: the edge between pure menus and the world.

A press does what its button stands for and then shows the menu anew, under the same message. Buttons mean what they say
only as long as nothing changed of what is shown: else the press does nothing, and the menu is shown as it is now.

What a press changes is changed before the new buttons are stored, and twice the same changes nothing, so that a press
that is seen through again after a crash does no harm.
"""

import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Final

from pydantic import ValidationError

from channels.abilities import Edits
from channels.base import Button, Channel, InboundMessage, MessageRef, Press
from channels.choices import Choice, as_numbers, as_words, picked
from channels.commands.call import CommandCall, Reply
from channels.commands.options import ChatOptions
from channels.gate import Standing
from channels.menu_views import Name, View
from channels.menus.book import menu_for
from channels.menus.editing import MenuEdits
from channels.menus.facts import Facts
from channels.menus.menu import MOST, Choose, Deed, LetGo, Menu, Set, Show
from channels.menus.settings import said_value, typed_value
from channels.notices import reply_key
from channels.pressing import NOTES, Note, Pressed, message_of_press
from channels.provenance import seat_of
from commands.parsing import ParsedCommand
from core.clock import Clock
from core.engines.catalogue import Catalogue
from core.errors import Busy, NotFound, UsageError
from core.preferences import Preferences
from core.store.actions import Denied
from core.store.cards import CardRows
from core.store.database import Database
from core.store.menus import CloseMenus, MenuRecord, MenuRows, PutMenu

LASTS: Final = timedelta(minutes=10)
"""How long a menu may be pressed after it was shown last."""

TOKEN_BITS: Final = 96

STALE: Final = "This menu was out of date; here it is anew."
NEWER: Final = "A newer menu took this one's place."
STILL_ANSWERING: Final = (
    "I'm still answering here, so nothing was changed. Press again when I'm done, or send \u2060/stop."
)
GONE: Final = "This conversation was deleted meanwhile. Your next message starts a new one."

_TOKEN = re.compile(r"m\.(?P<menu>[\w-]+)\.(?P<place>\d)", re.ASCII)
_ABOUT_THIS_CHAT = (Name.MODEL, Name.EFFORT, Name.FAST, Name.MODE)

StatusLines = Callable[[CommandCall], Awaitable[str]]


class MenuDesk:
    """Opens menus, claims their presses and hears what is typed for them."""

    def __init__(
        self,
        *,
        database: Database,
        options: ChatOptions,
        catalogue: Catalogue,
        preferences: Preferences,
        status: StatusLines,
        edits: MenuEdits,
        clock: Clock,
    ) -> None:
        self._database = database
        self._rows = MenuRows(database)
        self._cards = CardRows(database)
        self._options = options
        self._catalogue = catalogue
        self._preferences = preferences
        self._status = status
        self._edits = edits
        self._clock = clock

    # ---- opened by commands ----------------------------------------------------------------------------------------

    async def open(self, call: CommandCall, view: View) -> Reply:
        """See `channels.commands.menus.Menus`."""
        if view.name in _ABOUT_THIS_CHAT and not view.everywhere:
            await self._options.expect_quiet(call.seat)
        return await self._shown(call, view)

    async def leave(self, call: CommandCall) -> bool:
        """See `channels.commands.menus.Menus`."""
        record = await self._rows.of_seat(call.seat)
        if record is None or (record.waits_for is None and call.room):
            return False
        await self._database.commit(CloseMenus.of_seat(call.seat))
        self._edits.wake()
        return record.waits_for is not None and not self._is_over(record)

    # ---- pressed ---------------------------------------------------------------------------------------------------

    async def claim(self, channel: Channel, press: Press, standing: Standing) -> Pressed | Note | None:
        """Do what a button of a menu stands for, and show the menu anew."""
        ours = _TOKEN.fullmatch(press.token)
        if ours is None:
            return None
        call = CommandCall.of(channel, message_of_press(press, ""), ParsedCommand("settings"), standing)
        record = await self._rows.of_token(_hash(ours["menu"]))
        if record is None:
            return await self._unknown(channel, press, call)
        if record.seat != call.seat or standing is not Standing.OWNER:
            return Note(NOTES[Denied.FOREIGN])
        if not record.open or self._is_over(record):
            return Note(NOTES[Denied.EXPIRED] if self._is_over(record) else NEWER)
        note, view = await self._press(call, record, int(ours["place"]))
        return Pressed(call.message, note, partial(self._redrawn, channel, press.message, call, record, view))

    async def _unknown(self, channel: Channel, press: Press, call: CommandCall) -> Pressed | Note:
        """A token that is none any more: of buttons that another device shows still, or of nothing."""
        record = await self._rows.of_seat(call.seat)
        if record is None or record.message_id != press.message.message_id or self._is_over(record):
            return Note(NOTES[Denied.UNKNOWN])
        view = _view(record)
        return Pressed(call.message, Note(STALE), partial(self._redrawn, channel, press.message, call, record, view))

    async def _press(self, call: CommandCall, record: MenuRecord, place: int) -> tuple[Note, View]:
        """What is said of a press, and what is shown next."""
        view = _view(record)
        menu = menu_for(view, await self._facts(call, view), _room(call))
        if menu.revision != record.revision or place >= len(menu.buttons):
            return Note(STALE), view
        return await self._do(call, view, menu.buttons[place].deed)

    async def _do(self, call: CommandCall, view: View, deed: Deed) -> tuple[Note, View]:
        after = view.model_copy(update={"sure": None})
        try:
            match deed:
                case Show(view=there):
                    return Note("", confirms=True), there
                case Choose(change=change, said=said):
                    await self._options.change(call, change)
                    return Note(said, confirms=True), after
                case Set(values=values, said=said):
                    await self._preferences.change(values, call.message.sender.name)
                    return Note(said, confirms=True), after
                case LetGo(skill_id=skill_id, title=title):
                    await self._options.end_hold(call, skill_id)
                    return Note(f"“{title}” holds nothing back any more.", confirms=True), after
        except Busy:
            return Note(STILL_ANSWERING), after
        except NotFound:
            return Note(GONE), after
        except UsageError as reason:
            return Note(str(reason)), after

    async def _redrawn(
        self, channel: Channel, message: MessageRef, call: CommandCall, record: MenuRecord, view: View
    ) -> Reply:
        """Show the menu under its message; where that cannot be, as a new message."""
        if not isinstance(channel, Edits):
            return await self._shown(call, view)
        menu, put, buttons = await self._drawn(call, view, record.key, message.message_id)
        await self._database.commit(put)
        if await self._edits.show(channel, message, menu.words, buttons):
            return Reply("")
        return await self._shown(call, view)

    # ---- answered with words ---------------------------------------------------------------------------------------

    async def hear(self, channel: Channel, message: InboundMessage, standing: Standing) -> Reply | None:
        """The value of the setting that waits for one; where an app has no buttons, the number of a choice."""
        if standing is not Standing.OWNER:
            return None
        record = await self._rows.of_seat(seat_of(message))
        if record is None or self._is_over(record):
            return None
        call = CommandCall.of(channel, message, ParsedCommand("settings"), standing)
        by_number = not call.room and not await self._asked_since(record)
        if by_number and (said := await self._said_number(call, record, message.text)) is not None:
            return said
        if record.waits_for is not None:
            return await self._said_value(call, record.waits_for, message.text)
        if not call.room:  # the talk went on: a number that comes later is about something else
            await self._database.commit(CloseMenus.of_seat(record.seat))
        return None

    async def _asked_since(self, record: MenuRecord) -> bool:
        """Whether a card stands below the menu: a number is for what was asked last."""
        seat, shown = record.seat, record.expires_at - LASTS
        cards = await self._cards.lately(seat.channel_id, seat.chat_id, seat.thread, seat.person_id)
        return any(card.open and card.place.behalf is None and card.created_at > shown for card in cards)

    async def _said_number(self, call: CommandCall, record: MenuRecord, words: str) -> Reply | None:
        view = _view(record)
        menu = menu_for(view, await self._facts(call, view), _room(call))
        choices = [Choice(button.label, button.style) for button in menu.buttons]
        place = picked(words, choices, numbered=menu.waits_for is None)
        if place is None:
            return None
        note, there = (
            (Note(STALE), view)
            if menu.revision != record.revision
            else await self._do(call, view, menu.buttons[place].deed)
        )
        shown = await self._shown(call, there)
        return Reply(f"{note.words}\n\n{shown.words}".strip(), shown.also, buttons=shown.buttons)

    async def _said_value(self, call: CommandCall, name: str, words: str) -> Reply:
        try:
            now = await self._preferences.change({name: typed_value(name, words)}, call.message.sender.name)
        except UsageError as reason:
            return Reply(f"{reason} Or send {call.written(name='cancel')} to leave it as it is.")
        shown = await self._shown(call, View(name=Name.SETTINGS))
        return Reply(f"{said_value(name, now)}\n\n{shown.words}", shown.also, buttons=shown.buttons)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    async def _shown(self, call: CommandCall, view: View) -> Reply:
        """The menu as a message of its own; the earlier one's buttons go."""
        self._edits.wake()
        menu, put, buttons = await self._drawn(call, view, reply_key(call.message))
        if call.room or not menu.buttons:
            return Reply(menu.words, (put,), buttons=buttons)
        labels = [button.label for button in menu.buttons]
        # where a value is typed, a number may be one
        return Reply(f"{menu.words}\n\n{as_words(labels) if menu.waits_for else as_numbers(labels)}", (put,))

    async def _drawn(
        self, call: CommandCall, view: View, key: str, message_id: str | None = None
    ) -> tuple[Menu, PutMenu, tuple[Button, ...]]:
        menu = menu_for(view, await self._facts(call, view), _room(call))
        token = secrets.token_urlsafe(TOKEN_BITS // 8)
        put = PutMenu(
            seat=call.seat,
            key=key,
            token_hash=_hash(token),
            view=view.model_dump_json(exclude_defaults=True),
            words=menu.words,
            revision=menu.revision,
            expires_at=self._clock.now() + LASTS,
            waits_for=menu.waits_for,
            message_id=message_id,
        )
        buttons = tuple(
            Button(button.label, token=f"m.{token}.{place}", style=button.style, option=button.option)
            for place, button in enumerate(menu.buttons)
        )
        return menu, put, buttons

    async def _facts(self, call: CommandCall, view: View) -> Facts:
        answering = await self._options.look(call.seat)
        # Only a few menus name models; the others need not wait for model servers.
        names_models = view.name is not Name.STATUS and (view.name is not Name.MODE or view.everywhere)
        return Facts(
            answering,
            await self._catalogue.offered() if names_models else (),
            fixed=self._preferences.fixed,
            status=await self._status(call) if view.name is Name.STATUS else "",
            cancel=call.written(name="cancel"),
            model_command=call.written(name="model"),
        )

    def _is_over(self, record: MenuRecord) -> bool:
        return record.expires_at <= self._clock.now()


def _view(record: MenuRecord) -> View:
    """What another release stored and this one does not know is shown as the list of settings."""
    try:
        return View.model_validate_json(record.view)
    except ValidationError:
        return View(name=Name.SETTINGS)


def _room(call: CommandCall) -> int:
    return call.room or MOST


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
