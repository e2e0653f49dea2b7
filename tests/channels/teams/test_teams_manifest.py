"""The package that an admin uploads: what it says, and that it is whole."""

import io
import json
import struct
import zipfile

from channels.teams.manifest import manifest, package
from commands.menus import native_menu

APP_ID = "11111111-1111-4111-8111-111111111111"
ADDRESS = "https://conch.example"


def test_the_commands_are_those_of_the_menu() -> None:
    (bot,) = manifest(APP_ID, ADDRESS)["bots"]

    (listed,) = bot["commandLists"]

    wanted = [(f"/{entry.name}", entry.description) for entry in native_menu("teams").default]
    assert [(command["title"], command["description"]) for command in listed["commands"]] == wanted
    assert len(wanted) == 10


def test_the_bot_is_for_private_chats_alone_and_takes_files() -> None:
    (bot,) = manifest(APP_ID, ADDRESS)["bots"]

    assert (bot["botId"], bot["scopes"], bot["supportsFiles"]) == (APP_ID, ["personal"], True)


def test_every_text_fits_where_the_schema_says_how_long_it_may_be() -> None:
    made = manifest(APP_ID, ADDRESS)
    (bot,) = made["bots"]

    assert len(made["name"]["short"]) <= 30
    assert len(made["name"]["full"]) <= 100
    assert len(made["description"]["short"]) <= 80
    assert len(made["description"]["full"]) <= 4_000
    assert all(len(c["title"]) <= 32 and len(c["description"]) <= 128 for c in bot["commandLists"][0]["commands"])


def test_the_package_holds_the_manifest_and_icons_of_the_right_size() -> None:
    with zipfile.ZipFile(io.BytesIO(package(APP_ID, ADDRESS))) as archive:
        names = sorted(archive.namelist())
        read = json.loads(archive.read("manifest.json"))
        sides = [struct.unpack(">II", archive.read(name)[16:24]) for name in ("color.png", "outline.png")]

    assert names == ["color.png", "manifest.json", "outline.png"]
    assert read == manifest(APP_ID, ADDRESS)
    assert sides == [(192, 192), (32, 32)]


def test_the_package_is_the_same_each_time() -> None:
    assert package(APP_ID, ADDRESS) == package(APP_ID, ADDRESS)
