"""Teams's limits as data; see learn.microsoft.com/microsoftteams/platform where nothing else is said.

Belongs here: numbers only. What goes over one is refused where it is asked for.
"""

PAYLOAD_BYTES = 100 * 1024
"""Of a whole activity as JSON in UTF-16 (bots/how-to/format-your-bot-messages)."""

CARD_VERSION = (1, 5)
"""The newest version of an Adaptive Card that a bot may send (task-modules-and-cards/cards/cards-reference)."""

EXECUTE_VERSION = (1, 4)
"""The oldest version in which `Action.Execute` is known (cards/universal-actions-for-adaptive-cards)."""

SUGGESTED_SHOWN = 3
"""Suggested actions that are shown; the others are not (bots/how-to/conversations/conversation-messages)."""

REFRESH_USERS = 60
"""People for whom a card refreshes itself (cards/universal-actions-for-adaptive-cards)."""

CARD_ACTIONS_SHOWN = 6
"""Actions of one set that have a button of their own; the others are behind `…`."""

INVOKE_SECONDS = 5.0
"""An invoke is answered in this time, or the person sees an error."""

MESSAGE_SECONDS = 15.0
"""A message is acknowledged in this time, or it is brought once more."""

RETRY_PAUSES = (1.0, 5.0)
"""Seconds before a message that was not acknowledged is brought again."""

STREAM_SECONDS = 120.0
"""A stream is over after this time (bots/streaming-ux)."""

STREAM_PACE = 1.0
"""Seconds between two activities of a stream on average (bots/streaming-ux)."""

TYPING_SECONDS = 10.0
"""How long the sign that a bot types is shown without another."""

PER_CONVERSATION = ((1.0, 7), (2.0, 8), (30.0, 60), (3600.0, 1800))
"""Calls of one bot in one conversation, by seconds (bots/how-to/rate-limit)."""

PER_APP = ((1.0, 50),)
"""Calls of one bot in one organization, by seconds (bots/how-to/rate-limit)."""

TOKEN_SECONDS = 3599
"""How long an access token lasts."""

TOKEN_SKEW = 300
"""Seconds that clocks may differ by."""

INLINE_PICTURE_BYTES = 1024 * 1024
"""Of a picture that stands in a message itself (bots/how-to/bots-filesv4: 1024 by 1024, 1 MB)."""
