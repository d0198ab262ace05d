"""`said_words`: the words of a text, for telling whether another one says the same."""

from __future__ import annotations

import re
from typing import Final

from .marks import MARKS, normalized

__all__ = ["said_words"]

# Beside words, the signs that change what is said: of numbers (-5, 1.5, $5, 5 %), of comparison, in names (C++, C#), of
# formulas and code (a * b, a && b, !a), and those that say yes or no.
# The look ahead rules out most places at once.
_WORD: Final = re.compile(
    rf"\w[\w{MARKS}]*|(?=[-−+±.,:/#$€£¥₹₽%‰<>=≠≤≥*&|^!~👍👎✅❌✔✖])"
    r"(?:(?<!\w)[-−+±](?=[\d$€£¥₹₽])|(?<=\d)[.,:/-](?=\d)|(?<=\w)[+#]+|(?<=\s)(?:[+*/&|^]|&&|\|\|)(?=\s)"
    r"|(?<![\w!])[!~](?=[\w(])|[$€£¥₹₽%‰<>=≠≤≥👍👎✅❌✔✖])"
)


def said_words(text: str) -> tuple[str, ...]:
    """Words, and signs that change what is said, in their order and without case; other marks say nothing. O(n)."""
    return tuple(_WORD.findall(normalized("NFC", text.casefold())))
