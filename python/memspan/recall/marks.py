"""Marks that stand on the letter before them, such as the vowels of Hindi, and belong to its word."""

from __future__ import annotations

from typing import Final
from unicodedata import category

__all__ = ["MARKS"]

# Where alphabets have theirs; not the selectors of variants, which stand behind emoji.
_BLOCKS: Final = ((0x300, 0x1D00), (0x1DC0, 0x1E00), (0x20D0, 0x20F1), (0x3099, 0x309B), (0xA66F, 0xABF0))

MARKS: Final = "".join(
    chr(code) for first, end in _BLOCKS for code in range(first, end) if category(chr(code)).startswith("M")
)
"""For a class of a regular expression; `\\w` has none of them."""
