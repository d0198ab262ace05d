"""Blocks for whose time something is lent."""

from __future__ import annotations

from collections.abc import Generator
from types import TracebackType
from typing import Generic, TypeVar

__all__ = ["Lent"]

T = TypeVar("T")


class Lent(Generic[T]):
    """Lends a block what a generator yields, for less than half of what `contextlib.contextmanager` takes: every read
    and write of a store goes through some.

    An error of the block is raised where the generator yields, which has to raise it again, or another one. A generator
    also ends where an interrupt comes as `__exit__` begins, when nobody has it any more. A `__del__` would swallow
    those that come as it begins.
    """

    __slots__ = ("_lending",)

    def __init__(self, lending: Generator[T, None, None]) -> None:
        self._lending = lending

    def __enter__(self) -> T:
        return next(self._lending)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            next(self._lending, None)
            return
        try:
            self._lending.throw(error)
        except BaseException as raised:
            # No generator lets a StopIteration out: it is the cause of what comes instead.
            if raised is not error and not (isinstance(error, StopIteration) and raised.__cause__ is error):
                raise
            error.__traceback__ = trace
