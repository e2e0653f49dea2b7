"""What a bot sends, read: the words, embeds, components and files of a message, with Discord's refusals.

Belongs here: checking a message's body and making it content. Doing something with it belongs to `routes`.
"""

from collections.abc import Mapping
from typing import Any

from channels.emulators.discord import components, limits
from channels.emulators.discord.errors import FormErrors, empty_message, too_large
from channels.emulators.discord.files import Upload, stored
from channels.emulators.discord.places import V2, Attachment, Content
from channels.emulators.discord.snowflakes import Snowflakes

Body = Mapping[str, Any]


def check_message(body: Body, *, flags: int = 0) -> None:
    """Refuse a body that breaks a limit; `flags` are those that the message has already.

    Raises:
        ApiError: 400 with code 50035 and every mistake at its place.
    """
    errors = FormErrors()
    v2 = bool(((body.get("flags") or 0) | flags) & V2)
    if body.get("content") is not None:
        errors.length("content", body["content"], limits.CONTENT)
    if v2 and (body.get("content") or body.get("embeds")):
        words = "The field cannot be used with the IS_COMPONENTS_V2 flag."
        errors.add("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", words)
    if body.get("embeds") is not None:
        _check_embeds(body["embeds"], errors)
    if body.get("components") is not None:
        components.check(body["components"], errors, v2=v2)
    if body.get("nonce") is not None:
        errors.length("nonce", str(body["nonce"]), limits.NONCE)
    errors.raise_if_any()


def new_content(body: Body, uploads: Mapping[str, Upload], ids: Snowflakes) -> Content:
    """What a new message says.

    Raises:
        ApiError: it says nothing, or a file is too large.
    """
    content = _content(body, uploads, ids, Content())
    if not (content.text or content.embeds or content.components or content.attachments):
        raise empty_message()
    return content


def changed_content(body: Body, uploads: Mapping[str, Upload], ids: Snowflakes, old: Content) -> Content:
    """What a message says after an edit: what is not named stays.

    Raises:
        ApiError: nothing is left of it, or a file is too large.
    """
    content = _content(body, uploads, ids, old)
    if not (content.text or content.embeds or content.components or content.attachments):
        raise empty_message()
    return content


def _content(body: Body, uploads: Mapping[str, Upload], ids: Snowflakes, old: Content) -> Content:
    text = (body.get("content") or "").strip() if "content" in body else old.text
    embeds = tuple(_embed(e) for e in body.get("embeds") or []) if "embeds" in body else old.embeds
    shown = components.kept(body.get("components")) if "components" in body else old.components
    return Content(text, embeds, shown, _attachments(body, uploads, ids, old))


def _embed(embed: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich", **{name: value for name, value in embed.items() if value is not None}}


def _attachments(body: Body, uploads: Mapping[str, Upload], ids: Snowflakes, old: Content) -> tuple[Attachment, ...]:
    if any(len(upload.data) > limits.FILE_BYTES for upload in uploads.values()):
        raise too_large()
    described = body.get("attachments") if "attachments" in body else None
    named = {str(a.get("id")): a for a in described or []}
    staying = old.attachments if described is None else tuple(a for a in old.attachments if a.id in named)
    new = []
    for field, upload in uploads.items():
        about = named.get(field.removeprefix("files[").removesuffix("]"), {})
        new.append(stored(ids, about.get("filename") or upload.name, upload.data, about.get("description")))
    if len(staying) + len(new) > limits.FILES:
        errors = FormErrors()
        errors.count("attachments", len(staying) + len(new), limits.FILES)
        errors.raise_if_any()
    return (*staying, *new)


def _check_embeds(embeds: list[dict[str, Any]], errors: FormErrors) -> None:
    errors.count("embeds", len(embeds), limits.EMBEDS)
    together = 0
    for place, embed in enumerate(embeds):
        for path, words, most in _embed_texts(embed):
            errors.length(f"embeds.{place}.{path}", words, most)
            together += len(words) if isinstance(words, str) else 0
        errors.count(f"embeds.{place}.fields", len(embed.get("fields") or []), limits.EMBED_FIELDS)
        for number, field in enumerate(embed.get("fields") or []):
            for name in ("name", "value"):
                if not field.get(name):
                    errors.required(f"embeds.{place}.fields.{number}.{name}")
    if together > limits.EMBEDS_TOGETHER:
        words = f"Embed size exceeds maximum size of {limits.EMBEDS_TOGETHER}"
        errors.add("embeds", "MAX_EMBED_SIZE_EXCEEDED", words)


def _embed_texts(embed: dict[str, Any]) -> list[tuple[str, object, int]]:
    """Each text of an embed: where it is, what it says, how long it may be."""
    texts: list[tuple[str, object, int]] = [
        ("title", embed.get("title") or "", limits.EMBED_TITLE),
        ("description", embed.get("description") or "", limits.EMBED_DESCRIPTION),
        ("footer.text", (embed.get("footer") or {}).get("text") or "", limits.EMBED_FOOTER),
        ("author.name", (embed.get("author") or {}).get("name") or "", limits.EMBED_AUTHOR),
    ]
    for number, field in enumerate(embed.get("fields") or []):
        texts.append((f"fields.{number}.name", field.get("name") or "", limits.EMBED_FIELD_NAME))
        texts.append((f"fields.{number}.value", field.get("value") or "", limits.EMBED_FIELD_VALUE))
    return texts
