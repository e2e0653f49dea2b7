"""Saying something: messages, drafts of one, and "typing"."""

from channels.emulators.telegram import limits
from channels.emulators.telegram.chats import Draft
from channels.emulators.telegram.content import Content
from channels.emulators.telegram.errors import bad_request
from channels.emulators.telegram.methods import saying
from channels.emulators.telegram.methods.call import Call, Method
from channels.emulators.telegram.parameters import CHAT, INTEGER, LIST, NOT_PLAYED, OBJECT, TEXT
from channels.emulators.telegram.text import units


async def send_message(call: Call) -> object:
    """1 to 4096 UTF-16 units after the markup is read."""
    content = Content(saying.message_text(call), keyboard=saying.keyboard(call), link_preview=saying.link_preview(call))
    return saying.say(call, content).to_json()


async def send_message_draft(call: Call) -> object:
    """An answer while it is written, in private chats only; on the screen for 30 seconds or until the message comes."""
    draft_id = call.integer("draft_id")
    if draft_id == 0:
        raise bad_request("draft identifier must be non-zero")
    text = saying.formatted(call, call.text("text"), call.text("parse_mode"), call.values.get("entities", []))
    if units(text.text) > limits.TEXT_UNITS:
        raise bad_request("message is too long")
    chat = call.chat_to_write()
    if not chat.private:
        raise bad_request("TEXTDRAFT_PEER_INVALID")
    thread = call.values.get("message_thread_id")
    if thread is not None:
        saying.checked_thread(chat, thread)
    call.services.flood.pass_(call.bot, chat, draft=True)
    draft = chat.drafts[thread] = Draft(draft_id, text, call.world.clock.monotonic())
    call.world.show("draft", chat, draft)
    return True


async def send_chat_action(call: Call) -> object:
    """Shown for 5 seconds or until a message comes."""
    action = call.text("action").lower()
    if action not in limits.CHAT_ACTIONS:
        raise bad_request("wrong parameter action in request")
    chat = call.chat_to_write()
    thread = call.values.get("message_thread_id")
    if thread is not None:
        saying.checked_thread(chat, thread)
    if action == "cancel":
        chat.actions.pop(thread, None)
    else:
        chat.actions[thread] = (action, call.world.clock.monotonic())
    call.world.show("action", chat, action)
    return True


METHODS = (
    Method(
        "sendMessage",
        {**saying.SAYING, "text": TEXT, "parse_mode": TEXT, "entities": LIST, "link_preview_options": OBJECT},
        send_message,
    ),
    Method(
        "sendMessageDraft",
        {
            "chat_id": CHAT,
            "message_thread_id": INTEGER,
            "draft_id": INTEGER,
            "text": TEXT,
            "parse_mode": TEXT,
            "entities": LIST,
        },
        send_message_draft,
    ),
    Method(
        "sendChatAction",
        {"chat_id": CHAT, "message_thread_id": INTEGER, "action": TEXT, "business_connection_id": NOT_PLAYED},
        send_chat_action,
    ),
)
