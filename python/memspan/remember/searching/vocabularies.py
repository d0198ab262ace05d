"""What each user's memories call people and things, kept between questions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final, NamedTuple

from memspan.index import Index
from memspan.recall.vocabulary import Vocabulary

__all__ = ["Vocabularies"]

_MOST: Final = 1_024


class _Known(NamedTuple):
    version: int
    names: tuple[list[str], list[str]]
    vocabulary: Vocabulary


class Vocabularies:
    """The vocabularies of the users who asked last, each made anew when its names are no longer the index's.
    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, bool], _Known] = OrderedDict()
        self._forgotten = 0  # how often; names that were read before may be those of an erased user

    def of(self, index: Index, user: str, *, retired: bool = False) -> Vocabulary:
        """The user's vocabulary: speakers and tags, with `retired` also what only records have that are not believed
        any more. O(1), and O(sessions, speakers and tags of the user) after they changed.
        """
        key = (user, retired)
        version = index.names_version(user=user)  # first: names that change meanwhile are looked at again
        with self._lock:
            forgotten = self._forgotten
            known = self._known.get(key)
            if known is not None and known.version == version:
                self._known.move_to_end(key)
                return known.vocabulary
        names = index.names(user=user, retired=retired)
        if known is not None and known.names == names:
            vocabulary = known.vocabulary
        else:
            before = None if known is None else known.vocabulary
            vocabulary = Vocabulary(speakers=names[0], tags=names[1], before=before)
        with self._lock:
            # 0, of a user with nothing, comes again: what came meanwhile is not to be found under it.
            if self._forgotten != forgotten or (version == 0 and any(names)):
                return vocabulary
            self._known[key] = _Known(version, names, vocabulary)
            self._known.move_to_end(key)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return vocabulary

    def forget(self, user: str) -> None:
        """Lets a user's names go, as after an erasure."""
        with self._lock:
            self._forgotten += 1
            for retired in (False, True):
                self._known.pop((user, retired), None)
