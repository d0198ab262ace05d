"""How many tokens a text has for a language model, without that model's vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from memspan import _core

__all__ = ["TokenCounter", "estimate_tokens"]

TokenCounter: TypeAlias = Callable[[str], int]
"""The number of tokens of a text."""


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
    is blank. O(n), about 1 us for a turn of 30 words; native.
    """
    return _core.estimate_tokens(text)
