"""Small sets of words, written as one text."""

from __future__ import annotations

__all__ = ["word_set"]


def word_set(text: str) -> frozenset[str]:
    """The words of a text that are apart by spaces."""
    return frozenset(text.split())
