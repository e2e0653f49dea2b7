"""The commands about skills. Files are read here; when a skill is used is a setting, so it counts at once."""

from typing import Annotated

import typer

from conch import printing_skills
from conch.commanding import ask, in_folder
from conch.home import Home
from conch.skill_admin import SkillAdmin
from core.skills.folder import read
from core.skills.skill import SkillMode

skills_app = typer.Typer(
    no_args_is_help=True,
    callback=in_folder,
    help="Skills: ways of doing something, a folder with a SKILL.md each, in `skills` in the data folder.",
)

Name = Annotated[str, typer.Argument(help="Its name, as `conch skills list` shows it.", metavar="NAME")]


@skills_app.command("list")
def list_skills(context: typer.Context) -> None:
    """Show every skill and when it is used."""
    place: Home = context.obj
    found = read(place.skills)
    skills = ask(place, "conch skills list", lambda conch: SkillAdmin(conch.settings, found).list())
    typer.echo(printing_skills.skills(skills, found.faults))


@skills_app.command("show")
def show_skill(context: typer.Context, name: Name) -> None:
    """Show what a skill may do and what it tells the assistant."""
    place: Home = context.obj
    found = read(place.skills)
    skill = ask(place, "conch skills show", lambda conch: SkillAdmin(conch.settings, found).find(name))
    typer.echo(printing_skills.skill(skill))


@skills_app.command("on")
def turn_on(context: typer.Context, name: Name) -> None:
    """Use a skill automatically, whenever it fits."""
    _use(context.obj, name, "automatic", "conch skills on")


@skills_app.command("ask")
def when_asked(context: typer.Context, name: Name) -> None:
    """Use a skill only when you call it by its name."""
    _use(context.obj, name, "when-asked", "conch skills ask")


@skills_app.command("off")
def turn_off(context: typer.Context, name: Name) -> None:
    """Do not use a skill."""
    _use(context.obj, name, "off", "conch skills off")


def _use(place: Home, name: str, mode: SkillMode, program: str) -> None:
    found = read(place.skills)
    typer.echo(
        printing_skills.is_used(ask(place, program, lambda conch: SkillAdmin(conch.settings, found).use(name, mode)))
    )
