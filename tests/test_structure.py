"""The shape of the tree: what a folder may hold, how long a file gets, what the built package brings.

Who may import whom is import-linter's (`make layers`); how a line looks is ruff's.
"""

import ast
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path
from statistics import quantiles
from zipfile import ZipFile

import grimp
import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]
PACKAGES = ("channels", "commands", "conch", "core", "web")
ADAPTER = {"parse.py", "render.py", "client.py", "channel.py", "limits.py"}
WITHOUT_A_WIRE = {"memory"}
"""Adapters in this process: they have no payloads to parse or render and no limits to keep."""

THE_CONTRACT = (
    "channels.abilities",
    "channels.base",
    "channels.reach",
    "channels.formatting",
    "commands.menus",
    "commands.values",
    "core.cards",
    "core.clock",
    "core.errors",
    "core.events",
)
"""What an adapter knows of the project; anything more would tie a chat app to the core."""


def sources(*folders: str) -> Iterator[Path]:
    """Our Python files under these folders; the migrations are Alembic's to lay out, and history."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def named(paths: list[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


def test_no_package_file_stands_among_the_tests() -> None:
    found = list((ROOT / "tests").rglob("__init__.py"))

    assert named(found) == []


def test_a_package_file_holds_one_docstring_and_nothing_else() -> None:
    files = [path for path in sources(*PACKAGES) if path.name == "__init__.py"]

    odd = [path for path in files if not is_one_docstring(path)]

    assert files
    assert named(odd) == []


def is_one_docstring(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return len(tree.body) == 1 and bool(ast.get_docstring(tree))


def test_every_folder_of_code_is_a_package() -> None:
    folders = {path.parent for path in sources(*PACKAGES)}

    bare = sorted(folder for folder in folders if not (folder / "__init__.py").exists())

    assert named(bare) == []


def test_no_module_says_nothing_by_its_name() -> None:
    empty_words = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}

    found = [path for path in sources(*PACKAGES) if path.stem in empty_words or path.parent.name in empty_words]

    assert named(found) == []


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)


def test_no_import_goes_in_a_circle(graph: grimp.ImportGraph) -> None:
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}

    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def adapters() -> list[str]:
    return sorted(path.parent.name for path in (ROOT / "channels").glob("*/channel.py"))


def test_every_adapter_has_the_same_files() -> None:
    files = {name: {path.name for path in (ROOT / "channels" / name).iterdir()} for name in adapters()}

    missing = {name: sorted(ADAPTER - found) for name, found in files.items() if name not in WITHOUT_A_WIRE}

    assert files
    assert {name: absent for name, absent in missing.items() if absent} == {}


@pytest.mark.parametrize("name", adapters())
def test_an_adapter_knows_the_contract_and_nothing_else_of_ours(graph: grimp.ImportGraph, name: str) -> None:
    home = f"channels.{name}"

    assert reaches_beyond(graph, home, (home, *THE_CONTRACT)) == []


def test_the_pretend_apps_judge_without_our_code(graph: grimp.ImportGraph) -> None:
    home = "channels.emulators"

    assert reaches_beyond(graph, home, (home,)) == []


def reaches_beyond(graph: grimp.ImportGraph, home: str, allowed: tuple[str, ...]) -> list[str]:
    """Imports of ours that a folder makes outside of what it may."""
    return sorted(
        f"{module} imports {imported}"
        for module in (home, *graph.find_descendants(home))
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.split(".")[0] in PACKAGES and not any(is_within(imported, place) for place in allowed)
    )


def is_within(module: str, place: str) -> bool:
    return module == place or module.startswith(f"{place}.")


def test_the_wheel_brings_exactly_our_packages(tmp_path: Path) -> None:
    [built] = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])

    with ZipFile(built) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert {name.split("/")[0] for name in names} == set(PACKAGES)
    assert names == {str(path.relative_to(ROOT)) for folder in PACKAGES for path in files_in(ROOT / folder)}


def files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def test_no_installed_distribution_takes_a_name_of_ours() -> None:
    installed = packages_distributions()

    taken = {name: installed[name] for name in PACKAGES if set(installed.get(name, ())) - {"conch"}}

    assert taken == {}


def test_the_configuration_names_the_same_packages_everywhere() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]

    assert sorted(tool["hatch"]["build"]["targets"]["wheel"]["packages"]) == list(PACKAGES)
    assert sorted(tool["importlinter"]["root_packages"]) == list(PACKAGES)
    assert set(PACKAGES) < set(tool["mypy"]["files"])


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {path: line_count(path) for path in sources(*PACKAGES, "tests", "benchmarks")}

    assert {str(path.relative_to(ROOT)): count for path, count in lengths.items() if count > 500} == {}


def test_files_are_short_for_the_most_part() -> None:
    lengths = sorted((line_count(path), str(path.relative_to(ROOT))) for path in sources(*PACKAGES))

    assert percentile_95([count for count, _ in lengths]) <= 350, lengths[-8:]


def test_functions_are_short_for_the_most_part() -> None:
    lengths = sorted(found for path in sources(*PACKAGES) for found in function_lengths(path))

    assert percentile_95([count for count, _ in lengths]) <= 30, lengths[-8:]


def line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def function_lengths(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield node.end_lineno - node.lineno + 1, f"{path.relative_to(ROOT)}:{node.name}"


def percentile_95(values: list[int]) -> float:
    return quantiles(values, n=20)[-1]
