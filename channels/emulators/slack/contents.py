"""What a bot says, read and checked: text, blocks, markdown_text.

Belongs here: from the fields of a call to a `Content`, with Slack's refusals. What is allowed in one block belongs to
`blocks`.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from channels.emulators.slack import limits
from channels.emulators.slack.blocks import check_message, text_length
from channels.emulators.slack.chats import Block, Content
from channels.emulators.slack.errors import ApiError


def content_of(is_strict: bool, given: Mapping[str, Any]) -> Content:
    """The content of a message.

    Raises:
        ApiError: `no_text`, `invalid_blocks`, `msg_blocks_too_long`, `markdown_text_conflict` …
    """
    text, markdown = given.get("text") or "", given.get("markdown_text")
    blocks: Sequence[Block] = given.get("blocks") or []
    attachments: Sequence[Mapping[str, Any]] = given.get("attachments") or []
    if markdown is not None:
        if text or blocks:
            raise ApiError("markdown_text_conflict")
        blocks, text = [markdown_block(markdown)], markdown
    if not text and not blocks and not attachments:
        raise ApiError("no_text")
    refuse_wrong(blocks, is_strict=is_strict)
    if is_strict and blocks and not text:
        raise ApiError("invalid_arguments", ["strict: blocks without text: a notification would say nothing"])
    return Content(text[: limits.TEXT], named(blocks), attachments, metadata=given.get("metadata"))


def refuse_wrong(blocks: Sequence[Block], *, is_strict: bool) -> None:
    """Refuse blocks that Slack would not take.

    Raises:
        ApiError: `invalid_blocks` with what is wrong where, or `msg_blocks_too_long`.
    """
    wrong = check_message(blocks, is_strict=is_strict)
    if wrong:
        raise ApiError("invalid_blocks", wrong, errors=wrong)
    if text_length(blocks) > limits.BLOCKS_TEXT:
        raise ApiError("msg_blocks_too_long")


def markdown_block(text: str) -> Block:
    """`markdown_text` as the block that it becomes.

    Raises:
        ApiError: it is too long, or empty.
    """
    if not text:
        raise ApiError("no_text")
    if len(text) > limits.MARKDOWN:
        raise ApiError("msg_too_long")
    return {"type": "markdown", "text": text}


def named(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with an id each, as Slack gives them one."""
    return [{**block, "block_id": block.get("block_id") or secrets.token_urlsafe(4)} for block in blocks]
