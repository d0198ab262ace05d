"""The rule of `estimate_tokens` once more, in plain Python with regular expressions."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["count_tokens"]

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r" ?\d+")
_SIGNS: Final = re.compile(r"(?:[^\w\s]|_)+")
_CONTRACTION: Final = re.compile(r"(?<=[^\W_])'(?:s|t|m|d|re|ve|ll)\b", re.IGNORECASE)
_BREAK: Final = re.compile(r"(?:\A|(?<=[^\W_]))\n+")
_GAP: Final = re.compile(r"[^\S\n]{2,}")
_SHORT: Final = 9
"""Letters of a word that is one token, as a rule."""
# Scripts whose characters are about a token each.
_DENSE: Final = re.compile(
    "[\u0e00-\u0eff\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
_LAST_LATIN: Final = "\u024f"
_LAST_COMMON_SIGN: Final = "\u206f"


def count_tokens(text: str) -> int:
    words = _LETTERS.findall(text)
    signs = _SIGNS.findall(text)
    count = len(words) + len(signs) - len(_CONTRACTION.findall(text))
    for word in words:
        if len(word) > _SHORT or not word.isascii():
            count += _of_word(word) - 1
    for run in signs:
        if len(run) > 1 or not run.isascii():
            count += _of_signs(run) - 1
    for number in _NUMBER.findall(text):
        # A space before a number is a token of its own.
        count += _parts(len(number.lstrip()), 3) + number.startswith(" ")
    return count + len(_BREAK.findall(text)) + len(_GAP.findall(text))


def _of_word(word: str) -> int:
    if word.isascii():
        return 1 + _parts(max(0, len(word) - _SHORT), 4)
    dense = len(_DENSE.findall(word))
    latin = sum(letter <= _LAST_LATIN for letter in word)
    return dense + _parts(latin, 3) + _parts(len(word) - dense - latin, 2)


def _of_signs(run: str) -> int:
    if run.isascii():
        return _parts(len(run), 2 if len(set(run)) > 1 else 4)
    return sum(1 if sign <= _LAST_COMMON_SIGN else 2 for sign in run)


def _parts(size: int, most: int) -> int:
    """How many parts of at most `most` it takes."""
    return -(-size // most)
