"""The change sequence: counts the transactions of one history, and tells that history from others."""

from __future__ import annotations

import secrets
from typing import Final

__all__ = ["begin_history", "same_history"]

_COUNTED: Final = 32
"""Bits that count transactions; those above stand for the history."""

_STEP: Final = 1 << 16
"""Two futures of one past have the same number once in so many times."""


def same_history(one: int, other: int) -> bool:
    """Whether the smaller of two points of a sequence is in the past of the other one."""
    return one >> _COUNTED == other >> _COUNTED


def begin_history(sequence: int) -> int:
    """Where the sequence goes on from that point, when others may have gone on from there in another way: what they
    took for the present is no past of it."""
    return (sequence >> _COUNTED) + 1 + secrets.randbelow(_STEP) << _COUNTED
