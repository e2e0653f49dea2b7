"""Every menu there is: from a view and the facts to what is shown. Pure."""

from channels.menu_views import Name, View
from channels.menus import answers, settings
from channels.menus.facts import Facts
from channels.menus.menu import Menu, Sheet, drawn


def menu_for(view: View, facts: Facts, room: int) -> Menu:
    """What a view shows now, with at most `room` buttons (always 3 to 9)."""
    return drawn(_sheet(view, facts), view, room)


def _sheet(view: View, facts: Facts) -> Sheet:
    in_list = view.name in (Name.SETTINGS, Name.SETTING)
    sheet = settings.sheet(view, facts) if in_list else answers.sheet(view, facts)
    setting = settings.setting_of(view)
    if setting is None or not settings.is_fixed(setting, facts):
        return sheet
    head, _, _ = sheet.text.partition("\n\n")
    return Sheet(f"{head}\n\n{settings.locked(setting)}")
