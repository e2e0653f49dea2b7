"""What a bot may do in a channel: the bits, by the names that Discord's settings have for them.

Belongs here: the names and numbers. Who has which belongs to `places`.
"""

ADD_REACTIONS = 1 << 6
VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
MANAGE_MESSAGES = 1 << 13
EMBED_LINKS = 1 << 14
ATTACH_FILES = 1 << 15
READ_MESSAGE_HISTORY = 1 << 16
MENTION_EVERYONE = 1 << 17
USE_APPLICATION_COMMANDS = 1 << 31
MANAGE_THREADS = 1 << 34
CREATE_PUBLIC_THREADS = 1 << 35
SEND_MESSAGES_IN_THREADS = 1 << 38

NAMES = {
    "add_reactions": ADD_REACTIONS,
    "view_channel": VIEW_CHANNEL,
    "send_messages": SEND_MESSAGES,
    "manage_messages": MANAGE_MESSAGES,
    "embed_links": EMBED_LINKS,
    "attach_files": ATTACH_FILES,
    "read_message_history": READ_MESSAGE_HISTORY,
    "mention_everyone": MENTION_EVERYONE,
    "use_application_commands": USE_APPLICATION_COMMANDS,
    "manage_threads": MANAGE_THREADS,
    "create_public_threads": CREATE_PUBLIC_THREADS,
    "send_messages_in_threads": SEND_MESSAGES_IN_THREADS,
}

EVERYONE = sum(NAMES.values()) & ~(MANAGE_MESSAGES | MANAGE_THREADS | MENTION_EVERYONE)
"""What a member has who was given no role."""


def bits(*names: str) -> int:
    """The bits of permissions by name.

    Raises:
        LookupError: there is none of that name here.
    """
    return sum({NAMES[name] for name in names})
