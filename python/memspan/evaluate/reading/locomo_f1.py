"""LoCoMo's own F1: stemmed words with their numbers, and a rule for each category."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Final

from memspan.errors import invalid, missing_extra

__all__ = ["NOT_MENTIONED", "locomo_f1", "stemmed_f1"]

NOT_MENTIONED: Final = ("no information available", "not mentioned")
"""What an answer to an adversarial question must say; the scorer knows no other words for it."""

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_LEFT_OUT: Final = re.compile(r"\b(?:a|an|the|and)\b")


def locomo_f1(answer: str, gold: str, category: str) -> float:
    """The score of one answer as the data set's authors compute it (Maharana et al. 2024, `task_eval/evaluation.py`).

    - multi-hop: both are split at commas; the mean over the gold parts of the best F1 with a part of the answer;
    - open-domain: of the gold answer only what stands before the first `;`;
    - temporal, single-hop: F1 of the whole;
    - adversarial: 1 when the answer contains one of `NOT_MENTIONED`, else 0; the gold answer does not matter.

    The stemmer is Porter's as published. The authors' is NLTK's, with additions: over the words of five conversations
    of LoCoMo the two differ in 25 of 2,960 groups of words with one stem, and F1 in 9 of 1,105 pairs of a turn and the
    answer that it supports (means 0.1302 and 0.1297).

    Args:
        answer: what the reader said.
        gold: the label; a number is given as its digits.
        category: of LoCoMo's data: `multi-hop`, `temporal`, `open-domain`, `single-hop` or `adversarial`. Other
            projects use these names for other categories.

    Raises:
        InvalidArgumentError: another category.
        MissingExtraError: snowballstemmer is not installed.
    """
    if category == "adversarial":
        said = answer.lower()
        return float(any(words in said for words in NOT_MENTIONED))
    if category == "multi-hop":
        parts = answer.split(",")
        golds = gold.split(",")
        return sum(max(stemmed_f1(part, one) for part in parts) for one in golds) / len(golds)
    if category == "open-domain":
        return stemmed_f1(answer, gold.split(";")[0])
    if category in ("temporal", "single-hop"):
        return stemmed_f1(answer, gold)
    raise invalid("category", category, "multi-hop, temporal, open-domain, single-hop or adversarial")


def stemmed_f1(answer: str, gold: str) -> float:
    """F1 of the stems of two texts, each counted as often as it comes; 0 when one has no words.

    Lower case; punctuation is removed, not replaced ("well-known" is one word); *a*, *an*, *the* and *and* are left
    out.
    """
    ours, theirs = _stems(answer), _stems(gold)
    same = sum((ours & theirs).values())
    if not same:
        return 0.0
    precision, recall = same / sum(ours.values()), same / sum(theirs.values())
    return 2 * precision * recall / (precision + recall)


def _stems(text: str) -> Counter[str]:
    words = _LEFT_OUT.sub(" ", text.lower().translate(_PUNCTUATION)).split()
    return Counter(_stemmer()(word) for word in words)


@cache
def _stemmer() -> Callable[[str], str]:
    try:
        import snowballstemmer  # type: ignore[import-untyped]
    except ImportError as error:
        raise missing_extra("snowballstemmer", "LoCoMo's F1", "eval") from error
    stem: Callable[[str], str] = snowballstemmer.stemmer("porter").stemWord
    return stem
