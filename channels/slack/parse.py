"""From what Slack sent to what happened, in Conch's own types.

Pure: no clock, no network, no SDK. What is read is what `intake` stored: the kind of envelope, its payload, and what
was `known` when it came: names of people, the channel's title, whether the bot is in it. What words mean is `words`'s,
what a form was sent with `forms`'s. Shapes: docs.slack.dev/reference/events, …/reference/interaction-payloads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from channels.base import (
    AttachmentKind,
    ChatRef,
    Edited,
    Inbound,
    InboundAttachment,
    InboundMessage,
    Joined,
    Left,
    MessageRef,
    Press,
    Quoted,
    Sender,
)
from channels.slack import forms, limits
from channels.slack.fields import Json, need_text, need_thing, number, text, thing, things, time_of
from channels.slack.words import mentions, plain_words
from core.events import ChatKind

EVENT, INTERACTIVE, SLASH = "events_api", "interactive", "slash_commands"
"""The kinds of envelope [docs.slack.dev/apis/events-api/using-socket-mode]."""

READ_SUBTYPES = frozenset({None, "file_share", "me_message", "thread_broadcast"})
"""Of messages; all others were not written by a person, or say what became of one."""

SLASH_HERE, SLASH_AWAY = "slash:", "away:"
"""How the id of a command begins that was given where the bot is, or where it is not."""

SLACKBOT = "USLACKBOT"
_KINDS = {"image": AttachmentKind.IMAGE, "audio": AttachmentKind.AUDIO, "video": AttachmentKind.VIDEO}
_GONE_FILES = frozenset({"tombstone", "hidden_by_limit"})


@dataclass(frozen=True, slots=True)
class Known:
    """What was known when something came in. `at`: when that was, where Slack does not say."""

    names: Mapping[str, str]
    at: datetime
    title: str | None = None
    member: bool = False
    own_room: bool = False

    @classmethod
    def read(cls, stored: Json) -> "Known":
        """As it is stored."""
        known = thing(stored, "known") or {}
        at = known.get("at")
        return cls(
            names={str(key): str(name) for key, name in (thing(known, "names") or {}).items()},
            at=datetime.fromtimestamp(float(at), UTC)
            if isinstance(at, int | float)
            else datetime.fromtimestamp(0, UTC),
            title=text(known, "title"),
            member=known.get("member") is True,
            own_room=known.get("own_room") is True,
        )


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads for one bot; it must know the bot's own user id to see who is meant."""

    channel_id: str
    user_id: str

    def parse(self, stored: Mapping[str, Any]) -> Sequence[Inbound]:
        """What it means: one thing, or nothing that concerns us.

        Raises:
            ValueError: Slack could not have sent this.
        """
        if not isinstance(stored, Mapping):
            raise ValueError("what is stored is an object")
        kind, payload, known = need_text(stored, "type"), need_thing(stored, "payload"), Known.read(stored)
        found: Inbound | None = None
        if kind == EVENT:
            found = self._event(need_thing(payload, "event"), payload, known)
        elif kind == SLASH:
            found = self._slash(payload, known)
        elif kind == INTERACTIVE and payload.get("type") == "block_actions":
            found = self._press(payload, known)
        elif kind == INTERACTIVE and payload.get("type") == "view_submission":
            found = self._sent_form(payload, known)
        return (found,) if found else ()

    # ---- messages --------------------------------------------------------------------------------------------------

    def _event(self, event: Json, payload: Json, known: Known) -> Inbound | None:
        kind = need_text(event, "type")
        if kind == "app_mention":
            return self._message(event, event, known)
        if kind == "message":
            if event.get("subtype") == "message_changed":
                return self._edited(event, need_text(payload, "event_id"), known)
            return self._message(event, event, known)
        if kind == "member_joined_channel" and event.get("user") == self.user_id:
            chat = ChatRef(self.channel_id, need_text(event, "channel"), ChatKind.GROUP, title=known.title)
            inviter = text(event, "inviter")
            by = self._sender(inviter, known) if inviter else None
            return Joined(chat, by, need_text(payload, "event_id"), known.at)
        if went_out(event, self.user_id):
            chat = ChatRef(self.channel_id, need_text(event, "channel"), ChatKind.GROUP, title=known.title)
            return Left(chat, need_text(payload, "event_id"), known.at)
        return None

    def _message(self, message: Json, event: Json, known: Known) -> InboundMessage | None:
        """What a person wrote; None for bots, for what nobody wrote and for what says nothing."""
        author = text(message, "user")
        if text(message, "subtype") not in READ_SUBTYPES or author is None or "bot_id" in message:
            return None
        if author in (self.user_id, SLACKBOT):
            return None
        room, ts, thread = need_text(event, "channel"), need_text(message, "ts"), text(message, "thread_ts")
        thread = None if thread == ts else thread
        raw = text(message, "text") or ""
        mentioned = mentions(raw, self.user_id)
        words, shared = plain_words(raw, self.user_id, known.names), _shared(message)
        files = _files(message)
        if not (words or shared or files or mentioned):
            return None
        private = event.get("channel_type") == "im" or room.startswith("D")
        forwarded = shared if shared and not words else None
        return InboundMessage(
            chat=self._private(author) if private else self._group(room, thread or (ts if mentioned else None), known),
            sender=self._sender(author, known),
            message_id=f"{ts}/{thread}" if private and thread else ts,
            text=forwarded.text if forwarded else words,
            update_id=f"{room}:{ts}",
            at=time_of(ts),
            attachments=files,
            reply_to=None if forwarded else shared or (self._answered(message, thread) if private else None),
            forwarded_from=forwarded.author if forwarded else None,
            mentioned=mentioned,
        )

    def _edited(self, event: Json, event_id: str, known: Known) -> Edited | None:
        """Words that were changed; Slack says the same when it adds the preview of a link."""
        now, before = need_thing(event, "message"), thing(event, "previous_message")
        if before is not None and before.get("text") == now.get("text"):
            return None
        message = self._message(now, event, known)
        if message is None:
            return None
        return Edited(replace(message, update_id=event_id))

    def _answered(self, message: Json, thread: str | None) -> Quoted | None:
        """In a private chat, to write in the thread under the bot's message is to answer that message."""
        if thread is None or message.get("parent_user_id") != self.user_id:
            return None
        return Quoted(message_id=thread, text="", author="the bot", from_bot=True)

    def _slash(self, payload: Json, known: Known) -> InboundMessage:
        """`/conch …`: in the private chat or a channel with the bot as if written there, anywhere else in private."""
        trigger, person = need_text(payload, "trigger_id"), need_text(payload, "user_id")
        room, said = need_text(payload, "channel_id"), (text(payload, "text") or "").strip()
        here = known.member and not known.own_room
        names = {person: text(payload, "user_name") or person, **known.names}
        return InboundMessage(
            chat=self._group(room, None, known) if here else self._private(person),
            sender=Sender(person, names[person], text(payload, "user_name")),
            message_id=f"{SLASH_HERE if here or known.own_room else SLASH_AWAY}{trigger}",
            text=f"{limits.COMMAND} {plain_words(said, self.user_id, names)}".strip(),
            update_id=f"slash:{trigger}",
            at=known.at,
            mentioned=here,
        )

    # ---- buttons, forms --------------------------------------------------------------------------------------------

    def _press(self, payload: Json, known: Known) -> Press | None:
        """A button, or an option of a list; None for a button that only opens an address."""
        actions = things(payload, "actions")
        token = forms.token_of(actions[0]) if actions else None
        if token is None:
            return None
        container, trigger = thing(payload, "container") or {}, need_text(payload, "trigger_id")
        person, message = need_text(need_thing(payload, "user"), "id"), thing(payload, "message") or {}
        room = text(container, "channel_id") or need_text(need_thing(payload, "channel"), "id")
        private = room.startswith("D") or container.get("is_ephemeral") is True
        thread = text(message, "thread_ts") or text(container, "thread_ts")
        own_id = (text(actions[0], "block_id") or "").partition("#")[0]
        is_ours = own_id.startswith(SLASH_AWAY)
        stands_at = own_id if is_ours else text(container, "message_ts") or need_text(message, "ts")
        chat = self._private(person) if private else self._group(room, thread, known)
        when = text(actions[0], "action_ts")
        return Press(
            id=trigger,
            token=token,
            message=MessageRef(chat, stands_at),
            sender=self._sender(person, known, payload),
            update_id=f"press:{trigger}",
            at=time_of(when) if when else known.at,
        )

    def _sent_form(self, payload: Json, known: Known) -> Press | None:
        view = need_thing(payload, "view")
        sent = forms.read(view)
        if sent is None:
            return None
        person = need_text(need_thing(payload, "user"), "id")
        chat = self._private(person) if sent.private else self._group(sent.chat_id, sent.thread, known)
        return Press(
            id=text(payload, "trigger_id") or "",
            token=sent.token,
            message=MessageRef(chat, sent.message_id),
            sender=self._sender(person, known, payload),
            update_id=f"form:{need_text(view, 'id')}:{text(view, 'hash') or ''}",
            at=known.at,
            filled=sent.filled,
        )

    # ---- who and where ---------------------------------------------------------------------------------------------

    def _private(self, person_id: str) -> ChatRef:
        return ChatRef(self.channel_id, person_id)

    def _group(self, room: str, thread: str | None, known: Known) -> ChatRef:
        return ChatRef(self.channel_id, room, ChatKind.GROUP, thread, known.title)

    def _sender(self, person_id: str, known: Known, payload: Json | None = None) -> Sender:
        user = thing(payload, "user") if payload else None
        username = (text(user, "username") or text(user, "name")) if user else None
        return Sender(person_id, known.names.get(person_id) or username or person_id, username)


def went_out(event: Json, user_id: str) -> bool:
    """Whether the bot is in a channel no more; Slack tells that in more than one way."""
    kind = event.get("type")
    return kind in ("channel_left", "group_left") or (kind == "member_left_channel" and event.get("user") == user_id)


def _shares(message: Json) -> list[Json]:
    """Messages that were shared with it; not those whose address was merely written."""
    return [attached for attached in things(message, "attachments") if attached.get("is_share") is True]


def _shared(message: Json) -> Quoted | None:
    """Somebody's message that was shared; of several each with its author's name, so that none is lost."""
    shares = [(_author(share), _words_of(share)) for share in _shares(message)]
    if not shares:
        return None
    authors = " and ".join(dict.fromkeys(author for author, _ in shares))
    said = shares[0][1] if len(shares) == 1 else "\n".join(f"{author}: {words}" for author, words in shares)
    return Quoted(message_id="", text=said, author=authors)


def _author(share: Json) -> str:
    return text(share, "author_name") or text(share, "author_subname") or "somebody"


def _words_of(share: Json) -> str:
    return plain_words(text(share, "text") or text(share, "fallback") or "[a message]", "", {})


def _files(message: Json) -> tuple[InboundAttachment, ...]:
    """Its own, and those of messages that were shared with it."""
    found = []
    for file in [*things(message, "files"), *(file for share in _shares(message) for file in things(share, "files"))]:
        if file.get("mode") in _GONE_FILES:
            continue
        mime = text(file, "mimetype")
        address = text(file, "url_private_download") or text(file, "url_private")
        found.append(
            InboundAttachment(
                handle=address or f"file:{need_text(file, 'id')}",
                name=text(file, "name") or text(file, "title") or "file",
                kind=_KINDS.get((mime or "").partition("/")[0], AttachmentKind.FILE),
                mime=mime,
                size=number(file, "size"),
            )
        )
    return tuple(found)
