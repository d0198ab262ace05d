"""Which records are near each other, of pairs in which one of those with the same embedding stands for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from memspan.records import Record
from memspan.reports.duplicates import Duplicate

__all__ = ["Likeness", "groups_of"]

_ROUNDING: Final = 1e-6
"""Of a cosine, as in the index."""


def groups_of(pairs: Iterable[Duplicate]) -> list[list[Duplicate]]:
    """The pairs of each connected group of records, in the order of the groups' first pairs. Nothing in one group is
    near anything in another one. O(pairs)."""
    parent: dict[str, str] = {}

    def root(id_: str) -> str:
        while (above := parent.setdefault(id_, id_)) != id_:
            parent[id_] = id_ = parent.setdefault(above, above)
        return id_

    every = list(pairs)
    for pair in every:
        parent[root(pair.second)] = root(pair.first)
    groups: dict[str, list[Duplicate]] = {}
    for pair in every:
        groups.setdefault(root(pair.first), []).append(pair)
    return list(groups.values())


class Likeness:
    """Sets of records with one embedding, and which of them are near each other. O(pairs).

    Args:
        records: by id; pairs of others are left out. Without its embedding a record is a set of its own, and its pairs
            are believed; the others' are computed again, as a record may say something else by now.
        least: the cosine from which on records are near.
    """

    def __init__(self, pairs: Sequence[Duplicate], records: Mapping[str, Record], least: float) -> None:
        numbers: dict[object, int] = {}
        self._of: dict[str, int] = {}
        self._near: list[dict[int, None]] = []
        for id_ in dict.fromkeys(id_ for pair in pairs for id_ in pair[:2] if id_ in records):
            vector = records[id_].embedding
            number = numbers.setdefault(id_ if vector is None else vector.tobytes(), len(numbers))
            if number == len(self._near):
                self._near.append({number: None})
            self._of[id_] = number
        for first, second, _ in pairs:
            if first in self._of and second in self._of:
                one, other = self._of[first], self._of[second]
                if other not in self._near[one] and _is_near(records[first], records[second], least):
                    self._near[one][other] = self._near[other][one] = None

    @property
    def ids(self) -> list[str]:
        """The records that are near another one."""
        return list(self._of)

    def set_of(self, id_: str) -> int:
        """The number of a record's set."""
        return self._of[id_]

    def sets_near(self, id_: str) -> list[int]:
        """The numbers of the sets that a record is near, its own first."""
        return list(self._near[self._of[id_]])


def _is_near(one: Record, other: Record, least: float) -> bool:
    if one.embedding is None or other.embedding is None:
        return True
    if one.embedding.shape != other.embedding.shape:
        return False
    lengths = float(np.linalg.norm(one.embedding) * np.linalg.norm(other.embedding))
    return float(one.embedding @ other.embedding) + _ROUNDING * lengths >= least * lengths
