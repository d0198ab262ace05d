"""Which commands there are and what they are for. A command's file is read when the command is asked for: all of them
together take longer to read than most commands take to run.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Final

import click

from .docstrings import with_help

__all__ = ["SECTIONS", "Commands"]

SECTIONS: Final = {
    "Begin": ("demo", "ingest"),
    "Questions": ("search", "ask", "latest", "tags", "procedures", "history"),
    "Memories in order": ("process", "jobs", "consolidate", "runs", "undo", "compress", "retire"),
    "Room": ("quotas", "evicted", "restore", "pin"),
    "Erasing, and keeping safe": ("forget", "hold", "release", "audit", "vault", "resources"),
    "The store": ("stats", "verify", "reembed", "export", "load"),
    "Models and recipes": ("models", "recipes"),
    "Measuring": ("eval", "fit", "simulate"),
}
# Commands that stand in the file of their opposite; every other one's file has its name.
_FILES: Final = {"retire": "history", "release": "hold"}


class Commands(MutableMapping[str, click.Command]):
    """The commands of `SECTIONS` by name, in that order, each read when it is asked for; click wants a mapping that
    can be written to."""

    def __init__(self) -> None:
        self._read: dict[str, click.Command | None] = {
            name: None for names in SECTIONS.values() for name in names
        }

    def __getitem__(self, name: str) -> click.Command:
        command = self._read[name]
        if command is None:
            command = self._read[name] = _read(name)
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._read[name] = command

    def __delitem__(self, name: str) -> None:
        del self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


def _read(name: str) -> click.Command:
    file = import_module(f"{__package__}.commands.{_FILES.get(name, name)}")
    (command,) = (
        value for value in vars(file).values() if isinstance(value, click.Command) and value.name == name
    )
    return with_help(command)
