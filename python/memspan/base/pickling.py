"""Native objects cannot be pickled."""

from __future__ import annotations

import copyreg
from typing import Any, Final, NoReturn

from memspan import _core

__all__ = ["refuse_pickling"]

_TYPES: Final = (
    _core.Hit,
    _core.Hits,
    _core.Index,
    _core.NearWords,
    _core.Query,
    _core.Ranking,
    _core.RankingNet,
    _core.TokenBlocks,
)


def refuse_pickling() -> None:
    """Let `pickle` and `copy` raise a `TypeError` for native objects. In protocols 0 and 1 Python would call a
    constructor that only the binding itself may call, which ends the process, or write what nobody can read."""
    for each in _TYPES:
        copyreg.pickle(each, _refused)


def _refused(value: Any) -> NoReturn:
    raise TypeError(f"cannot pickle {type(value).__module__}.{type(value).__qualname__} objects")
