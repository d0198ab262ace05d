"""Whether English words tell of what was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memspan.recall.words import word_set

__all__ = ["tells_of_past"]

_PAST: Final = word_set(
    "did didn't was wasn't were weren't had hadn't been ago last yesterday already ate began bought broke brought "
    "built came caught chose drank drew drove fell felt flew forgot fought found gave got grew heard held kept "
    "knew left lost made meant met paid ran rang read rode said sang sat saw sent shot slept sold spent spoke "
    "stood swam taught told took threw understood went woke won wore wrote"
)
_BE: Final = word_set("is are am be being i'm we're they're get gets isn't aren't")
_NO_PAST: Final = word_set(
    "need feed seed weed shed sled speed bleed breed indeed based detailed advanced related limited worried "
    "excited interested tired scared confused stressed concerned overwhelmed supposed hundred"
)
"""What ends in "ed", and tells of no past."""
_SHORT: Final = 3


def tells_of_past(words: Iterable[str]) -> bool:
    """Whether a verb of a sentence, given as its words in lower case, is in the past. O(words)."""
    before = ""
    for word in words:
        if word in _PAST:
            return True
        if word.endswith("ed") and len(word) > _SHORT and word not in _NO_PAST and before not in _BE:
            return True
        before = word
    return False
