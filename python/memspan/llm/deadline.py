"""Give a model so long for an answer, and know what it cost all the same when it is not done in time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeVar

from .usage import Usage

__all__ = ["SPENT", "Late", "spent_by", "within"]

T = TypeVar("T")
SPENT: Final = "usage"
"""The attribute under which a `CancelledError` says what was spent until then, as `LLMError.usage` does."""
_UNKNOWN: Final = Usage(calls=1, uncounted=1)


def spent_by(error: BaseException) -> Usage | None:
    """What the calls cost that ended with an error or were cancelled; `None` when nothing, or when it does not say."""
    usage = getattr(_telling(error), SPENT, None)
    return usage if isinstance(usage, Usage) and usage != Usage() else None


def _telling(error: BaseException) -> BaseException:
    """The error that says it. Whoever awaits a task that was cancelled gets another one on Python 3.10, whose context
    is the one that the task ended with."""
    while isinstance(error, asyncio.CancelledError) and not hasattr(error, SPENT):
        if not isinstance(error.__context__, asyncio.CancelledError):
            break
        error = error.__context__
    return error


class Late(NamedTuple):
    """There is no answer in time."""

    usage: Usage
    """What was spent; one uncounted call where the client does not say."""


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T | Late:
    """What a model says, or what it had cost when the time was over and the call was cancelled.

    Cancelling the caller cancels the call; the `CancelledError` says what that cost.

    Raises:
        Exception: whatever the work raises in time.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError as error:
        setattr(error, SPENT, await _cancelled(task))
        raise
    if task.done():
        return task.result()
    return Late(await _cancelled(task))


async def _cancelled(task: asyncio.Future[Any]) -> Usage:
    """What a call has cost that is cancelled now."""
    task.cancel()
    spent: Any = _UNKNOWN
    try:
        await task
    except asyncio.CancelledError as error:
        spent = getattr(_telling(error), SPENT, _UNKNOWN)
    except Exception as error:  # it failed in the last moment
        with suppress(AttributeError):
            spent = error.usage or Usage()  # type: ignore[attr-defined]
    else:
        reply = task.result()  # it ended in the last moment: too late, and paid for
        spent = getattr(reply, "usage", _UNKNOWN)
    return spent if isinstance(spent, Usage) else _UNKNOWN
