"""`LoadedOnce`: what takes long to load, kept from the first use on."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar

from memspan.base.weak_sets import all_of

__all__ = ["LoadedOnce"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_FORK_SECONDS: Final = 30.0
"""How long a fork waits for what others load."""

_all: weakref.WeakSet[LoadedOnce[Any, Any]] = weakref.WeakSet()


class _Forking(threading.local):
    """Of a thread that forks: what nobody loads meanwhile."""

    def __init__(self) -> None:
        self.held: list[threading.RLock] = []


_forking = _Forking()


class LoadedOnce(Generic[Key, Value]):
    """A value for each key, loaded by whoever asks for it first; others who ask meanwhile wait. Thread-safe.

    A fork waits, too: the child would have a half-loaded library, and wait for a thread that it does not have.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._values: dict[Key, Value] = {}
        _all.add(self)

    def get(self, key: Key, load: Callable[[Key], Value]) -> Value:
        """The key's value. Where `load` raises, the next one who asks loads again."""
        if key not in self._values:
            with self._lock:
                if key not in self._values:
                    self._values[key] = load(key)
        return self._values[key]


def _before_fork() -> None:
    for each in all_of(_all):
        if each._lock.acquire(timeout=_FORK_SECONDS):
            _forking.held.append(each._lock)


def _after_fork_in_parent() -> None:
    while _forking.held:
        _forking.held.pop().release()


def _after_fork_in_child() -> None:
    _forking.held.clear()
    for each in all_of(_all):
        each._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
