"""The streams of one command: answers to stdout, progress and notes to stderr, nothing else anywhere."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from shutil import get_terminal_size
from typing import IO, TYPE_CHECKING, Any, Concatenate, ParamSpec, TextIO, TypeVar

import click
from rich.console import Console
from rich.text import Text

from .option_errors import name_options
from .printable import escaped_json, printable

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["Environment", "pass_environment"]

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

_PIPE_WIDTH = 120
"""Columns of a table when stdout is not a terminal and COLUMNS says nothing."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a command reads and writes. Tests replace the streams, not the commands."""

    stdin: TextIO
    out: Console
    err: Console

    @classmethod
    def standard(cls) -> Environment:
        """The process's own streams; `NO_COLOR`, `COLUMNS` and a stream that is no terminal are respected."""
        return cls(sys.stdin, _console(sys.stdout), _console(sys.stderr))

    @property
    def stdin_bytes(self) -> IO[bytes] | TextIO:
        """Standard input undecoded, so that the locale has no say in how a file is read."""
        return getattr(self.stdin, "buffer", self.stdin)

    @property
    def interactive(self) -> bool:
        """Whether somebody can be asked."""
        return self.stdin.isatty() and self.err.is_terminal

    def write_json(self, document: Any) -> None:
        """One JSON document and a newline on stdout, unwrapped and uncoloured."""
        self.write(escaped_json(json.dumps(document, ensure_ascii=False, indent=2, default=_encode)) + "\n")

    def write(self, text: str) -> None:
        """Text on stdout exactly as given."""
        self.out.file.write(text)

    def write_bytes(self, data: bytes) -> None:
        """Bytes on stdout, which is no terminal, exactly as given."""
        stream: Any = self.out.file
        stream.flush()
        stream.buffer.write(data)

    def say(self, message: str, style: str = "") -> None:
        """One line on stdout, for people."""
        self.out.print(Text(printable(message), style=style), soft_wrap=True)

    def paragraph(self, message: str, style: str = "") -> None:
        """A sentence or more on stdout, broken between words where the terminal ends; `say` is for what is copied."""
        self.out.print(Text(printable(message), style=style))

    def note(self, message: str) -> None:
        """One line on stderr, for people: it never mixes with an answer."""
        self.err.print(Text(printable(message)), soft_wrap=True)

    def progress(self) -> Progress:
        """A progress bar on stderr, silent when stderr is not a terminal."""
        from rich.progress import (  # takes long to read, and most commands have none
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            # Older versions of rich end a bar that is disabled with an empty line all the same.
            console=self.err if self.err.is_terminal else Console(quiet=True),
            transient=True,
            disable=not self.err.is_terminal,
        )


def pass_environment(
    command: Callable[Concatenate[Environment, Arguments], Returned],
) -> Callable[Arguments, Returned]:
    """Hand the running command its `Environment`, which the group puts into the context, and let its errors name
    options."""

    @click.make_pass_decorator(Environment)
    @wraps(command)
    def naming(env: Environment, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        with name_options():
            return command(env, *args, **kwargs)

    return naming


def _console(stream: TextIO) -> Console:
    terminal = stream.isatty()
    width = None if terminal or "COLUMNS" in os.environ else _PIPE_WIDTH
    if os.environ.get("COLUMNS", "") == "0":
        # So some terminals say that they do not know, and rich would print nothing at all.
        width = get_terminal_size((_PIPE_WIDTH, 24)).columns
    return Console(file=stream, highlight=False, markup=False, emoji=False, width=width)


def _encode(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "items"):
        return dict(value)
    raise TypeError(f"not JSON: {type(value).__name__}")
