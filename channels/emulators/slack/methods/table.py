"""Every method that is played, by its name."""

from channels.emulators.slack.methods import account, messages, rooms
from channels.emulators.slack.methods.call import Method

METHODS: dict[str, Method] = {method.name: method for group in (account, messages, rooms) for method in group.METHODS}
