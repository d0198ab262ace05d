"""The part of `memspan.Index` that tells what a user's records call people and things."""

from __future__ import annotations

from memspan import _core
from memspan.arguments import as_flag, as_text

__all__ = ["NameCalls"]


class NameCalls:
    """A base of `Index`."""

    __slots__ = ()

    _native: _core.Index

    def names(self, *, user: str, retired: bool = False) -> tuple[list[str], list[str]]:
        """The speakers of a user's records, and the tags, each sorted. O(sessions, speakers and tags).

        What only retired records have, which a search with `as_of` or `valid_at` may find, is among them with
        `retired`. Tags that have a parent, a child or an embedding of their own always are.
        """
        return self._native.names(as_text(user, "user"), as_flag(retired, "retired"))

    def names_version(self, *, user: str) -> int:
        """A number that stays the same, within the process, only as long as `names` of the user answers the same. O(1).

        0 for a user with nothing. It may change although the names have not, as when a user comes back into memory
        (`max_resident_bytes`).
        """
        return self._native.names_version(as_text(user, "user"))
