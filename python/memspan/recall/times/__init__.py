"""Time expressions: tables of words for each language, one grammar over them, and calendar arithmetic."""

from __future__ import annotations

from .find import find_times
from .found import RELATIONS, FoundTime, Relation
from .languages import LANGUAGES

__all__ = ["LANGUAGES", "RELATIONS", "FoundTime", "Relation", "find_times"]
