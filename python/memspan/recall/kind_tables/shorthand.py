"""What people type on phones, as the words that it stands for, so that rules need to know these alone."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

__all__ = ["spelled_out"]

# Without their apostrophes.
_JOINED: Final = word_set(
    "what's when's where's who's how's isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't "
    "can't couldn't shouldn't wouldn't i'm i've you've"
)
_MEANT = {
    "u": "you",
    "ur": "your",
    "r": "are",
    "pls": "please",
    "plz": "please",
    "rn": "right now",
    "hw": "how",
    "wut": "what",
} | {word.replace("'", ""): word for word in sorted(_JOINED)}
_MEANT |= {f"{word}{sign}d": f"{word} did" for word in ("what", "where", "when", "why") for sign in ("'", "")}
_SHORT: Final = re.compile(rf"(?<![\w'])(?:{'|'.join(_MEANT)})(?![\w'])")
_SIGNS: Final = str.maketrans("?,.!;:", "      ")


def spelled_out(question: str) -> str:
    """An English question in lower case with its short forms spelled out. Linear."""
    if _MEANT.keys().isdisjoint(question.translate(_SIGNS).split()):
        return question  # most have none
    return _SHORT.sub(lambda match: _MEANT[match.group()], question)
