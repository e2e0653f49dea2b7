"""The owner's pages, all of them, put into the web application."""

from fastapi import FastAPI

from core.skills.skill import may
from core.skills.skills import Skills
from core.store.conversation_list import ConversationList
from web.administration import Administration
from web.cards import Drawer
from web.console.activity import ActivityPages
from web.console.apps import AppPages
from web.console.attached import Attached, FileRoutes
from web.console.backing import Backing
from web.console.channels import ChannelPages
from web.console.chat_list import ChatListPages
from web.console.chats import ChatPages, Chats
from web.console.desk import Desk
from web.console.engines import EnginePages
from web.console.health import HealthPages
from web.console.own_commands import OwnCommandPages
from web.console.patterns import PatternPages
from web.console.people import PeoplePages
from web.console.saying import SayingRoutes
from web.console.settings import SettingPages
from web.console.skills import SkillPages
from web.console.telling import Telling
from web.console.usage import UsagePages
from web.live.around import Parts
from web.live.stream import LiveRoutes
from web.pages import Templates
from web.security import Gate


def add_pages(app: FastAPI, desk: Desk, administration: Administration, backing: Backing) -> None:
    """Register every page of the owner's."""
    ChannelPages(desk, administration, backing).add_to(app)
    PeoplePages(desk, administration).add_to(app)
    EnginePages(desk, administration).add_to(app)
    AppPages(desk, administration).add_to(app)
    SkillPages(desk, backing.skills).add_to(app)
    SettingPages(desk, administration).add_to(app)
    UsagePages(desk, administration).add_to(app)
    ActivityPages(desk, backing.activity).add_to(app)
    HealthPages(desk, backing.checkup).add_to(app)


def add_chats(
    app: FastAPI,
    desk: Desk,
    templates: Templates,
    administration: Administration,
    chats: Chats,
    gate: Gate,
    *,
    version: str,
    in_playground: bool,
) -> None:
    """Register the pages of chats, and in the playground the page of every card."""
    drawer, telling = Drawer(templates, lambda skill_id: _may(chats.skills, skill_id)), Telling()
    parts = Parts(templates)
    pages = ChatPages(desk, drawer, chats, telling, parts)
    ChatListPages(desk, administration, ConversationList(chats.database), chats.deleting).add_to(app)
    pages.add_to(app)
    attached = Attached()
    FileRoutes(chats.files, chats.parts.log, attached).add_to(app)
    SayingRoutes(desk, pages, chats, telling, attached).add_to(app)
    OwnCommandPages(desk, chats.own).add_to(app)
    LiveRoutes(gate, chats.parts, chats.followers, drawer, parts, version).add_to(app)
    if in_playground:
        PatternPages(desk, drawer).add_to(app)


def _may(skills: Skills, skill_id: str) -> str:
    """What a skill may do, in words; empty where it is gone."""
    return next((may(skill) for skill in skills.all() if skill.id == skill_id), "")
