"""Work that blocks, on threads, until the interpreter ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

__all__ = ["InterpreterEndsError", "in_worker"]

T = TypeVar("T")


class InterpreterEndsError(RuntimeError):
    """The program ends while jobs are processed in the background: threads cannot be had any more, and no job is to
    blame."""


async def in_worker(function: Callable[..., T], *arguments: Any, executor: Executor | None = None) -> T:
    """Run a function on a thread of the executor, by default the loop's.

    Raises:
        InterpreterEndsError: threads are not started any more.
    """
    try:
        future = asyncio.get_running_loop().run_in_executor(executor, function, *arguments)
    except RuntimeError as error:
        if "shutdown" not in str(error):
            raise
        raise InterpreterEndsError("the interpreter ends") from error
    return await future
