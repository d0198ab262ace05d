"""The F1 of most papers about memory: different words, not stemmed. It is higher or lower than LoCoMo's own."""

from __future__ import annotations

from typing import Final

__all__ = ["exact_match", "set_f1"]

_MARKS: Final = str.maketrans(dict.fromkeys(".,!?", " "))


def set_f1(answer: str, gold: str) -> float:
    """F1 of the sets of words of two texts, as A-mem, SimpleMem and others compute it; 0 when one has none.

    Lower case, split at blanks and at `. , ! ?`; other marks and articles stay; a word counts once however often it
    comes.
    """
    ours, theirs = _words(answer), _words(gold)
    same = len(ours & theirs)
    return 2 * same / (len(ours) + len(theirs)) if same else 0.0


def exact_match(answer: str, gold: str) -> float:
    """1 when both texts are the same but for case and blanks around them; 0 when both are empty."""
    said = answer.strip().lower()
    return float(bool(said) and said == gold.strip().lower())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().translate(_MARKS).split())
