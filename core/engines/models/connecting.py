"""A model engine for a connection, made when it is first needed: its library takes seconds to import."""

from collections.abc import Callable

from core.clock import Clock
from core.engines.late import Closing, LateEngine
from core.engines.models.contract import ABLE, Connection
from core.files import FileStore


def late(files: FileStore, clock: Clock) -> Callable[[Connection], LateEngine]:
    """Makes engines of connections."""

    def engine(connection: Connection) -> LateEngine:
        def make() -> Closing:
            from core.engines.models import engine, providers  # noqa: PLC0415 - see the module's docstring

            return engine.ModelEngine(connection, lambda: providers.connect(connection), files, clock)

        return LateEngine(connection.id, connection.title, ABLE, make, connection.model)

    return engine
