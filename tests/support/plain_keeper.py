"""The quotas of a simulation in plain Python: what the native ones have to agree with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class PlainKeeper:
    """Per user and kind a dictionary; the smallest key goes."""

    def __init__(self) -> None:
        self._capacities: Mapping[str, int] = {}
        self._by_value = False
        self._kept: dict[tuple[str, str], dict[str, tuple[int, float]]] = {}

    def limit(self, capacities: Mapping[str, int], eviction: str) -> None:
        self._capacities, self._by_value = dict(capacities), eviction == "value"

    def write(self, user: str, id: str, step: int, kind: str, importance: float) -> Sequence[str]:
        kept = self._kept.setdefault((user, kind), {})
        gone = []
        while len(kept) >= self._capacities[kind]:
            gone.append(min(kept, key=lambda one: self._order(*kept[one])))
            del kept[gone[-1]]
        kept[id] = (step, importance)
        return gone

    def prune(self, user: str, ids: Sequence[str]) -> None:
        for (owner, _), kept in self._kept.items():
            if owner == user:
                for id_ in ids:
                    kept.pop(id_, None)

    def _order(self, step: int, importance: float) -> tuple[float, float]:
        return (importance, step) if self._by_value else (step, 0.0)
