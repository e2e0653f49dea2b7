"""Which field report each test rules out: the mark `report`, and the list that `--reports` prints.

The numbers are those of the collected field reports (`R023`) and never change; their texts are not kept here.
"""

import re
from collections import defaultdict

import pytest

NUMBER = re.compile(r"R\d{3}")


def numbers_of(item: pytest.Item) -> list[str]:
    """The report numbers a test is marked with.

    Raises:
        UsageError: a mark without a number, or with something that is none.
    """
    numbers = [number for mark in item.iter_markers("report") for number in mark.args or ("",)]
    for number in numbers:
        if not (isinstance(number, str) and NUMBER.fullmatch(number)):
            raise pytest.UsageError(f"{item.nodeid}: {number!r} is no report number such as 'R023'")
    return numbers


class ReportList:
    """Lists the tests by report instead of running them."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> bool:
        """Run nothing."""
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One paragraph for each report."""
        tests = defaultdict(list)
        for item in terminalreporter.config.stash[ITEMS]:
            for number in numbers_of(item):
                tests[number].append(item.nodeid)
        for number in sorted(tests):
            terminalreporter.write_line(number)
            for nodeid in sorted(tests[number]):
                terminalreporter.write_line(f"  {nodeid}")
        terminalreporter.write_line(f"{len(tests)} reports have a test.")


ITEMS = pytest.StashKey[list[pytest.Item]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Check every mark, in every run; remember the tests of the marked groups as well."""
    for item in items:
        numbers_of(item)
    config.stash[ITEMS] = list(items)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--reports`."""
    parser.addoption("--reports", action="store_true", help="list the tests of each field report and run none")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and the list where it is asked for."""
    config.addinivalue_line("markers", "report(number, ...): the field reports that this test rules out")
    if config.getoption("reports"):
        config.pluginmanager.register(ReportList(), "conch-reports")
