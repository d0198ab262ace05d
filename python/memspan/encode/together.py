"""Calls side by side, and calls made again in halves when their replies do not fit."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memspan.errors import TruncatedReplyError
from memspan.llm import Prompt
from memspan.llm.protocol import Ready

from .stage import Tools

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["Room", "all_or_none", "ask_in_parts", "in_batches", "split_list", "together"]

T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - an item
M = TypeVar("M", bound="BaseModel")


class Room(Generic[I]):
    """What a server takes, by what it refused: nothing that is as long is sent to it. For many prompts that differ in
    little but their length. Belongs to one event loop.

    Args:
        length: of an item's prompt, as far as prompts differ in it.
    """

    def __init__(self, length: Callable[[I], int]) -> None:
        self._length = length
        self._refused: int | None = None

    def before(self, item: I) -> Ready:
        """To be awaited before a request: refuses one that the server would refuse."""

        async def go() -> None:
            if self._refused is not None and self._length(item) >= self._refused:
                raise TruncatedReplyError("not asked: the server refused a prompt as short for its length")

        return go

    def refused(self, item: I) -> None:
        """The server took the prompt for too long."""
        length = self._length(item)
        self._refused = length if self._refused is None else min(self._refused, length)


async def together(waiting: Iterable[Awaitable[T]]) -> list[T]:
    """The results of all, in order. When some fail, the others are finished first, since their answers are kept and
    need not be paid for again; then the first failure is raised. How many run at once is the model client's affair.
    """
    results = await asyncio.gather(*waiting, return_exceptions=True)
    done: list[T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        done.append(result)
    return done


async def all_or_none(waiting: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, in order, for answers that nobody keeps: when one fails the others are cancelled and have
    ended, and told what they cost, before the failure is raised."""
    tasks = [asyncio.ensure_future(one) for one in waiting]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def ask_in_parts(
    tools: Tools,
    key: str,
    item: I,
    schema: type[M],
    prompt: Callable[[I], Prompt],
    halves: Callable[[I], Sequence[I] | None],
    numbered: Callable[[I], Iterable[str]] | None = None,
    room: Room[I] | None = None,
) -> list[tuple[I, M]]:
    """Ask about an item; when the reply does not fit, about its halves (keys `KEY.1` and `KEY.2`), and so on.

    A reply names what it is about by number. So that a kept one is never read with other numbers, such as those of
    another version's windows, each key ends in a fingerprint of what is numbered.

    Args:
        halves: the parts of an item, mostly two; none of them leaves it unanswered, and `None` raises.
        numbered: texts that tell what the numbers in the prompt stand for, in order; for a reply without numbers none.
        room: shared by calls about much the same; else each finds out by itself what is too long.

    Returns:
        The parts that were asked about, in order, each with its reply.

    Raises:
        TruncatedReplyError: not even the reply for a part that cannot be halved fits.
    """
    try:
        full = key if numbered is None else f"{key}~{_fingerprint(numbered(item))}"
        ready = None if room is None else room.before(item)
        return [(item, await tools.ask(full, prompt(item), schema, ready=ready))]
    except TruncatedReplyError as error:
        if room is not None and error.too_long:
            room.refused(item)
        parts = halves(item)
        if parts is None:
            raise
    tools.note("split", key=key)
    replies = await together(
        ask_in_parts(tools, f"{key}.{number}", part, schema, prompt, halves, numbered, room)
        for number, part in enumerate(parts, 1)
    )
    return [answered for reply in replies for answered in reply]


def _fingerprint(texts: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()[:16]


def in_batches(items: Sequence[I], size: int) -> list[tuple[I, ...]]:
    """Consecutive pieces of at most `size` items."""
    return [tuple(items[start : start + size]) for start in range(0, len(items), size)]


def split_list(items: tuple[I, ...]) -> tuple[tuple[I, ...], tuple[I, ...]] | None:
    """Two halves of a list; `None` when it has only one item."""
    middle = len(items) // 2
    return (items[:middle], items[middle:]) if middle else None
