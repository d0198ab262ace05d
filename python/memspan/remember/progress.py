"""Progress bars of long calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final

__all__ = ["tracking"]


def tracking(
    description: str, total: int | None, show: bool
) -> AbstractContextManager[Callable[[int], None]]:
    """A function to call with the number of finished items; draws a bar on standard error when `show` is true."""
    return _bar(description, total) if show else _SILENT


def _ignore(count: int) -> None:
    pass


_SILENT: Final = nullcontext(_ignore)


@contextmanager
def _bar(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(description, total=total)
        yield lambda count: progress.advance(task, count)
