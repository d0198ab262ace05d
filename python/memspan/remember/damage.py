"""What happens when a part of the snapshot file turns out to be damaged."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from memspan.errors import CorruptSnapshotError

from .engine import Engine

__all__ = ["survives_damage"]

P = ParamSpec("P")
T = TypeVar("T")


def survives_damage(operation: Callable[Concatenate[Engine, P], T]) -> Callable[Concatenate[Engine, P], T]:
    """Repeat the operation with an index that was rebuilt from the store, when the snapshot fails it.

    An index that was loaded reads its file as users are asked for, so that any operation may come upon damage.
    """

    @wraps(operation)
    def run(engine: Engine, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return operation(engine, *args, **kwargs)
        except CorruptSnapshotError as error:
            engine.distrust_snapshot(error)
        return operation(engine, *args, **kwargs)

    return run
