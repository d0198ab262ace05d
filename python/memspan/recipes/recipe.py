"""`Recipe`: how turns become memories, and how questions are answered from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Final

import memspan
from memspan.encode.stage import Stage
from memspan.errors import invalid

from .gathering import Gathering
from .reading import Reading

__all__ = ["Recipe", "recipe", "recipe_names"]

_NAMES: Final = ("verbatim", "simplemem", "promem", "swiftmem", "lightmem", "best")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A named composition of stages."""

    name: str
    summary: str
    """One line for people."""
    paper: str | None = None
    """What it implements, with the section."""
    write: tuple[Stage, ...] = ()
    """What an encode job runs, in order; none: turns stay as they are, and no job is made."""
    history: int = 0
    """How many turns before a job's own it is shown."""
    gather: Gathering | None = None
    """How long jobs wait for more turns of their session; `None`: they do not wait."""
    read: Reading = field(default_factory=Reading)
    """How questions are answered."""
    sleep: memspan.SleepUpdate | None = None
    """What `Memory.consolidate` does to memories when it has a model; `None`: nothing, unless it is told to."""


def recipe_names() -> tuple[str, ...]:
    """The recipes that come with memspan."""
    return _NAMES


def recipe(name: str) -> Recipe:
    """The recipe of that name: the value `RECIPE` of `memspan.recipes.<name>`.

    Raises:
        InvalidArgumentError: there is none.
    """
    if name not in _NAMES:
        raise invalid("recipe", name, f"one of {', '.join(_NAMES)}")

    found: Recipe = import_module(f"memspan.recipes.{name}").RECIPE
    return found
