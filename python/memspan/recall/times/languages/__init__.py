"""The words of each language that have to do with time: one table a file, read when a text is in that language."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from memspan.recall.times.lexicon import Lexicon

__all__ = ["LANGUAGES", "import_all", "lexicon_of"]

_MODULES: Final = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "pl": "polish",
    "ru": "russian",
}

LANGUAGES: Final = (*_MODULES, "zh", "ja", "ko")
"""The languages whose time expressions are understood, by their ISO 639-1 codes. The last three have tables of words
that patterns are made of (`..east_asian`, `..korean`)."""


@cache
def lexicon_of(language: str) -> Lexicon:
    """The table of a language that has one."""
    module = import_module(f"{__name__}.{_MODULES[language]}")
    lexicon: Lexicon = module.LEXICON
    return lexicon


def import_all() -> None:
    """Read every table now."""
    for language in _MODULES:
        lexicon_of(language)
