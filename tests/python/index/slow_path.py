"""The Python ways behind the native methods of `Index` and `Query`, called whatever the arguments are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import memspan


def wrapped(method: Any) -> Any:
    return method.__wrapped__


class SlowQuery(memspan.Query):
    __slots__ = ()
    __init__ = wrapped(memspan.Query.__init__)


def slow_search(index: memspan.Index, **arguments: Any) -> memspan.Hits:
    return index._native.search(SlowQuery(**arguments)._native)


def slow_latest(index: memspan.Index, *, k: Any = 20, **arguments: Any) -> memspan.Hits:
    return slow_search(index, k=k, depth=k, views=("symbolic",), **arguments)


slow_add: Callable[..., None] = wrapped(memspan.Index.add)


def answer(hits: memspan.Hits) -> Any:
    """Everything that hits tell."""
    return (
        hits.ids,
        hits.scores.tolist(),
        hits.ats.tolist(),
        [hit.views for hit in hits],
        hits.explanation,
        [hit.explanation for hit in hits],
    )


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or the class and the message of its error."""
    try:
        result = call()
    except Exception as error:
        return type(error), str(error)
    return answer(result) if isinstance(result, memspan.Hits) else result
