"""The program `conch`, also as `python -m conch`. What it does is in `conch.cli`; here is only how it is loaded."""

import sys

from conch import interpreter

INTERRUPTED = 130
"""What a shell shows for a program that Ctrl-C ended: 128 and the signal's number."""


def main() -> None:
    """Run the command line; Ctrl-C ends it without a word, also while its modules load."""
    try:
        interpreter.load()
        from conch import cli  # noqa: PLC0415 - so that an interrupt meanwhile is ours to answer

        cli.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
