"""Pictures, files and albums from a bot, and fetching what people sent."""

from collections.abc import Mapping
from typing import Any

from channels.emulators.telegram import limits
from channels.emulators.telegram.content import Content, Media
from channels.emulators.telegram.errors import bad_request, strict
from channels.emulators.telegram.files import StoredFile
from channels.emulators.telegram.media import media_of, photo_problem
from channels.emulators.telegram.methods import saying
from channels.emulators.telegram.methods.call import Call, Method
from channels.emulators.telegram.parameters import FILE, FLAG, INTEGER, LIST, NOT_PLAYED, TEXT, Kind, Upload

_ABOUT = {"duration": INTEGER, "width": INTEGER, "height": INTEGER, "performer": TEXT, "title": TEXT}
_ALBUM_KINDS = frozenset({"photo", "video", "document", "audio"})
_TOGETHER = {"photo": "picture", "video": "picture", "document": "document", "audio": "audio"}
_ALBUM_FIELDS = frozenset({"type", "media", "caption", "parse_mode", "caption_entities", *_ABOUT})
_NOT_PLAYED = limits.words("thumbnail cover start_timestamp show_caption_above_media has_spoiler supports_streaming")

_NOT_FOR_ALBUMS = frozenset({"reply_markup", "suggested_post_parameters"})


async def send_file(call: Call) -> object:
    """One file: sendPhoto, sendDocument, sendVoice, sendAudio, sendVideo."""
    kind = call.method.removeprefix("send").lower()
    content = Content(
        saying.caption(call, call.values),
        media=_media(call, kind, call.values.get(kind), call.values),
        keyboard=saying.keyboard(call),
    )
    return saying.say(call, content).to_json()


async def send_media_group(call: Call) -> object:
    """2 to 10 pictures, files or pieces of music that belong together."""
    parts = call.values.get("media", [])
    contents = [_album_part(call, part) for part in parts]
    _check_album([content.media.kind for content in contents if content.media is not None], call)
    album = call.world.new_album()
    sent = [saying.say(call, content, album=album, counted=place == 0) for place, content in enumerate(contents)]
    return [message.to_json() for message in sent]


async def get_file(call: Call) -> object:
    """Where a file can be fetched for the next hour; up to 20 MB."""
    stored = call.world.files.get(call.text("file_id"))
    if stored is None:
        raise bad_request("invalid file_id")
    if stored.size > limits.DOWNLOAD_BYTES:
        raise bad_request("file is too big")
    path = call.world.files.open_path(stored)
    return {
        "file_id": stored.id,
        "file_unique_id": stored.unique_id,
        "file_size": stored.size,
        "file_path": path,
    }


def _album_part(call: Call, part: object) -> Content:
    if not isinstance(part, dict):
        raise bad_request("can't parse InputMedia: expected an Object")
    kind = part.get("type")
    if kind not in _ALBUM_KINDS:
        raise bad_request(f"can't parse InputMedia: type \"{kind}\" can't be used in sendMediaGroup")
    unknown = part.keys() - _ALBUM_FIELDS
    if unknown:
        name = sorted(unknown)[0]
        call.complain(f"{'not played here' if name in _NOT_PLAYED else 'no such field'}: InputMedia.{name}")
    name = part.get("media")
    source: Any = name
    if isinstance(name, str) and name.startswith("attach://"):
        source = call.uploads.get(name.removeprefix("attach://"))
    if not source:
        raise bad_request("can't parse InputMedia: media not found")
    return Content(saying.caption(call, part), media=_media(call, kind, source, part))


def _check_album(kinds: list[str], call: Call) -> None:
    if not kinds:
        raise bad_request("there are no messages to send")
    if len(kinds) >= limits.ALBUM.stop:
        raise bad_request("too many messages to send as an album")
    if len(kinds) < limits.ALBUM.start:
        call.complain(f"an album has at least {limits.ALBUM.start} parts")
    alone = [kind for kind in kinds if _TOGETHER[kind] != "picture"]
    if alone and len({_TOGETHER[kind] for kind in kinds}) > 1:
        raise bad_request(f"{alone[0]} can't be mixed with other media types")


def _media(call: Call, kind: str, source: object, about: Mapping[str, Any]) -> Media:
    if source is None:
        raise bad_request(f"there is no {kind} in the request")
    if isinstance(source, str):
        return _again(call, kind, source, about)
    if not isinstance(source, Upload):
        raise bad_request(f"can't parse InputMedia: there is no {kind} in the request")
    if not source.data:
        raise bad_request("file must be non-empty")
    if kind == "photo":
        problem = photo_problem(source.data)
        if problem is not None:
            raise bad_request(problem)
    stored = call.world.files.put(kind, source.name, source.data)
    return media_of(call.world.files, stored, about)


def _again(call: Call, kind: str, source: str, about: Mapping[str, Any]) -> Media:
    """A file that Telegram has already, by its id."""
    if source.startswith("attach://"):
        upload = call.uploads.get(source.removeprefix("attach://"))
        if upload is None:
            raise bad_request(f"there is no {kind} in the request")
        return _media(call, kind, upload, about)
    if source.startswith(("http://", "https://")):
        raise strict("the pretend Telegram fetches nothing from elsewhere; upload the file")
    stored: StoredFile | None = call.world.files.get(source)
    if stored is None:
        raise bad_request("wrong file identifier/HTTP URL specified")
    if stored.kind != kind:
        raise bad_request(f"can't use file of type {stored.kind.title()} as {kind.title()}")
    return media_of(call.world.files, stored, about)


def _method(name: str, *, about: str = "", not_played: str = "", **more: Kind) -> Method:
    kind = name.removeprefix("send").lower()
    told = {key: _ABOUT[key] for key in about.split()} | dict.fromkeys(not_played.split(), NOT_PLAYED)
    return Method(name, {**saying.SAYING, **saying.CAPTION, kind: FILE, **told, **more}, send_file)


METHODS = (
    _method("sendPhoto", not_played="has_spoiler show_caption_above_media"),
    _method("sendDocument", not_played="thumbnail", disable_content_type_detection=FLAG),
    _method("sendVoice", about="duration"),
    _method("sendAudio", about="duration performer title", not_played="thumbnail"),
    _method(
        "sendVideo",
        about="duration width height",
        not_played="thumbnail cover start_timestamp show_caption_above_media has_spoiler supports_streaming",
    ),
    Method(
        "sendMediaGroup",
        {name: kind for name, kind in saying.SAYING.items() if name not in _NOT_FOR_ALBUMS} | {"media": LIST},
        send_media_group,
    ),
    Method("getFile", {"file_id": TEXT}, get_file),
)
