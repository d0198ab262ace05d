"""Native objects cannot be pickled; those that never change are copies of themselves."""

from __future__ import annotations

from typing import Any, Final, NoReturn, TypeVar

from memspan import _core

__all__ = ["refuse_pickling"]

_T = TypeVar("_T")

_CONSTANT: Final = (_core.Hit, _core.Hits, _core.Query, _core.Ranking, _core.RankingNet)
_CHANGING: Final = (_core.Index, _core.NearWords, _core.TokenBlocks)


def refuse_pickling() -> None:
    """Let `pickle`, and `copy` of what changes, raise a `TypeError` for native objects. In protocols 0 and 1, and where
    somebody asks the object itself, Python would call a constructor that only the binding itself may call, which ends
    the process, or write what nobody can read."""
    members: dict[str, Any] = {"__reduce__": _refused, "__reduce_ex__": _refused}
    copied: dict[str, Any] = {"__copy__": _itself, "__deepcopy__": _itself}
    for each in (*_CONSTANT, *_CHANGING):
        for name, method in {**members, **(copied if each in _CONSTANT else {})}.items():
            setattr(each, name, method)


def _refused(self: object, protocol: int = 0) -> NoReturn:
    raise TypeError(f"cannot copy or pickle {type(self).__module__}.{type(self).__qualname__} objects")


def _itself(self: _T, memo: object = None) -> _T:
    return self
