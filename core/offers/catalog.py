"""The apps that Conch knows, as data. Which of them are connected, and how connecting goes, is not known here."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Connects(StrEnum):
    """How an app is connected."""

    SIGN_IN = "sign-in"
    """The owner signs in with the app and says yes there."""
    KEY = "key"
    """The owner pastes a key that the app made for them."""
    ADDRESS = "address"
    """The owner gives the address of a server that speaks MCP."""


@dataclass(frozen=True, slots=True)
class CatalogApp:
    """An app. `name` has at most 40 characters, `tagline` 60, so that lists and cards stay short.

    `cues` are words and phrases, in small letters, with which people mean it without its name. `colour` is the app's
    own, as `#rrggbb`.
    """

    id: str
    name: str
    tagline: str
    colour: str
    connects: Connects
    cues: tuple[str, ...] = ()
    featured: bool = False
    retired: bool = False
    """It was known once; nobody is offered it any more."""
    can_be_connected: bool = False
    """Connecting it is built. One that is only known is never offered: the card would lead nowhere."""
    everyday_word: bool = False
    """Its name is a word of its own (“linear”): only with a capital inside a sentence it is the app."""
    for_trying: bool = False
    """Nothing in it is real, so it is offered only where somebody tries Conch out."""


_CALENDAR: Final = ("my calendar", "my schedule", "my agenda", "my meetings", "my next meeting", "my appointments")
_MAIL: Final = ("my inbox", "my mail", "my mails", "my email", "my emails", "unread mail", "unread emails")

DEMO_CALENDAR: Final = CatalogApp(
    id="demo-calendar",
    name="Demo Calendar",
    tagline="A made-up calendar, to try connecting an app",
    colour="#5b5bd6",
    connects=Connects.SIGN_IN,
    cues=_CALENDAR,
    featured=True,
    can_be_connected=True,
    for_trying=True,
)
"""In the playground, and as long as only the demo answers. Whoever wants it elsewhere connects it by its id."""

CATALOG: Final = (
    CatalogApp(
        "google-calendar",
        "Google Calendar",
        "See and plan your appointments",
        "#4285f4",
        Connects.SIGN_IN,
        cues=_CALENDAR,
        featured=True,
    ),
    CatalogApp("gmail", "Gmail", "Search and read your mail", "#ea4335", Connects.SIGN_IN, cues=_MAIL, featured=True),
    CatalogApp(
        "google-drive",
        "Google Drive",
        "Find and read your files",
        "#0f9d58",
        Connects.SIGN_IN,
        cues=("my drive", "google docs", "google sheets", "my google doc"),
        featured=True,
    ),
    CatalogApp(
        "slack",
        "Slack",
        "Search and read your workspace's channels",
        "#4a154b",
        Connects.SIGN_IN,
        cues=("on slack", "slack channel", "slack thread", "slack message", "slack messages"),
        featured=True,
        everyday_word=True,
    ),
    CatalogApp(
        "github",
        "GitHub",
        "Work with issues, pull requests and code",
        "#24292f",
        Connects.KEY,
        cues=("my pull requests", "my pull request", "my repos", "my repositories"),
        featured=True,
    ),
    CatalogApp(
        "linear",
        "Linear",
        "Look up and file issues",
        "#5e6ad2",
        Connects.SIGN_IN,
        cues=("linear issue", "linear issues", "linear ticket", "linear tickets"),
        everyday_word=True,
    ),
    CatalogApp(
        "notion",
        "Notion",
        "Search and read your pages",
        "#2f3437",
        Connects.SIGN_IN,
        cues=("notion page", "notion pages", "my notion", "notion database"),
        everyday_word=True,
    ),
    CatalogApp(
        "atlassian",
        "Atlassian",
        "Work with Jira issues and Confluence pages",
        "#0052cc",
        Connects.SIGN_IN,
        cues=("jira", "confluence"),
    ),
    CatalogApp(
        "todoist",
        "Todoist",
        "See and add your tasks",
        "#e44332",
        Connects.KEY,
        cues=("my to-do list", "my todo list", "my to-dos", "my todos"),
    ),
    CatalogApp(
        "home-assistant",
        "Home Assistant",
        "See and switch things at home",
        "#18bcf2",
        Connects.KEY,
        cues=("my smart home", "my thermostat", "my lights"),
    ),
    CatalogApp("mcp", "MCP server", "Use the tools of any server, by its address", "#6e6e80", Connects.ADDRESS),
)


def catalog(*, demo: bool) -> tuple[CatalogApp, ...]:
    """All apps, with or without the demo's calendar."""
    return (*CATALOG, DEMO_CALENDAR) if demo else CATALOG
