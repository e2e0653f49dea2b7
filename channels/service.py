"""The one way in: from an update that an app hands over to what it causes. It knows no SDK.

Updates are stored before the app is told "got it", then taken one after another per chat: gate, then commands, then
whatever waits for an answer, then gathering and the core. Whatever handles an update marks it done in the transaction
of what it caused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import structlog

from channels.actions import ChatActions
from channels.arrivals import Arrivals, Batch
from channels.base import Channel, ChatRef, Edited, Form, InboundMessage, Joined, Left, Moved, Press, Sender, Update
from channels.cards.places import CardPlaces
from channels.cards.redrawing import Redrawing
from channels.commands.call import CommandCall, Reply
from channels.commands.chat import ChatCommands
from channels.doorbell import Doorbell
from channels.fading import Fading
from channels.gate import Gate, Standing
from channels.gathering import joined_text
from channels.greeting import Greeting
from channels.groups import GroupDoor
from channels.handover import Handover
from channels.hearing import Hears, OpensForms, can_answer
from channels.menus.assembly import Choosing, assembled
from channels.notices import Notices
from channels.numbered import NumberedActions
from channels.offers import Offers
from channels.outbox import Outbox
from channels.pressing import ActionPresses, Claimant, Pressing
from channels.provenance import client_id_of, seat_of
from channels.removal import Removal
from channels.seating import Seating
from channels.suggesting import Suggesting
from channels.threads import opening_none
from channels.updates import Arrival, ChatKey, completed, key_of, waiting_for_words
from commands.parsing import ParsedCommand, parse_chat_command
from commands.values import ValueItem
from core.checkpoints import Checkpoint, Checkpoints
from core.clock import Clock
from core.conversations import Conversations
from core.events import ChatKind
from core.files import FileStore
from core.lanes import Lanes
from core.meter import NO_METER, Meter
from core.own_commands import OwnCommands
from core.patience import patiently, until_stored
from core.preferences import Preferences
from core.skills.skills import Skills
from core.store.database import Database
from core.store.groups import Groups, MoveChat
from core.store.inbox import Done, Inbox, Poisoned, Received
from core.store.log import EventLog
from core.store.people import People, Person
from core.store.seats import Seat, Seats

_log = structlog.get_logger(__name__)

SORRY = "Something went wrong with that, so it was not answered. Send it again to try once more."
SLOW_DOWN = "That's a lot at once. Your messages wait a moment and are answered in order."


class ChannelService:
    """Takes updates of every channel and sees them through."""

    def __init__(
        self,
        *,
        database: Database,
        conversations: Conversations,
        outbox: Outbox,
        gate: Gate,
        actions: ChatActions,
        fading: Fading,
        redrawing: Redrawing,
        offers: Offers,
        files: FileStore,
        own_commands: OwnCommands,
        skills: Skills,
        preferences: Preferences,
        choosing: Choosing,
        clock: Clock,
        checkpoints: Checkpoints,
        claimants: Sequence[Claimant] = (),
        hearers: Sequence[Hears] = (),
        openers: Sequence[OpensForms] = (),
        console: str | None = None,
        meter: Meter = NO_METER,
    ) -> None:
        self._database = database
        self._conversations = conversations
        self._outbox = outbox
        self._gate = gate
        self._groups = GroupDoor(database, gate, preferences)
        self._notices = Notices(outbox, actions, fading, redrawing)
        places = self._places = CardPlaces(EventLog(database), People(database), Groups(database), Seats(database))
        self._doorbell = Doorbell(places, gate, self._notices, clock)
        self._greeting = Greeting(places, self._notices, outbox)
        self._fading = fading
        self._clock = clock
        self._checkpoints = checkpoints
        self._meter = meter
        self._openers = openers
        self._inbox = Inbox(database)
        self._seats = Seats(database)
        self._seating = Seating(database)
        self._channels: dict[str, Channel] = {}
        self._arrivals = Arrivals(self._send, self._send_failed, preferences, clock)
        self._handover = Handover(
            database=database,
            conversations=conversations,
            gate=gate,
            notices=self._notices,
            seating=self._seating,
            files=files,
            clock=clock,
        )
        self._removal = Removal(
            database=database,
            conversations=conversations,
            arrivals=self._arrivals,
            seating=self._seating,
            fading=fading,
        )
        answers, menus = assembled(
            choosing,
            database=database,
            conversations=conversations,
            seating=self._seating,
            arrivals=self._arrivals,
            offers=offers,
            clock=clock,
        )
        self._commands = ChatCommands(
            conversations=conversations,
            seats=self._seats,
            seating=self._seating,
            arrivals=self._arrivals,
            own=own_commands,
            skills=skills,
            preferences=preferences,
            answers=answers,
            console=console,
        )
        self._suggesting = Suggesting(gate, answers.options, choosing.catalogue)
        presses = ActionPresses(actions, self._commands)
        self._pressing = Pressing(gate, (presses, menus, *claimants))
        self._hearers = (menus, *hearers, NumberedActions(database, actions, presses))
        self._lanes: Lanes[ChatKey, Arrival] = Lanes(self._handle, self._fault)

    async def form(self, channel: Channel, press: Press) -> Form | None:
        """The form that a button opens now; read and never written, so that nothing holds it up."""
        if not (await self._gate.standing(channel.id, press.sender.id)).let_in:
            return None
        for opener in self._openers:
            if (form := await opener.form(channel, press)) is not None:
                return form
        return None

    async def faults(self, channel: Channel, press: Press) -> Mapping[str, str]:
        """What does not fit of what a form was sent with; read and never written, as the form was."""
        if not (await self._gate.standing(channel.id, press.sender.id)).let_in:
            return {}
        for opener in self._openers:
            if faults := await opener.faults(channel, press):
                return faults
        return {}

    async def suggest(self, chat: ChatRef, sender: Sender, command: str) -> Sequence[ValueItem]:
        """The words that complete a command there; see `Suggesting`."""
        return await self._suggesting.suggest(chat, sender, command)

    # ---- what comes in ---------------------------------------------------------------------------------------------

    async def receive(self, channel: Channel, updates: Sequence[Update]) -> None:
        """Store updates, then see to the new ones. When this returns the app may be told "got it".

        Raises:
            StoreUnavailable: nothing was stored.
        """
        if not updates:
            return
        received = [Received(channel.id, update.update_id, update.payload) for update in updates]
        new = await self._database.commit(*received)
        self._meter.received(channel.capabilities.kind, sum(new), len(new) - sum(new))
        await self._checkpoints.reach(Checkpoint.RECEIVED)
        for update, is_new in zip(updates, new, strict=True):
            if is_new:
                await self._dispatch(channel, update)

    async def recover(self, channel: Channel) -> None:
        """Take up what an earlier life of the program stored and did not see through."""
        self._channels[channel.id] = channel
        for row in await self._inbox.pending(channel.id):
            await self._dispatch(channel, Update(row.update_id, row.payload))

    async def _dispatch(self, channel: Channel, update: Update) -> None:
        self._channels[channel.id] = channel
        try:
            inbounds = channel.parse(update.payload)
        except Exception as fault:  # noqa: BLE001 - whatever a malformed update does, the channel goes on
            self._meter.skipped(channel.capabilities.kind)
            await self._poisoned(channel.id, update.update_id, fault)
            return
        # An update that means nothing to us is seen through like any other, in no chat's lane.
        for inbound in inbounds or (None,):
            self._lanes.put(key_of(channel, inbound), Arrival(channel, update.update_id, inbound, update.payload))

    async def _poisoned(self, channel_id: str, update_id: str, fault: BaseException) -> None:
        _log.error("a malformed update was skipped", channel=channel_id, update=update_id, exc_info=fault)
        await until_stored(
            self._database, self._clock, Poisoned(channel_id, update_id, f"{type(fault).__name__}: {fault}")
        )

    async def settled(self) -> None:
        """Come back when everything that came in is in the core's hands or gathered."""
        await self._lanes.settled()

    async def close(self) -> None:
        """Take nothing more; what is not seen through yet is taken up at the next start."""
        await self._lanes.close()
        await self._arrivals.close()
        await self._pressing.close()
        await self._doorbell.close()

    # ---- one update ------------------------------------------------------------------------------------------------

    async def _handle(self, _: ChatKey, arrivals: list[Arrival]) -> None:
        arrival = arrivals[0]
        try:
            arrival = await completed(arrival)
            await patiently(lambda: self._take(arrival), self._clock)
        except Exception as fault:  # noqa: BLE001 - a message that was accepted never ends in silence
            chat = waiting_for_words(arrival.inbound)
            await self._give_up(arrival.channel, chat, [arrival.update_id], fault)

    async def _take(self, arrival: Arrival) -> None:
        match arrival.inbound:
            case InboundMessage() as message:
                await self._message(arrival.channel, message)
            case Edited(message=message):
                await self._edited(arrival.channel, message)
            case Press() as press:
                await self._press(arrival.channel, press)
            case Joined(chat=chat):
                await self._groups.come(chat)
                await self._done(arrival.channel.id, arrival.update_id)
            case Left(chat=chat):
                await self._groups.leave(chat)
                await self._done(arrival.channel.id, arrival.update_id)
            case Moved(old=old, new=new):
                move = MoveChat(arrival.channel.id, old.id, new.id)
                await self._database.commit(Done(arrival.channel.id, arrival.update_id), move)
            case _:
                await self._done(arrival.channel.id, arrival.update_id)

    async def _message(self, channel: Channel, message: InboundMessage) -> None:
        if message.sender.is_bot:
            await self._done(channel.id, message.update_id)
            return
        standing = await self._gate.standing(channel.id, message.sender.id)
        message, command = await self._commands.as_meant(channel, message, standing)
        private = message.chat.kind is ChatKind.PRIVATE
        if standing is Standing.BLOCKED:
            await self._done(channel.id, message.update_id)
        elif not private:
            await self._group(channel, message, command)
        elif command is not None and command.name == "start" and command.arguments:
            welcome = await self._gate.hello(channel.id, message.sender, command.arguments)
            await self._notices.reply(channel, message, welcome.words)
        elif not standing.let_in:
            await self._stranger(channel, message)
        elif command is not None:
            await self._command(channel, message, command, standing)
        elif (answered := await self._hear(channel, message, standing)) is not None:
            await self._answer(channel, message, answered)
        else:
            await self._gather(channel, message)

    async def _stranger(self, channel: Channel, message: InboundMessage) -> None:
        words = await self._gate.stranger(channel.id, message)
        if words is not None:
            await self._doorbell.ring(channel, message)
        await self._notices.reply(channel, message, words)

    async def _hear(self, channel: Channel, message: InboundMessage, standing: Standing) -> Reply | None:
        """Whether something waited for these words, and what it says to them."""
        for hearer in self._hearers if can_answer(message) else ():
            if (reply := await hearer.hear(channel, message, standing)) is not None:
                return reply
        return None

    async def _gather(self, channel: Channel, message: InboundMessage) -> None:
        if self._arrivals.take(seat_of(message), message):
            await self._notices.remark(channel, message, "slow", SLOW_DOWN)

    async def _group(self, channel: Channel, message: InboundMessage, command: ParsedCommand | None) -> None:
        heard = await self._groups.hear(channel, message, command)
        if heard.alone is not None:
            chat = await self._places.private_chat(channel, message.sender.id)
            if chat is not None:
                await self._notices.say(channel, chat, f"{channel.id}:{message.update_id}:alone", heard.alone)
        if heard.message is None:
            await self._notices.reply(channel, opening_none(channel, message), heard.remark)
            return
        if heard.remark is not None:
            await self._notices.remark(channel, message, "group", heard.remark)
        if command is not None:
            await self._command(channel, heard.message, command, heard.standing)
        else:
            await self._gather(channel, heard.message)

    async def _command(
        self, channel: Channel, message: InboundMessage, command: ParsedCommand, standing: Standing
    ) -> None:
        call = CommandCall.of(channel, message, command, standing)
        await self._answer(channel, message, await self._commands.run(call))

    async def _answer(self, channel: Channel, message: InboundMessage, reply: Reply) -> None:
        """Say what a command came to, then let the core hear what it is to hear."""
        await self._notices.answer(channel, message, reply)
        if reply.say is not None:
            await self._gather(channel, replace(message, text=reply.say))

    async def _edited(self, channel: Channel, message: InboundMessage) -> None:
        """An edit counts while the message is still on its way or waits; later ones are ignored.

        So is one that makes a command of it: commands run when they are sent, and a saved one was filled in then.
        """
        standing = await self._gate.standing_in(message.chat, message.sender.id)
        seat = seat_of(message)
        counts = standing.answered and parse_chat_command(message.text) is None
        if counts and message.chat.kind is ChatKind.GROUP:
            message = await self._groups.as_heard(message, standing)
        if counts and not self._arrivals.replace(seat, message):
            conversation_id = await self._seats.conversation(seat)
            if conversation_id is not None:
                text = joined_text([message])
                await self._conversations.replace_queued(conversation_id, client_id_of(message), text)
        await self._done(channel.id, message.update_id)

    async def _press(self, channel: Channel, press: Press) -> None:
        """One that comes out of the inbox of a channel that is off stays there until it is on."""
        if self._outbox.channel(channel.id) is None:
            return
        taken = await self._pressing.take(channel, press)
        if taken is None:
            await self._done(channel.id, press.update_id)
        elif taken.reply is None:
            await self._gather(channel, taken.message)
        else:
            await self._answer(channel, taken.message, taken.reply)
        self._fading.wake()

    # ---- into the core ---------------------------------------------------------------------------------------------

    async def _send(self, batch: Batch) -> None:
        """Hand gathered messages to the core; their inbox rows are done in the same transaction."""
        channel, last = self._channels[batch.seat.channel_id], batch.messages[-1]
        try:
            await self._handover.take(channel, batch)
        except Exception as fault:  # noqa: BLE001 - a message that was accepted never ends in silence
            await self._give_up(channel, last.chat, [message.update_id for message in batch.messages], fault)

    # ---- somebody is heard from now on; somebody, or a group, no more ----------------------------------------------

    async def greet(self, person: Person, asked_in: str | None) -> None:
        """Someone was let in by the owner: see `Greeting`."""
        await self._greeting.greet(person, asked_in)

    async def forget_person(self, channel_id: str, person_id: str) -> None:
        """Someone was removed or blocked: see `Removal.of_person`."""
        await self._removal.of_person(channel_id, person_id)

    async def quieten_group(self, channel_id: str, chat_id: str) -> None:
        """A group was turned off: see `Removal.of_group`."""
        await self._removal.of_group(channel_id, chat_id)

    async def _done(self, channel_id: str, update_id: str) -> None:
        await self._database.commit(Done(channel_id, update_id))

    # ---- what must not happen, and did -----------------------------------------------------------------------------

    async def _give_up(
        self, channel: Channel, chat: ChatRef | None, update_ids: Sequence[str], fault: BaseException
    ) -> None:
        """Something of ours broke: keep the fault with the updates, and tell the person plainly."""
        _log.error("an update could not be handled", channel=channel.id, updates=update_ids, exc_info=fault)
        self._meter.skipped(channel.capabilities.kind)
        why = f"{type(fault).__name__}: {fault}"
        poisoned = [Poisoned(channel.id, update_id, why) for update_id in update_ids]
        if chat is None:
            await until_stored(self._database, self._clock, *poisoned)
        else:
            await self._notices.say(channel, chat, f"{channel.id}:{update_ids[-1]}:sorry", SORRY, *poisoned)

    def _fault(self, key: ChatKey, fault: BaseException) -> None:
        _log.error("giving up on an update failed", channel=key[0], chat=key[1], exc_info=fault)

    def _send_failed(self, seat: Seat, fault: BaseException) -> None:
        _log.error("giving up on a message failed", channel=seat.channel_id, exc_info=fault)
