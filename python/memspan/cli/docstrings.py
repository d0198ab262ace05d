"""Help of commands where Python keeps no docstrings (`python -OO`)."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from contextlib import suppress

import click

__all__ = ["with_help"]


def with_help(command: click.Command) -> click.Command:
    """The command, and those of a group, with the docstring of its function for help, read from the source if need
    be."""
    if sys.flags.optimize < 2:
        return command
    if command.help is None and command.callback is not None:
        with suppress(OSError):  # There is no source.
            (function,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(command.callback)))).body
            assert isinstance(function, ast.FunctionDef)
            command.help = ast.get_docstring(function, clean=False)
    # Not those of the whole command line: each is read when it is asked for.
    if isinstance(command, click.Group) and type(command.commands) is dict:
        for each in command.commands.values():
            with_help(each)
    return command
