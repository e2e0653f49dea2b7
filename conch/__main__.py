"""`python -m conch`: the same as `conch`."""

from conch.cli import main

main()
