"""`said_words`: the words of a text, for telling whether another one says the same."""

from __future__ import annotations

import re
from typing import Final

from .marks import MARKS, normalized

__all__ = ["asks", "said_words"]

# Beside words, the signs that change what is said: of numbers (-5, 1.5, $5, 5 %), of comparison, in names (C++, C#), of
# formulas and code (a * b, a && b, !a), and those that say yes or no.
# The look ahead rules out most places at once.
_WORD: Final = re.compile(
    rf"\w[\w{MARKS}]*|(?=[-−+±.,:/#$€£¥₹₽%‰<>=≠≤≥*&|^!~👍👎✅❌✔✖])"
    r"(?:(?<!\w)[-−+±](?=[\d$€£¥₹₽])|(?<=\d)[.,:/-](?=\d)|(?<=\w)[+#]+|(?<=\s)(?:[+*/&|^]|&&|\|\|)(?=\s)"
    r"|(?<![\w!])[!~](?=[\w(])|[$€£¥₹₽%‰<>=≠≤≥👍👎✅❌✔✖])"
)
_ASKS: Final = re.compile(r"[?？؟][^\w?？؟]*\Z")


def said_words(text: str) -> tuple[str, ...]:
    """Words, and signs that change what is said, in their order and without case; other marks say nothing. At the end
    of a question stands "?": "We leave at five?" does not say that they do. O(n).
    """
    words = tuple(_WORD.findall(normalized("NFC", text.casefold())))
    return (*words, "?") if words and asks(text) else words


def asks(text: str) -> bool:
    """Whether a text ends with a question mark, whatever other signs stand behind it. O(n)."""
    return _ASKS.search(text) is not None
