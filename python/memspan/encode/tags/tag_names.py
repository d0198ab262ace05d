"""Names of tags as a model writes them, in the form in which they are stored; and relations without cycles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from memspan import _core
from memspan.encode.clean import clean_text
from memspan.limits import MAX_TAG_BYTES
from memspan.recall.words import word_set

__all__ = ["GENERIC", "Hierarchy", "tag_name"]

_MOST_WORDS: Final = 3

GENERIC: Final = word_set(
    "activity answer assistant chat chatting comment communication content context conversation conversations "
    "data detail details dialog dialogue discussion episode event everything fact facts general idea info "
    "information interaction issue item life memory message messages misc miscellaneous none note other others people "
    "person question question_answer reply response small_talk speaker statement story stuff subject summary tag tags "
    "talk talking text thing things topic topics turn turns unknown update updates user users various"
)
"""Tags that nearly everything could have (SwiftMem, appendix A.1: no "conversation", no "chat")."""

_EDGES: Final = re.compile(r"^[^\w+#]+|[^\w+#]+$")


def tag_name(written: str) -> str | None:
    """The tag in the core's normal form, lower case with underscores; `None` when it is empty, generic, too long to be
    stored, longer than three words, or without a letter."""
    text = _EDGES.sub("", clean_text(written).replace("-", "_").lstrip("#"))
    name = _core.normalize_tag(text).strip("_")
    if not name or name in GENERIC or len(name.encode()) > MAX_TAG_BYTES:
        return None
    if name.count("_") >= _MOST_WORDS or not any(character.isalpha() for character in name):
        return None
    return name


class Hierarchy:
    """Relations between tags, from broader to narrower, which never close a cycle. Not thread-safe."""

    def __init__(self) -> None:
        self._children: dict[str, list[str]] = {}
        self._relations: dict[tuple[str, str], None] = {}

    @property
    def relations(self) -> tuple[tuple[str, str], ...]:
        """(parent, child) in the order in which they were added."""
        return tuple(self._relations)

    def add(self, parent: str, child: str) -> bool:
        """Add a relation unless it would close a cycle; returns whether it is there now. O(relations)."""
        if (parent, child) in self._relations:
            return True
        if parent == child or parent in self._below(child):
            return False
        self._children.setdefault(parent, []).append(child)
        self._relations[parent, child] = None
        return True

    def add_all(self, relations: Iterable[tuple[str, str]]) -> None:
        """Add those of several that close no cycle, in order."""
        for parent, child in relations:
            self.add(parent, child)

    def _below(self, tag: str) -> set[str]:
        found: set[str] = set()
        waiting = [tag]
        while waiting:
            for child in self._children.get(waiting.pop(), ()):
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        return found
