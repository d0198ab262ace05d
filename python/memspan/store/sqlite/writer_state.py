"""What a writing connection knows about its database from one transaction to the next."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["WriterState"]


@dataclass(slots=True)
class WriterState:
    """Values read or written under the write lock.

    They hold until another connection commits, or a transaction of this one fails; the store then starts with
    another state. A write that follows another one of the same connection so reads nothing at all.
    """

    sequence: int
    """The change counter as of the last commit."""
    last_pk: int | None = None
    """No record has a greater key; 0 when there is none."""
    user_pks: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str | None] = field(default_factory=dict)
    """Settings that were asked for, also absent ones."""
    lifetimes: dict[str | None, dict[str, float]] = field(default_factory=dict)
    """Times to live that were asked for, by user; `None`: everybody's."""
    lifetimes_empty: bool | None = None
    """Whether nobody had a time to live when that was asked last, and none was set since; `None`: not known."""
    cold_empty: bool | None = None
    """Whether nothing was in the cold tier when that was asked last, and nothing came since; `None`: not known."""
    token_vectors_empty: bool | None = None
    """Whether no record had token vectors when that was asked last, and none got them since; `None`: not known."""
    audit: tuple[int, str] | None = None
    """Number and hash of the last entry of the audit; before the first, 0 and what stands for its hash."""
