"""Times that are said to be no matter: "not last week but in May", "everything except 2021"."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .found import Relation
from .reading import Reading, Sentence

__all__ = ["is_denied"]

_BETWEEN: Final = frozenset(["on", "in", "the", "of", "from"])
_ONE: Final = word_set("one ones that those")
_MOST: Final = 4
_OPENINGS: Final = frozenset(["", "comma", "dash", "dot", "other", "but", "and"])
"""What stands before a "not" that belongs to the time; behind a verb it belongs to that ("Why did I not today ...")."""


def is_denied(sentence: Sentence, first: int, reading: Reading, relation: Relation) -> bool:
    """Whether a "not", an "except" or the like leaves out the time that begins at a token; a list is left out whole.

    "Not since 2019" is about the time since then.
    """
    if relation not in ("in", "between"):
        return False
    at = first - 1
    joint = at - 1 if sentence.kind(at) == "the" else at
    if sentence.kind(joint) in ("and", "or") and sentence.last is not None and sentence.last.denied:
        return sentence.last.stop == joint
    for _ in range(_MOST):
        if sentence.kind(at) not in _BETWEEN and not (at >= 0 and sentence.tokens[at].word in _ONE):
            break
        at -= 1
    if sentence.kind(at) != "not":
        return False
    follows = sentence.skip(reading.stop, "comma")
    return bool(sentence.value(at)) or sentence.kind(at - 1) in _OPENINGS or sentence.kind(follows) == "but"
