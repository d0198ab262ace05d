"""Texts as a model wrote them, made fit to be stored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from memspan.limits import MAX_NAME_BYTES
from memspan.recall.said_words import said_words

__all__ = ["clean_names", "clean_text", "same_words"]

_MOST_NAMES: Final = 32
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def clean_text(text: str | None) -> str:
    """On one line, without control characters. Empty for `None`."""
    return " ".join(_CONTROL.sub(" ", text).split()) if text else ""


def clean_names(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, the first 32 that are not empty and not too long to be stored."""
    cleaned = dict.fromkeys(clean_text(name) for name in names)
    fit = [name for name in cleaned if name and len(name.encode()) <= MAX_NAME_BYTES]
    return tuple(fit[:_MOST_NAMES])


def same_words(text: str) -> tuple[str, ...]:
    """The words of a text in order (`said_words`): equal for texts that say the same in the same words.

    A text without a word stands for itself."""
    return said_words(text) or (text,)
