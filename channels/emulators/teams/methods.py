"""What a bot can ask of the Connector: to say, change and take away messages, to open a chat, to look who is there.

Belongs here: an address and a function for each. Tokens and faults are `connector`'s.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from channels.emulators.teams import acting, streams
from channels.emulators.teams.chats import Chat, ChatKind, Message
from channels.emulators.teams.contents import check_size, content_of
from channels.emulators.teams.errors import ApiError
from channels.emulators.teams.people import Bot, Person
from channels.emulators.teams.streams import Streams
from channels.emulators.teams.world import World

Result = tuple[int, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call: whose, with what, about what."""

    world: World
    streams: Streams
    bot: Bot
    body: Any
    about: Mapping[str, str]

    @property
    def activity(self) -> Mapping[str, Any]:
        """The body as an activity.

        Raises:
            ApiError: it is none.
        """
        if not isinstance(self.body, Mapping) or not isinstance(self.body.get("type"), str):
            raise ApiError("BadSyntax", "Activity must have a type.")
        return self.body

    def chat(self) -> tuple[Chat, str | None]:
        """The chat that is written to, and the thread."""
        return self.world.chat_to_write(self.bot, self.about["conversation"])

    def message(self) -> Message:
        """The bot's own message that the call is about.

        Raises:
            ApiError: there is none, or it is gone.
        """
        chat, _ = self.chat()
        found = chat.messages.get(self.about["activity"])
        if found is None or found.deleted:
            raise ApiError("ActivityNotFoundInConversation")
        if found.sender is not self.bot:
            raise ApiError("BotNotInConversationRoster", "The bot can change its own messages only.")
        return found


def send(call: Call) -> Result:
    """POST …/activities: a message, or the sign that the bot types; one of a stream is `streams`'."""
    activity = call.activity
    chat, root = call.chat()
    check_size(activity)
    if activity["type"] not in ("message", "typing"):
        raise ApiError("BadArgument", "Unknown activity type.")
    if streams.about(activity) is not None:
        return call.streams.take(call.bot, chat, activity)
    if activity["type"] == "typing":
        chat.typing_since = call.world.clock.monotonic()
        call.world.show("typing", chat)
        return 201, {"id": call.world.new_id()}
    content = content_of(activity, is_strict=call.world.strict, private=chat.private)
    posted = call.world.post(chat, call.bot, content, root=root)
    acting.refresh(call.world, posted)
    return 201, {"id": posted.id}


def update(call: Call) -> Result:
    """PUT …/activities/{id}."""
    message = call.message()
    check_size(call.activity)
    if call.activity["type"] != "message":
        raise ApiError("BadArgument", "Unknown activity type.")
    content = content_of(call.activity, is_strict=call.world.strict, private=message.chat.private)
    call.world.edit(message, content)
    acting.refresh(call.world, message)
    return 200, {"id": message.id}


def delete(call: Call) -> Result:
    """DELETE …/activities/{id}."""
    call.world.delete(call.message())
    return 200, None


def create(call: Call) -> Result:
    """POST /v3/conversations: the private chat with somebody, or a new thread in a channel."""
    body = call.body if isinstance(call.body, Mapping) else {}
    members: Sequence[Any] = body.get("members") or ()
    channel = ((body.get("channelData") or {}).get("channel") or {}).get("id")
    if channel is not None:
        chat, _ = call.world.chat_to_write(call.bot, str(channel))
        content = content_of(body.get("activity") or {}, is_strict=call.world.strict, private=False)
        posted = call.world.post(chat, call.bot, content)
        return 201, {"id": f"{chat.id};messageid={posted.id}", "activityId": posted.id}
    if len(members) != 1 or body.get("isGroup"):
        raise ApiError("BadSyntax", "Exactly one member, please.")
    person = call.world.accounts.get(str(members[0].get("id")))
    if not isinstance(person, Person):
        raise ApiError("BadSyntax", "Failed to decrypt conversation id.")
    chat = call.world.private_chat(person, call.bot)
    if not chat.installed:
        raise ApiError("BotNotInConversationRoster")
    return 201, {"id": chat.id}


def members_of(call: Call) -> Result:
    """GET …/members."""
    return 200, _roster(call)


def paged_members(call: Call) -> Result:
    """GET …/pagedmembers."""
    return 200, {"members": _roster(call), "continuationToken": None}


def _roster(call: Call) -> list[dict[str, Any]]:
    chat, _ = call.world.chat_to_read(call.bot, call.about["conversation"])
    return [person.member for person in chat.people]


def member(call: Call) -> Result:
    """GET …/members/{id}, by either id."""
    chat, _ = call.world.chat_to_read(call.bot, call.about["conversation"])
    for person in chat.people:
        if call.about["member"] in (person.id, person.aad_id):
            return 200, person.member
    raise ApiError("ConversationNotFound", "MemberNotFoundInConversation")


def team(call: Call) -> Result:
    """GET /v3/teams/{id}."""
    for chat in call.world.chats.values():
        if chat.kind is ChatKind.CHANNEL and call.about["team"] == chat.team:
            return 200, {"id": chat.team, "name": chat.title, "aadGroupId": chat.team}
    raise ApiError("ConversationNotFound")


def attachment(call: Call) -> Result:
    """GET /v3/attachments/{id}: what it is."""
    stored = call.world.files.get(call.about["attachment"])
    if stored is None:
        raise ApiError("ConversationNotFound", "Attachment not found.")
    view = {"viewId": "original", "size": stored.size}
    return 200, {"name": stored.name, "type": stored.mime, "views": [view]}


def attachment_view(call: Call) -> Result:
    """GET /v3/attachments/{id}/views/original: the bytes."""
    stored = call.world.files.get(call.about["attachment"])
    if stored is None:
        raise ApiError("ConversationNotFound", "Attachment not found.")
    return 200, stored.data + bytes(max(0, stored.size - len(stored.data)))


def upload(world: World, upload_id: str, data: bytes, content_range: str) -> Result:
    """Bytes of a file that a person agreed to; of graph/api/driveitem-createuploadsession."""
    place = world.files.upload(upload_id)
    if place is None or place.done:
        return 404, {"error": {"code": "itemNotFound", "message": "The upload session was not found"}}
    match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", content_range)
    if match is None:
        return 400, {"error": {"code": "invalidRequest", "message": "Invalid Content-Range header"}}
    first, last, whole = (int(number) for number in match.groups())
    if first != len(place.data) or last - first + 1 != len(data) or last >= whole:
        return 416, {"error": {"code": "invalidRange", "message": "The uploaded fragment overlaps or leaves a gap"}}
    place.data += data
    if len(place.data) < whole:
        return 202, {"nextExpectedRanges": [f"{len(place.data)}-"]}
    stored = world.files.finish(place)
    return 201, {"id": stored.id, "name": stored.name, "size": stored.size}


Run = Callable[[Call], Result]

_CONVERSATION = "v3/conversations/{conversation}"
_ROUTES: Sequence[tuple[str, str, str, Run]] = (
    ("create", "POST", "v3/conversations", create),
    ("send", "POST", f"{_CONVERSATION}/activities", send),
    ("reply", "POST", f"{_CONVERSATION}/activities/{{activity}}", send),
    ("update", "PUT", f"{_CONVERSATION}/activities/{{activity}}", update),
    ("delete", "DELETE", f"{_CONVERSATION}/activities/{{activity}}", delete),
    ("members", "GET", f"{_CONVERSATION}/members", members_of),
    ("paged_members", "GET", f"{_CONVERSATION}/pagedmembers", paged_members),
    ("member", "GET", f"{_CONVERSATION}/members/{{member}}", member),
    ("team", "GET", "v3/teams/{team}", team),
    ("attachment", "GET", "v3/attachments/{attachment}", attachment),
    ("attachment_view", "GET", "v3/attachments/{attachment}/views/original", attachment_view),
)
"""Name, verb, address and function of each call."""


def find(verb: str, path: Sequence[str]) -> tuple[str, Run, dict[str, str]] | None:
    """The call behind a verb and a path, and what is named in the path."""
    for name, wanted, pattern, run in _ROUTES:
        parts = pattern.split("/")
        if verb != wanted or len(parts) != len(path):
            continue
        pairs = list(zip(parts, path, strict=True))
        if all(part.startswith("{") or part == given for part, given in pairs):
            return name, run, {part[1:-1]: given for part, given in pairs if part.startswith("{")}
    return None
