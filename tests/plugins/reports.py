"""Which field report each test rules out: the mark `report`, and the list that `--reports` prints.

The numbers are those of the collected field reports (`R023`) and never change; their texts are not kept here.
"""

import re

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

    def __init__(self) -> None:
        self.tests: dict[str, list[str]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run nothing."""
        for item in session.items:
            for number in numbers_of(item):
                self.tests.setdefault(number, []).append(item.nodeid)
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One paragraph for each report."""
        for number, nodeids in sorted(self.tests.items()):
            terminalreporter.write_line(number)
            for nodeid in sorted(nodeids):
                terminalreporter.write_line(f"  {nodeid}")
        terminalreporter.write_line(f"Reports with a test: {len(self.tests)}.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Check every mark, in every run."""
    for item in items:
        numbers_of(item)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--reports`."""
    parser.addoption("--reports", action="store_true", help="list the tests of each field report and run none")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Register the mark; for the list, take in the marked groups before their plugin looks."""
    config.addinivalue_line("markers", "report(number, ...): the field reports that this test rules out")
    if config.getoption("reports"):
        config.option.groups = "all"
        config.pluginmanager.register(ReportList(), "conch-reports")
