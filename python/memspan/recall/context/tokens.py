"""How many tokens a text has for a language model, without that model's vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

__all__ = ["TokenCounter", "estimate_tokens"]

TokenCounter: TypeAlias = "Callable[[str], int]"
"""The number of tokens of a text."""

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


def estimate_tokens(text: str) -> int:
    """About as many tokens as the byte-pair vocabularies of today's models make of a text, rather more than less.

    A rule over words, numbers and signs; it needs no file and no network and is the same everywhere. Measured on
    passages of some 550 tokens from LoCoMo, REALTALK and BEAM (English chat, long replies with code and lists), it
    counts 4, 1 and 8 % more than cl100k_base, 7, 4 and 7 % more than o200k_base, and 2-8 % fewer than the WordPiece
    of the default embedder. On REALTALK, with its emoji and spellings, one passage in five is short of cl100k_base, by
    6 % at most; on LoCoMo none is. A quarter of the characters, the usual rule of thumb, is 1 % short, 5 % and 11 %
    long, and half of the truth for lists of numbers.
    In other languages it lies between those two vocabularies, which differ by a factor of up to three.

    Lines add up: the count of a text is the sum of those of its lines, each with its line break, as long as no line
    is blank. O(n), about 10 us for a turn of 30 words.
    """
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
