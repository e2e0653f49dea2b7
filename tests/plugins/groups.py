"""Groups of tests that need more than Python or more than a moment: which there are, and when they run.

A plain run leaves them out and says so at its end. Where they are asked for and something they need is missing, they
skip with a reason; in CI (the variable `CI` is set) such a skip is a failure, and so is a group whose tests all stayed
out: a green run that skipped a group would say more than it knows.

A group is a mark. What a group's tests need is found here; how they use it is theirs.
"""

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

Environment = Mapping[str, str]


def nothing(_: Environment) -> str | None:
    """A group that only takes long."""
    return None


def on_the_path(*programs: str) -> Callable[[Environment], str | None]:
    """Needs one of these programs."""

    def missing(environment: Environment) -> str | None:
        if any(shutil.which(program, path=environment.get("PATH")) for program in programs):
            return None
        return f"there is no {' or '.join(programs)} on the path"

    return missing


def named_in(variable: str) -> Callable[[Environment], str | None]:
    """Needs what this variable of the environment names."""

    def missing(environment: Environment) -> str | None:
        return None if environment.get(variable) else f"{variable} is not set"

    return missing


@dataclass(frozen=True, slots=True)
class Group:
    """`missing` gives the reason why the group's tests cannot run here, or None."""

    name: str
    about: str
    missing: Callable[[Environment], str | None]


GROUPS = (
    Group("browser", "drives Chromium", on_the_path("chromium", "chromium-browser", "google-chrome")),
    Group("postgres", "needs the PostgreSQL server of CONCH_TEST_POSTGRES_URL", named_in("CONCH_TEST_POSTGRES_URL")),
    Group("node", "needs Node.js", on_the_path("node")),
    Group("specs", "reads the platforms' schemas in CONCH_PLATFORM_SPECS", named_in("CONCH_PLATFORM_SPECS")),
    Group("slow", "long property runs and random kills", nothing),
)

SLOW_TIMEOUT = 20 * 60
"""Seconds after which a test of the slow group counts as hanging, unless it says otherwise itself."""


def groups_of(item: pytest.Item) -> list[Group]:
    """The groups that a test is marked with."""
    return [group for group in GROUPS if item.get_closest_marker(group.name)]


@dataclass(eq=False, slots=True)
class GroupRun:
    """What one run does about the groups: `wanted` is the option's value, `strict` a run in CI that asked for them.

    `spread`: other processes collect and run the tests, and this one only tells.
    """

    wanted: str
    strict: bool
    whole_tree: bool
    spread: bool = False
    collected: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    ran: Counter[str] = field(default_factory=Counter)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Take out what this run does not want; first of all, so that it counts what the tree has."""
        kept, out = [], []
        for item in items:
            names = [group.name for group in groups_of(item)]
            self.collected.update(names)
            if "slow" in names and not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT))
            if self.wanted == "all" or bool(names) == (self.wanted == "only"):
                kept.append(item)
            else:
                out.append(item)
                self.left_out.update(names)
        if out:
            items[:] = kept
            config.hook.pytest_deselected(items=out)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip before any fixture tries to use what is not there."""
        for group in groups_of(item):
            if reason := group.missing(os.environ):
                pytest.skip(f"{group.name}: {reason}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Count what ran; where the groups are due, a skip is a failure."""
        report = yield
        names = [group.name for group in groups_of(item)]
        if report.when == "call" and not report.skipped:
            self.ran.update(names)
        if self.strict and names and report.skipped and not hasattr(report, "wasxfail"):
            fail_instead(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """The same for a file of marked tests that skips itself while it is read."""
        report = yield
        if self.strict and report.skipped and isinstance(collector, pytest.Module) and names_a_group(collector.path):
            fail_instead(report)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Fail a strict run with a silent group; pass one that asked for the groups of a tree without any."""
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.wanted == "only" and not self.collected:
            session.exitstatus = pytest.ExitCode.OK
        if self.silent() and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def silent(self) -> list[str]:
        """Groups that have tests in the tree and ran none of them, where all had to run."""
        if not (self.strict and self.whole_tree):
            return []
        return [name for name in self.collected if not self.ran[name]]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was left out and how to run it."""
        if silent := self.silent():
            terminalreporter.write_line(f"Failed: no test of {', '.join(silent)} ran, and here each has to.", red=True)
        if self.wanted == "none" and self.left_out:
            counts = ", ".join(f"{count} {name}" for name, count in sorted(self.left_out.items()))
            terminalreporter.write_line(f"Left out: {counts}. `make test-all` runs them too.", yellow=True)
        if self.wanted == "none" and self.spread:
            line = "Left out: the marked groups, where they are in what was run. `make test-all` runs them too."
            terminalreporter.write_line(line, yellow=True)


def fail_instead(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skipped report into a failed one that keeps the reason."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"{reason}\nA test of a marked group may not skip in CI."


def names_a_group(path: Path) -> bool:
    """Whether a test file uses the mark of a group; by its text, because a file that skipped has no tests to ask."""
    names = "|".join(group.name for group in GROUPS)
    return re.search(rf"\bmark\.({names})\b", path.read_text(encoding="utf-8")) is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--groups`: none (a plain run), all of them too, or only them. A `-m` of one's own decides by itself."""
    parser.addoption(
        "--groups",
        choices=("none", "all", "only"),
        default="none",
        help="the marked groups (browser, postgres, node, specs, slow): leave out, run too, run alone",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks and decide what this run does about them."""
    for group in GROUPS:
        config.addinivalue_line("markers", f"{group.name}: {group.about} (in make test-all)")
    wanted = "all" if config.getoption("markexpr") else config.getoption("groups")
    strict = bool(os.environ.get("CI")) and wanted != "none"
    spread = bool(config.getoption("numprocesses", None))
    if strict and (spread or hasattr(config, "workerinput")):
        raise pytest.UsageError("Whether each group ran is only known in one process: leave -n away.")
    run = GroupRun(
        wanted=wanted,
        strict=strict,
        spread=spread,
        whole_tree=config.args_source == pytest.Config.ArgsSource.TESTPATHS
        and not (config.getoption("markexpr") or config.getoption("keyword")),
    )
    config.pluginmanager.register(run, "conch-groups")
