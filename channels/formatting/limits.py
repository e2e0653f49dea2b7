"""How much text each app takes in one message, as data with sources. Other limits of an app: its own `limits`.

A limit counts what the app counts: Telegram the text after its markup was read, the others the markup as sent.
"""

TELEGRAM_TEXT = 4096
"""UTF-16 units after entity parsing (core.telegram.org/bots/api#sendmessage)."""

TELEGRAM_BYTES = 32_000
"""UTF-8 bytes of the HTML as sent. Bot API servers refuse more than 32 KiB (tdlib/telegram-bot-api, Client.cpp)."""

TELEGRAM_ENTITIES = 100
"""Formatted stretches in one message. Telegram ignores any more without a word (telegram.constants.MessageLimit)."""

DISCORD_TEXT = 2000
"""Code points (discord.com/developers/docs/resources/message#create-message; how they are counted:
discord/discord-api-docs#1315)."""

SLACK_MARKDOWN = 12_000
"""UTF-16 units, the larger of the possible readings of "characters", of all `markdown` blocks in one message
(docs.slack.dev/reference/block-kit/blocks/markdown-block)."""

SLACK_TEXT = 4_000
"""UTF-16 units of a `text` in mrkdwn: more is shown up to 40,000 but cannot be edited (`msg_too_long`)."""

TEAMS_TEXT = 20_000
"""UTF-16 units. A message may have 100 KB in UTF-16 all told, and Microsoft says to stay under 80: 20,000 units are
40 KB, and still 80 where JSON has to escape every one of them
(learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages)."""

PREVIEW = 2_500
"""Of a message that is still being written, this much of its newest text is shown."""

SMALLEST = 200
"""No part is made smaller: below this, markers, fences and one emoji may not fit side by side."""

PARSED = 200_000
"""Characters of Markdown that are parsed; a longer text is sent as it is, unformatted. No answer is as long, and
nobody else's message waits while a megabyte is taken apart."""
