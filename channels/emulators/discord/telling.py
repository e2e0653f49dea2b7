"""A message in Discord's own JSON, and what of it a bot may read.

Belongs here: the shape of a message on the wire. Sending it belongs to `world`.
"""

from typing import Any
from urllib.parse import quote

from channels.emulators.discord.people import Bot
from channels.emulators.discord.places import DM, Attachment, Content, Message


def message_json(message: Message, *, base: str, readable: bool = True, nested: bool = True) -> dict[str, Any]:
    """As Discord speaks of it. Where it is not `readable`, everything that was said in it is empty."""
    content = message.content if readable else Content()
    told: dict[str, Any] = {
        "id": message.id,
        "channel_id": message.channel.id,
        "author": message.author.user,
        "content": content.text,
        "timestamp": message.at.isoformat(),
        "edited_timestamp": message.edited_at.isoformat() if message.edited_at is not None else None,
        "tts": False,
        "mention_everyone": message.everyone,
        "mentions": [account.user for account in message.mentions],
        "mention_roles": [],
        "attachments": [attachment_json(a, message, base) for a in content.attachments],
        "embeds": list(content.embeds),
        "components": list(content.components),
        "pinned": False,
        "type": message.kind,
        "flags": message.flags,
    }
    if message.author.is_bot:
        told["application_id"] = message.author.id
    if message.nonce is not None:
        told["nonce"] = message.nonce
    if message.reactions:
        told["reactions"] = _reactions(message)
    if message.interaction is not None:
        told["interaction_metadata"] = message.interaction
    if message.reply_to is not None:
        told |= _reply(message.reply_to, base=base, readable=readable, nested=nested)
    return told


def told_to(bot: Bot, message: Message, *, base: str, intents: bool) -> dict[str, Any]:
    """The same with what events add. `intents`: whether the session asked for the content of messages.

    Without that a bot reads private chats, what names it, and its own (Discord's "Message Content Intent").
    """
    told = message_json(message, base=base, readable=readable_by(bot, message, allowed=intents))
    guild = message.channel.guild
    if guild is not None:
        told["guild_id"] = guild.id
        if message.author.id in guild.people or message.author.id in guild.bots:
            told["member"] = guild.member(message.author)
    told["channel_type"] = message.channel.kind
    return told


def readable_by(bot: Bot, message: Message, *, allowed: bool) -> bool:
    """Whether a bot is given the words of a message."""
    return allowed or message.channel.kind == DM or message.author is bot or bot in message.mentions


def attachment_json(attachment: Attachment, message: Message, base: str) -> dict[str, Any]:
    """A file under a message, with the address it can be fetched from."""
    url = f"{base}/attachments/{message.channel.id}/{attachment.id}/{quote(attachment.name)}"
    told = {
        "id": attachment.id,
        "filename": attachment.name,
        "size": attachment.size,
        "url": url,
        "proxy_url": url,
        "content_type": attachment.mime,
    }
    if attachment.description is not None:
        told["description"] = attachment.description
    if attachment.mime.startswith("image/"):
        told |= {"width": 1, "height": 1}
    return told


def _reactions(message: Message) -> list[dict[str, Any]]:
    return [
        {
            "emoji": {"id": None, "name": emoji},
            "count": len(who),
            "count_details": {"burst": 0, "normal": len(who)},
            "burst_colors": [],
            "me_burst": False,
            "burst_me": False,
            "burst_count": 0,
            "me": any(account.is_bot for account in who),
        }
        for emoji, who in message.reactions.items()
    ]


def _reply(replied: Message, *, base: str, readable: bool, nested: bool) -> dict[str, Any]:
    reference: dict[str, Any] = {"type": 0, "channel_id": replied.channel.id, "message_id": replied.id}
    if replied.channel.guild is not None:
        reference["guild_id"] = replied.channel.guild.id
    told: dict[str, Any] = {"message_reference": reference}
    if nested:
        shown = None if replied.deleted else message_json(replied, base=base, readable=readable, nested=False)
        told["referenced_message"] = shown
    return told
