"""Texts with the signs that the tables and patterns of times are written in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from unicodedata import is_normalized

from memspan.recall.marks import MARKS, normalized

__all__ = ["plain_signs"]

_WIDE: Final = {
    code: code - 0xFEE0
    for block in ("０９", "ＡＺ", "ａｚ", "－／")
    for code in range(ord(block[0]), ord(block[1]) + 1)
}
# Models, word processors and phones write these of their own accord.
_LOOK_ALIKE: Final = _WIDE | dict.fromkeys(map(ord, "‐‑−﹣"), "-") | dict.fromkeys(map(ord, "ʼ´＇"), "'")
_UNSEEN: Final = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_HIDDEN: Final = re.compile(f"[{_UNSEEN}]")
_PARTS: Final = "\u1160-\u11ff"
"""Letters of Korean that are written into the syllable that the one before them begins."""
_SIGN: Final = re.compile(f"[{_UNSEEN}]|.[{MARKS}{_UNSEEN}{_PARTS}]*", re.DOTALL)


def plain_signs(text: str) -> tuple[str, Sequence[int]]:
    """The text with composed letters, with ASCII's digits, letters, dashes and apostrophes for those that look alike,
    and without what shows nothing, such as hyphens at which a word may be cut; and for each place in it, and its end,
    the one in `text`. O(n).
    """
    places: Sequence[int] = range(len(text) + 1)
    if text.isascii():
        return text, places
    if not is_normalized("NFC", text) or _HIDDEN.search(text) is not None:
        signs = [
            (match.start(), normalized("NFC", _HIDDEN.sub("", match[0]))) for match in _SIGN.finditer(text)
        ]
        places = [start for start, sign in signs for _ in sign]
        places.append(len(text))
        text = "".join(sign for _, sign in signs)
    return text.translate(_LOOK_ALIKE), places
