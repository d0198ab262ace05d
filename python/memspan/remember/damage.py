"""What happens when a part of the snapshot file turns out to be damaged, or the embedder is another one meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from memspan.errors import CorruptSnapshotError

from .engine import Engine
from .writing.change import ConvertedError

__all__ = ["survives_damage"]

P = ParamSpec("P")
T = TypeVar("T")


def survives_damage(operation: Callable[Concatenate[Engine, P], T]) -> Callable[Concatenate[Engine, P], T]:
    """Repeat the operation with an index that was rebuilt from the store, when the snapshot fails it; and with the
    embedder of now, when what it embedded is of the one before.

    An index that was loaded reads its file as users are asked for, so that any operation may come upon damage.
    """

    @wraps(operation)
    def run(engine: Engine, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return operation(engine, *args, **kwargs)
        except CorruptSnapshotError as error:
            engine.distrust_snapshot(error)
        except ConvertedError:
            pass
        return operation(engine, *args, **kwargs)

    return run
