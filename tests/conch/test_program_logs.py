import io
import json
import logging
import warnings
from collections.abc import Iterator

import pytest
import structlog

from conch import logs
from core.safety.redaction import Redactor

KEY = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw-canary"
EXACT = "an exact secret of this process, “quoted”"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers, root.level, {name: logging.getLogger(name).level for name in logs.QUIET}
    yield
    root.handlers, root.level = before[0], before[1]
    for name, level in before[2].items():
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(False)
    structlog.reset_defaults()


def set_up(style: str, level: str = "debug") -> io.StringIO:
    written, redactor = io.StringIO(), Redactor()
    redactor.add(EXACT)
    logs.configure(level, style, redactor, written)  # type: ignore[arg-type]
    return written


@pytest.mark.report("R121")
@pytest.mark.parametrize("style", ["human", "json"])
def test_no_secret_is_written_whichever_way_it_comes(style: str) -> None:
    written = set_up(style)
    ours, theirs = structlog.get_logger("conch.test"), logging.getLogger("telegram.ext")

    ours.error(f"with {KEY}", url=f"https://api.telegram.org/bot{KEY}/getMe", deep={"list": [EXACT]})
    theirs.error("theirs: %s and %s", KEY, EXACT, extra={"more": KEY})
    try:
        raise RuntimeError(f"{KEY} {EXACT}")
    except RuntimeError:
        ours.exception("ours broke")
        theirs.exception("theirs broke")
    logging.captureWarnings(True)
    warnings.showwarning(f"about {KEY}", UserWarning, "file.py", 1)

    text = written.getvalue()
    assert text.count("[redacted]") >= 8
    for canary in (KEY, KEY.partition(":")[2], EXACT, "“quoted”"):
        assert canary not in text


def test_local_variables_are_never_part_of_a_traceback() -> None:
    written = set_up("human")

    def fails() -> None:
        password = "plain words that nothing recognises"
        raise RuntimeError(len(password))

    try:
        fails()
    except RuntimeError:
        structlog.get_logger().exception("broke")

    assert "RuntimeError" in written.getvalue()
    assert "plain words that nothing recognises'" not in written.getvalue()


def test_for_machines_each_line_is_json_with_what_was_bound() -> None:
    written = set_up("json")

    structlog.get_logger().info("a turn ended", conversation="c1", nothing=None)

    line = json.loads(written.getvalue())
    assert (line["event"], line["level"], line["conversation"]) == ("a turn ended", "info", "c1")
    assert "nothing" not in line


@pytest.mark.parametrize("name", ["uvicorn.error", "sqlalchemy.engine", "httpx", "alembic.runtime.migration"])
def test_everyday_remarks_of_libraries_are_left_out_and_their_warnings_are_not(name: str) -> None:
    written = set_up("human", "info")

    logging.getLogger(name).info("an everyday remark")
    logging.getLogger(name).warning("a warning")

    assert "everyday" not in written.getvalue()
    assert "a warning" in written.getvalue()


def test_below_the_chosen_level_nothing_is_written() -> None:
    written = set_up("human", "warning")

    structlog.get_logger().info("too small")

    assert written.getvalue() == ""
