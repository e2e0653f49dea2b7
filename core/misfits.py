"""What is wrong with a value that a setting does not take, in words for whoever gave it. Pure.

The library's own sentences speak of inputs and parsing, which nobody typed. Where a value came from is said by others.
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import ErrorDetails

_TOLD: Final[Mapping[str, str]] = {
    "int_parsing": "it takes a whole number",
    "int_from_float": "it takes a whole number",
    "int_type": "it takes a whole number",
    "float_parsing": "it takes a number",
    "float_type": "it takes a number",
    "finite_number": "it takes a number that has an end",
    "bool_parsing": "it takes true or false",
    "bool_type": "it takes true or false",
    "string_type": "it takes words",
    "greater_than": "it must be more than {gt:g}",
    "greater_than_equal": "it must be {ge:g} or more",
    "less_than": "it must be less than {lt:g}",
    "less_than_equal": "it must be {le:g} or less",
    "string_too_long": "it takes at most {max_length} characters",
    "string_too_short": "it takes at least {min_length} characters",
    "enum": "it takes {expected}",
    "literal_error": "it takes {expected}",
}
"""By the library's kind of error, with what it says of the limit."""


def told(detail: ErrorDetails) -> str:
    """What the setting takes instead, as the end of a sentence without its full stop."""
    limits: Mapping[str, Any] = detail.get("ctx", {})
    sentence = _TOLD.get(detail["type"])
    if sentence is None:
        return detail["msg"].removeprefix("Value error, ")
    return sentence.format_map(limits).replace("'", "")
