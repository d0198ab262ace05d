"""How many tokens a text has for a language model, without that model's vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

__all__ = ["TokenCounter", "estimate_tokens"]

TokenCounter: TypeAlias = "Callable[[str], int]"
"""The number of tokens of a text."""

_PIECE: Final = re.compile(
    r"'(?:s|t|m|d|re|ve|ll)\b|[^\W\d_]+|\d+|\n+|[^\S\n]+|(?:[^\w\s]|_)+", re.IGNORECASE
)
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
    of the default embedder; for one passage in a hundred it is more than 4 % short of cl100k_base. A quarter of the
    characters, the usual rule of thumb, is 1 % short, 5 % and 11 % long, and half of the truth for lists of numbers.
    In other languages it lies between those two vocabularies, which differ by a factor of up to three.

    Lines add up: the count of a text is the sum of those of its lines, each with its line break, as long as no line
    is blank. O(n), about 15 us for a turn of 30 words.
    """
    return sum(map(_tokens_of, _PIECE.finditer(text)))


def _tokens_of(match: re.Match[str]) -> int:
    piece = match.group()
    size = len(piece)
    first = piece[0]
    if not piece.isascii():
        return _beyond_ascii(piece)
    if first.isalpha():
        return 1 if size <= 9 else 1 + _parts(size - 9, 4)
    if first.isdigit():
        # A space before a number is a token of its own.
        return _parts(size, 3) + (match.string[match.start() - 1 : match.start()] == " ")
    if first == "\n":
        return int(match.start() == 0 or match.string[match.start() - 1].isalnum())
    if first.isspace():
        return int(size > 1)
    if first == "'" and piece[1:].isalpha() and size > 1:
        return 1
    return _parts(size, 2 if len(set(piece)) > 1 else 4)


def _beyond_ascii(piece: str) -> int:
    if not piece[0].isalnum():
        return sum(1 if sign <= _LAST_COMMON_SIGN else 2 for sign in piece)
    dense = len(_DENSE.findall(piece))
    latin = sum(letter <= _LAST_LATIN for letter in piece)
    return dense + _parts(latin, 3) + _parts(len(piece) - dense - latin, 2)


def _parts(size: int, most: int) -> int:
    """How many parts of at most `most` it takes."""
    return -(-size // most)
