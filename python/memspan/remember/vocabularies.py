"""What each user's memories call people and things, kept between questions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final, TypeAlias

from memspan.index import Index
from memspan.recall.vocabulary import Vocabulary

__all__ = ["Vocabularies"]

Names: TypeAlias = "tuple[list[str], list[str]]"

_MOST: Final = 1_024


class Vocabularies:
    """The vocabularies of the users who asked last, each made anew when its names are no longer the index's.
    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, bool], tuple[Names, Vocabulary]] = OrderedDict()

    def of(self, index: Index, user: str, *, retired: bool = False) -> Vocabulary:
        """The user's vocabulary: speakers and tags, with `retired` also what only records have that are not believed
        any more. O(records and tags of the user), a microsecond for some hundred."""
        names = index.names(user=user, retired=retired)
        key = (user, retired)
        with self._lock:
            known = self._known.get(key)
            if known is not None and known[0] == names:
                self._known.move_to_end(key)
                return known[1]
        made = Vocabulary(speakers=names[0], tags=names[1])
        with self._lock:
            self._known[key] = (names, made)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return made

    def forget(self, user: str) -> None:
        """Lets a user's names go, as after an erasure."""
        with self._lock:
            for retired in (False, True):
                self._known.pop((user, retired), None)
