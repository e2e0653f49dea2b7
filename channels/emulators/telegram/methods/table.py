"""Every method that is played, by its name in small letters: the Bot API does not mind how a name is written."""

from channels.emulators.telegram.methods import account, chats, edits, fetching, media, messages
from channels.emulators.telegram.methods.call import Method

METHODS: dict[str, Method] = {
    method.name.lower(): method
    for group in (fetching, messages, edits, media, account, chats)
    for method in group.METHODS
}
