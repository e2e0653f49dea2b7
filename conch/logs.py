"""What the program writes about itself: to standard error, for people or machines, with secrets taken out last of all.

Libraries that log in the standard way go through the same pipe. Nothing else may print what happens while it runs.
"""

import logging
import sys
from typing import Literal, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from core.safety.redaction import Redactor

QUIET = (
    "aiohttp.access",
    "alembic",
    "anthropic",
    "asyncio",
    "discord",
    "google_genai",
    "httpcore",
    "httpcore2",
    "httpx",
    "httpx2",
    "markdown_it",
    "openai",
    "slack_sdk",
    "sqlalchemy",
    "telegram",
    "uvicorn",
)
"""Libraries whose everyday remarks nobody needs, some of which hold what people said; their warnings are shown."""


def configure(
    level: Literal["debug", "info", "warning", "error"],
    style: Literal["human", "json"],
    redactor: Redactor,
    stream: TextIO = sys.stderr,
) -> None:
    """Set logging up for the whole process; a second call replaces the first."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso" if style == "json" else "%H:%M:%S", utc=style == "json"),
        structlog.processors.StackInfoRenderer(),
        _without_nothing,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers = [_handler(style, shared, redactor, stream)]
    root.setLevel(level.upper())
    for name in QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.captureWarnings(True)


def _handler(
    style: Literal["human", "json"], shared: list[Processor], redactor: Redactor, stream: TextIO
) -> logging.Handler:
    """Writes lines; what libraries log goes through the same steps as what we do."""
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *_ending(style, stream),
            redactor.processor,
        ],
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    return handler


def _ending(style: Literal["human", "json"], stream: TextIO) -> list[Processor]:
    """Turn the entry into a line. Never with the values of local variables: a key may be among them."""
    if style == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=plain, sort_keys=False)]


def _without_nothing(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """What is None says nothing."""
    return {name: value for name, value in event.items() if value is not None}
