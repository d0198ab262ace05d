"""Exit codes of the `memspan` command."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ExitStatus"]


class ExitStatus(IntEnum):
    """What the process tells its caller."""

    OK = 0
    ERROR = 1
    """It could not be done: a damaged store, another embedder, a missing model, an id that nothing has, a full disk,
    problems."""
    USAGE = 2
    """The command line itself, or a variable in place of an option, is wrong: an unknown option, a value that it does
    not take, a path that does not exist."""
    BAD_INPUT = 3
    """An input file, standard input or a key cannot be read; whatever was committed before it stays."""
    INTERRUPTED = 130
    """Ctrl-C; whatever was committed before it stays."""
