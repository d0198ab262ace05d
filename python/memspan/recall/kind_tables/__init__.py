"""The rules by which a question is of a kind, a table for each language.

Other languages than English have a few simple patterns for each kind: what they miss is a lookup, which does no harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .east_asian import CHINESE, JAPANESE
from .english import ENGLISH
from .germanic import DUTCH, GERMAN
from .iberian import PORTUGUESE, SPANISH
from .korean import KOREAN
from .romance import FRENCH, ITALIAN
from .slavic import POLISH, RUSSIAN
from .table import KINDS_OF_QUESTION, KindName, Table

__all__ = ["KINDS_OF_QUESTION", "TABLES", "KindName"]

TABLES: Final[Mapping[str, Table]] = MappingProxyType(
    {
        "en": ENGLISH,
        "de": GERMAN,
        "fr": FRENCH,
        "es": SPANISH,
        "it": ITALIAN,
        "pt": PORTUGUESE,
        "nl": DUTCH,
        "pl": POLISH,
        "ru": RUSSIAN,
        "zh": CHINESE,
        "ja": JAPANESE,
        "ko": KOREAN,
    }
)
"""By ISO 639-1 code: every language whose time expressions are understood."""
