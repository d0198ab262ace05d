"""Marks that stand on the letter before them, such as the vowels of Hindi, and belong to its word."""

from __future__ import annotations

import re
from typing import Final, Literal
from unicodedata import category, normalize

__all__ = ["MARKS", "normalized"]

# Where alphabets have theirs; not the selectors of variants, which stand behind emoji.
_BLOCKS: Final = ((0x300, 0x1D00), (0x1DC0, 0x1E00), (0x20D0, 0x20F1), (0x3099, 0x309B), (0xA66F, 0xABF0))

MARKS: Final = "".join(
    chr(code) for first, end in _BLOCKS for code in range(first, end) if category(chr(code)).startswith("M")
)
"""For a class of a regular expression; `\\w` has none of them."""

_MOST: Final = 256
# Cut before what is never composed with what stands before it: ASCII, and Chinese with its punctuation.
_PIECE: Final = re.compile(
    rf".{{1,{_MOST}}}(?=[\x00-\x7f\u3000-\u3029\u4e00-\u9fff]|\Z)|.{{1,{_MOST}}}", re.DOTALL
)


def normalized(form: Literal["NFC", "NFKD"], text: str) -> str:
    """`unicodedata.normalize` in linear time: that puts the marks of a letter in order one by one, so that 100,000 of
    them in a row, which nobody writes but an enemy, would take half a minute. Beyond 256 they may stay as they are.
    """
    if len(text) <= _MOST:
        return normalize(form, text)
    return "".join([normalize(form, piece) for piece in _PIECE.findall(text)])
