"""The name by which callers know what is put together of several classes."""

from __future__ import annotations

from types import FunctionType
from typing import TypeVar

__all__ = ["naming_its_parts"]

Whole = TypeVar("Whole")


def naming_its_parts(whole: type[Whole]) -> type[Whole]:
    """Let Python's own errors, such as that of a missing `user`, name a class, and not the bases that its calls are in,
    of which nobody has heard."""
    for part in whole.__mro__[1:]:
        for name, member in vars(part).items():
            if isinstance(member, FunctionType):
                member.__qualname__ = f"{whole.__name__}.{name}"
    return whole
