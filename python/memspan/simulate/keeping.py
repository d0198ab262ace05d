"""Who keeps the simulated memories: the native index, under the quotas that every user of memspan can set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from memspan.index import Index

__all__ = ["Keeper", "NativeKeeper"]


class Keeper(Protocol):
    """Keeps memories of users within quotas."""

    def limit(self, capacities: Mapping[str, int], eviction: str) -> None:
        """Set the capacity of each kind, of every user."""

    def write(self, user: str, id: str, step: int, kind: str, importance: float) -> Sequence[str]:
        """Keep a memory; returns the ids of those that had to go for it."""

    def prune(self, user: str, ids: Sequence[str]) -> None:
        """Drop memories."""


class NativeKeeper:
    """`memspan.Index` with `set_quotas`: what is tried here is what runs."""

    def __init__(self) -> None:
        self._index: Any = Index(1, auto_consolidate=False)

    def limit(self, capacities: Mapping[str, int], eviction: str) -> None:
        """See `Keeper.limit`."""
        self._index.set_quotas(None, capacities, eviction=eviction)

    def write(self, user: str, id: str, step: int, kind: str, importance: float) -> Sequence[str]:
        """See `Keeper.write`."""
        gone: Sequence[str] = self._index.add(user=user, id=id, at=step, kind=kind, importance=importance)
        return gone

    def prune(self, user: str, ids: Sequence[str]) -> None:
        """See `Keeper.prune`."""
        self._index.remove(user=user, ids=ids)
