"""Turn errors into one line on stderr and an exit code."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from memspan.errors import FormatError, InvalidArgumentError, MemspanError

from .printable import printable
from .status import ExitStatus
from .wording import in_words_of_commands

__all__ = ["DEBUG_VARIABLE", "CommandError", "as_input", "map_failures"]

DEBUG_VARIABLE = "MEMSPAN_DEBUG"
"""Set to anything but 0 to see the traceback of an error."""


class CommandError(Exception):
    """Ends the command with one line on stderr and an exit code."""

    def __init__(self, message: str, status: ExitStatus = ExitStatus.ERROR) -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def as_input() -> Iterator[None]:
    """End with 3, not 2: what is refused in here was read from a file, from standard input or from a variable."""
    try:
        yield
    except InvalidArgumentError as error:
        raise CommandError(str(error), ExitStatus.BAD_INPUT) from error


@contextmanager
def map_failures() -> Iterator[None]:
    """End the command properly for everything that a user can cause; a bug in memspan keeps its traceback.

    A broken pipe passes: click ends the process silently for it.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, click.Abort) as error:
        _end("interrupted", ExitStatus.INTERRUPTED, error)
    except CommandError as error:
        _end(str(error), error.status, error)
    except (FormatError, UnicodeError) as error:
        _end(str(error), ExitStatus.BAD_INPUT, error)
    except InvalidArgumentError as error:
        _end(str(error), ExitStatus.USAGE, error)
    except click.NoSuchOption as error:
        message = error.message + _after_two_dashes(error.ctx)
        raise click.NoSuchOption(error.option_name, message, error.possibilities, error.ctx) from None
    except OSError as error:
        _end(_of_the_system(error), ExitStatus.ERROR, error)
    except MemspanError as error:
        _end(str(error) or type(error).__name__, ExitStatus.ERROR, error)


def _after_two_dashes(context: click.Context | None) -> str:
    """How to type what looks like an option, where the command takes anything else."""
    params = () if context is None else context.command.params
    takes_more = any(isinstance(each, click.Argument) for each in params)
    return " '--' comes before what begins with '-' and is none." if takes_more else ""


def _of_the_system(error: OSError) -> str:
    """`file: what is the matter`, without the number that `str` puts first."""
    if error.strerror is None:
        return str(error) or type(error).__name__
    return error.strerror if error.filename is None else f"{os.fsdecode(error.filename)}: {error.strerror}"


def _end(message: str, status: ExitStatus, error: BaseException) -> NoReturn:
    if os.environ.get(DEBUG_VARIABLE, "0") not in ("", "0"):
        traceback.print_exception(error)
    click.echo("Error: " + " ".join(printable(in_words_of_commands(message)).split()), err=True)
    raise click.exceptions.Exit(status) from error
