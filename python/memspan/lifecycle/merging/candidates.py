"""The memories that may still end for another one, in the order of their wording."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Final

from memspan.records import Record

from .likeness import Likeness

__all__ = ["Candidates"]

_TEXTS: Final = 64
"""Different texts of one embedding that a memory is compared with. There are that many only where the embedding does
not see what the texts differ in, the end of long ones; to compare all with all takes their number's square."""


class Candidates:
    """Each is in it until it ended, or had its turn to stay for others.

    What is asked for costs O(different texts of the same embedding, at most 64, and candidates), so that all turns
    together cost O(pairs), however many have the same text.
    """

    def __init__(self, likeness: Likeness) -> None:
        self._likeness = likeness
        self._free: dict[Hashable, dict[str, dict[str, Record]]] = {}

    def add(self, record: Record, group: Hashable) -> None:
        """Enter a memory that may end for others of its group; better wordings come first."""
        texts = self._free.setdefault((group, self._likeness.set_of(record.id)), {})
        texts.setdefault(record.text, {})[record.id] = record

    def remove(self, record: Record, group: Hashable) -> None:
        """Take a memory out, if it is there."""
        texts = self._free.get((group, self._likeness.set_of(record.id)), {})
        same = texts.get(record.text, {})
        same.pop(record.id, None)
        if not same:
            texts.pop(record.text, None)

    def near(self, kept: Record, group: Hashable) -> Iterator[list[Record]]:
        """What is near a memory, in lists of those with the same text: its own text first."""
        sets = [self._free.get((group, number)) for number in self._likeness.sets_near(kept.id)]
        for texts in sets:
            if texts and kept.text in texts:
                yield list(texts[kept.text].values())
        for texts in sets:
            if texts:
                for text in list(islice(texts, _TEXTS)):
                    if text != kept.text:
                        yield list(texts[text].values())
