"""The owner's pages, all of them, put into the web application."""

from fastapi import FastAPI

from web.administration import Administration
from web.console.apps import AppPages
from web.console.backing import Backing
from web.console.channels import ChannelPages
from web.console.desk import Desk
from web.console.engines import EnginePages
from web.console.health import HealthPages
from web.console.people import PeoplePages
from web.console.settings import SettingPages
from web.console.skills import SkillPages
from web.console.usage import UsagePages


def add_pages(app: FastAPI, desk: Desk, administration: Administration, backing: Backing) -> None:
    """Register every page of the owner's."""
    ChannelPages(desk, administration, backing).add_to(app)
    PeoplePages(desk, administration).add_to(app)
    EnginePages(desk, administration).add_to(app)
    AppPages(desk, administration).add_to(app)
    SkillPages(desk, backing.skills).add_to(app)
    SettingPages(desk, administration).add_to(app)
    UsagePages(desk, administration).add_to(app)
    HealthPages(desk, backing.checkup).add_to(app)
