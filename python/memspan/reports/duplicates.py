"""Records that nearly say the same, as the index finds them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Duplicate", "Duplicates"]


class Duplicate(NamedTuple):
    """Two records of one kind whose embeddings are near each other."""

    first: str
    """The lesser id."""
    second: str
    cosine: float


class Duplicates(NamedTuple):
    """What `Index.duplicates` found."""

    pairs: list[Duplicate]
    """The nearest first, then by ids."""
    complete: bool
    """`False`: there are more than were wanted, and which of them are here is not said."""
    records: int
    """That were compared; 0 when none is new."""
