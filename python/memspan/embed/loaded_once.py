"""`LoadedOnce`: what takes long to load, kept from the first use on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

__all__ = ["LoadedOnce"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LoadedOnce(Generic[Key, Value]):
    """A value for each key, loaded by whoever asks for it first; others who ask meanwhile wait. Thread-safe."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._values: dict[Key, Value] = {}

    def get(self, key: Key, load: Callable[[Key], Value]) -> Value:
        """The key's value. Where `load` raises, the next one who asks loads again."""
        if key not in self._values:
            with self._lock:
                if key not in self._values:
                    self._values[key] = load(key)
        return self._values[key]
