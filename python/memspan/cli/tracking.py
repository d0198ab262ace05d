"""A progress bar of the command line, as `memspan.evaluate` starts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .environment import Environment

__all__ = ["bar"]


@contextmanager
def bar(env: Environment, title: str, total: int) -> Iterator[Callable[[int], object]]:
    """Gives a function to call with the steps done."""
    with env.progress() as progress:
        task = progress.add_task(title, total=total)
        yield lambda count: progress.advance(task, count)
