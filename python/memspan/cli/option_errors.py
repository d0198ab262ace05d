"""Errors of arguments in the words of the command line: each names the option that was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import click

from memspan.errors import FormatError, InvalidArgumentError, UnknownIdError

from .failures import CommandError
from .status import ExitStatus

__all__ = ["name_options"]

_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": ("records",),
    "ids": ("records",),
    "key": ("key_file",),
    "require_tags": ("tags",),
}
"""Parameters of commands that go by another name than the argument."""
_NAMED: Final = re.compile(r"(?P<argument>\w+)(?:\[\d+\])?(?:\.(?P<place>.*?))?: (?P<reason>.*)", re.DOTALL)


@contextmanager
def name_options() -> Iterator[None]:
    """Turn an error that names an argument into one that names the option of the current command.

    Ends with 2, as other errors of options do, or with 1 for an id that nothing has. What a file holds passes.
    """
    try:
        yield
    except FormatError:
        raise
    except InvalidArgumentError as error:
        status = ExitStatus.ERROR if isinstance(error, UnknownIdError) else ExitStatus.USAGE
        raise CommandError(_named(str(error), click.get_current_context()), status) from error


def _named(message: str, context: click.Context) -> str:
    found = _NAMED.match(message)
    parameter = None if found is None else _parameter(found["argument"], context.command)
    if found is None or parameter is None:
        return message
    place = f"{found['place']}: " if found["place"] else ""
    return f"Invalid value for {parameter.get_error_hint(context)}: {place}{found['reason']}"


def _parameter(argument: str, command: click.Command) -> click.Parameter | None:
    """The parameter that an argument was given by."""
    names = (argument, *_PARAMETERS.get(argument, ()))
    for parameter in command.params:
        typed = {option.lstrip("-").replace("-", "_") for option in parameter.opts}
        if not typed.isdisjoint(names) or parameter.name in names:
            return parameter
    return None
