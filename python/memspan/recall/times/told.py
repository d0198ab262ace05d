"""Whether a text in another language than English tells of what was."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.question_language import languages_of

from .east_asian_ahead import tells_past as tells_past_in_signs
from .guess import has_han, has_hangul
from .korean_ahead import tells_past as tells_past_in_korean
from .languages import LANGUAGES, lexicon_of

__all__ = ["tells_of_past_abroad"]

_LOOKED_AT: Final = 300
"""Characters: the patterns look back and forth."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def tells_of_past_abroad(text: str) -> bool:
    """Whether the beginning of a text tells of the past, in a language whose times are read and that is not English.
    O(1)."""
    text = text[:_LOOKED_AT]
    if has_han(text):
        return tells_past_in_signs(text)
    if has_hangul(text):
        return tells_past_in_korean(text)
    languages = languages_of(text.lower())
    if "en" in languages and text.isascii():
        return False
    # Names and the nouns of German have capitals, and end as participles do.
    words = [word for place, word in enumerate(_WORD.findall(text)) if not place or word[0].islower()]
    said = " ".join(words).lower()
    return any(_tells(language, said) for language in languages if language in LANGUAGES and language != "en")


def _tells(language: str, said: str) -> bool:
    told = lexicon_of(language).told
    return told is not None and told.search(said) is not None
