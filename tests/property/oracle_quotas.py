"""What quotas and evictions must do, in plain Python: one user, every rule written out, nothing kept in order."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

WINDOW = 16
MOST_AT_ONCE = 32


@dataclass
class Kept:
    """A record as far as evictions look at it; `axis` is its embedding, a unit vector along one axis."""

    id: str
    at: int
    kind: str
    importance: float | None = None
    pinned: bool = False
    gone: bool = False
    axis: int | None = None
    uses: int = 0
    said_again_by: Kept | None = None

    @property
    def retired(self) -> bool:
        """Whether it has a time from which it is not believed; the tests tell by its own."""
        return self.at % 2 == 1 if self.gone else self.at == 3

    @property
    def expires(self) -> float:
        """When, if it is not retired."""
        return int(self.id[1:]) if self.gone else float("inf")


class NoRoomError(Exception):
    """All that could go are pinned."""


class QuotaOracle:
    def __init__(self) -> None:
        self.records: dict[str, Kept] = {}
        self.capacities: dict[str, int] | None = None
        self.eviction = "value"
        self.windows: dict[str, deque[str]] = {}

    def value(self, record: Kept) -> Any:
        if self.eviction == "oldest":
            return 0.0
        importance = np.float32(0.5 if record.importance is None else record.importance)
        uses = np.float32(record.uses)
        other = record.said_again_by
        redundant = other is not None and self.records.get(other.id) is other
        return importance + uses / (uses + np.float32(4)) - np.float32(redundant)

    def order(self, kind: str) -> list[Kept]:
        """The records of a kind that may go, the first to go first; of those that are gone already the one that went
        first, which the tests tell by its number."""
        candidates = [each for each in self.records.values() if each.kind == kind and not each.pinned]
        candidates.sort(key=lambda each: (len(each.id), each.id))
        candidates.sort(key=lambda each: (self.value(each), each.at))
        gone = sorted((each for each in candidates if each.gone), key=lambda each: int(each.id[1:]))
        return gone + [each for each in candidates if not each.gone]

    def compares(self, kind: str) -> bool:
        """Whether what comes is compared with what came before."""
        return self.eviction == "value" and kind in (self.capacities or {})

    def check_room(self, batch: list[Kept]) -> None:
        after = {**self.records, **{record.id: record for record in batch}}
        for kind, capacity in (self.capacities or {}).items():
            coming = [record for record in batch if record.kind == kind]
            pinned = sum(record.pinned for record in after.values() if record.kind == kind)
            others = any(not record.pinned for record in coming)
            if coming and pinned + others > capacity:
                raise NoRoomError(kind)

    def add(self, batch: list[Kept], evict: bool) -> list[str]:
        if evict:
            self.check_room(batch)
        evicted: list[str] = []
        for record in batch:
            uses = 0
            if record.id in self.records:
                uses = self.records[record.id].uses
                self.remove(record.id)
            elif record.id in evicted:
                evicted.remove(record.id)
            if evict:
                evicted += self.make_room(record.kind)
            self.insert(replace(record, uses=uses))
        return evicted

    def make_room(self, kind: str) -> list[str]:
        capacity = (self.capacities or {}).get(kind)
        if capacity is None:
            return []
        count = sum(record.kind == kind for record in self.records.values())
        return self.remove_first(kind, min(MOST_AT_ONCE, max(0, count + 1 - capacity)))

    def remove_first(self, kind: str, most: int) -> list[str]:
        """One after the other: with a record goes what it made of the value of others."""
        going: list[str] = []
        while len(going) < most and (order := self.order(kind)):
            going.append(order[0].id)
            self.remove(order[0].id)
        return going

    def insert(self, record: Kept) -> None:
        self.records[record.id] = record
        if not self.compares(record.kind) or record.axis is None or record.retired:
            return
        window = self.windows.setdefault(record.kind, deque(maxlen=WINDOW))
        for id in window:
            if not id or self.records[id].axis != record.axis or record.expires < self.records[id].expires:
                continue
            other = self.records[id].said_again_by
            if other is None or self.records.get(other.id) is not other:
                self.records[id].said_again_by = record
        window.append(record.id)

    def remove(self, id: str) -> None:
        kind = self.records.pop(id).kind
        window = self.windows.get(kind)
        if window is not None and id in window:
            window[window.index(id)] = ""

    def evict(self) -> list[str]:
        evicted: list[str] = []
        for kind, capacity in (self.capacities or {}).items():
            count = sum(record.kind == kind for record in self.records.values())
            evicted += self.remove_first(kind, max(0, count - capacity))
        return evicted
