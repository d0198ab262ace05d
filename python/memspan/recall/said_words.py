"""`said_words`: the words of a text, for telling whether another one says the same."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["said_words"]

# Beside words, the signs that change what is said: of numbers (-5, 1.5, $5, 5 %), of comparison, in names (C++, C#),
# and those that say yes or no.
# The look ahead rules out most places at once.
_WORD: Final = re.compile(
    r"\w+|(?=[-−+±.,:/#$€£¥₹₽%‰<>=≠≤≥👍👎✅❌✔✖])"
    r"(?:(?<!\w)[-−+±](?=[\d$€£¥₹₽])|(?<=\d)[.,:/-](?=\d)|(?<=\w)[+#]+|[$€£¥₹₽%‰<>=≠≤≥👍👎✅❌✔✖])"
)


def said_words(text: str) -> tuple[str, ...]:
    """Words, and signs that change what is said, in their order and without case; other marks say nothing. O(n)."""
    return tuple(_WORD.findall(text.casefold()))
