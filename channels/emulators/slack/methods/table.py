"""Every method that is played, by its name."""

from channels.emulators.slack.methods import account, messages, rooms, sending, streams, views
from channels.emulators.slack.methods.call import Method

METHODS: dict[str, Method] = {
    method.name: method for group in (account, messages, rooms, streams, sending, views) for method in group.METHODS
}
