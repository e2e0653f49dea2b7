"""A new chat app to begin with: an installable package with an adapter that works, a pretend app, and their tests.

The files are the templates in `templates/channel`; `package` in a path stands for the package's name.
"""

import keyword
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from conch.kinds import NAMES
from core.errors import UsageError

TEMPLATES: Final = Path(__file__).parent / "templates" / "channel"
_SUFFIX: Final = ".jinja"

TAKEN: Final = frozenset({*NAMES, "memory", "console", "conch"})
"""What stands for something of ours where an app's name does."""

LONGEST: Final = 20
"""Characters of a name: it stands in links and on buttons."""

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", re.ASCII)


def write(name: str, into: Path) -> Path:
    """Write the package into a folder of its own, and say which.

    Raises:
        UsageError: the name does not do, or there is something with it already; nothing was written.
    """
    fault = wrong_with(name)
    if fault is not None:
        raise UsageError(fault)
    place = into / _words(name)["dist"]
    if place.exists():
        raise UsageError(f"There is a {place} already. Choose another name, or another place with --into.")
    files = dict(rendered(name))
    try:
        for path, text in files.items():
            file = place / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as fault_of_disk:
        reason = fault_of_disk.strerror or fault_of_disk
        raise UsageError(f"{place} cannot be written: {reason}. Choose another place with --into.") from fault_of_disk
    return place


def wrong_with(name: str) -> str | None:
    """Why this cannot be an app's name, as a sentence; None where it can."""
    if name in TAKEN:
        return f"“{name}” is a name of Conch's own. Choose another, such as {name}_two."
    if not _NAME.fullmatch(name) or not 2 <= len(name) <= LONGEST or keyword.iskeyword(name):
        return (
            f"“{name}” cannot be the name of a chat app. Take 2 to {LONGEST} characters of a-z, 0-9 and single _, "
            "a letter first, and no word of Python's own: `matrix`, for example."
        )
    return None


def rendered(name: str) -> Iterator[tuple[Path, str]]:
    """Every file of the package, by its path within it."""
    words = _words(name)
    # What is made is code and not a page, so nothing is escaped.
    environment = Environment(  # noqa: S701 - see above
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True
    )
    for template in sorted(environment.list_templates(extensions=[_SUFFIX.removeprefix(".")])):
        path = Path(template.removesuffix(_SUFFIX))
        renamed = Path(words["package"] if path.parts[0] == "package" else path.parts[0], *path.parts[1:])
        yield renamed, environment.get_template(template).render(words)


def _words(name: str) -> Mapping[str, str]:
    parts = [part for part in name.split("_") if part]
    return {
        "name": name,
        "package": f"conch_{name}",
        "dist": f"conch-{'-'.join(parts)}",
        "host": "-".join(parts),
        "camel": "".join(part.capitalize() for part in parts),
        "title": " ".join(part.capitalize() for part in parts),
        "conch": version("conch"),
    }
