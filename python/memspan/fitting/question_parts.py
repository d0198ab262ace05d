"""Which questions are left out together when a ranker of one's own is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["PARTS", "QuestionParts", "Together", "parts_of"]

PARTS: Final = 5

Together: TypeAlias = Literal["conversation", "session", "question"]


class QuestionParts(NamedTuple):
    """The part of each question, and what is never split over parts."""

    parts: tuple[int, ...]
    together: Together


def parts_of(conversations: Sequence[str], sessions: Sequence[str]) -> QuestionParts:
    """Deal questions to five parts, or one for each of fewer questions.

    Whole conversations are dealt if there are five or more, else the sessions that hold the answers, else single
    questions: what is learned about a conversation or a session shall not be judged on it. Neither is done when more
    than a third of the questions would be left out at once. Deterministic.

    Args:
        conversations: of each question.
        sessions: in which its answer stands; only equal ones of one conversation are the same.
    """
    ways: tuple[tuple[Together, Sequence[Hashable]], ...] = (
        ("conversation", conversations),
        ("session", list(zip(conversations, sessions, strict=True))),
    )
    for together, groups in ways:
        sizes = Counter(groups)
        if len(sizes) >= PARTS and 3 * max(sizes.values()) <= len(groups):
            return QuestionParts(_dealt(groups), together)
    return QuestionParts(_dealt(range(len(conversations))), "question")


def _dealt(groups: Sequence[Hashable]) -> tuple[int, ...]:
    """Each group, the largest first, goes to the part that has the fewest questions."""
    filled = [0] * PARTS
    part = {}
    for group, size in Counter(groups).most_common():
        smallest = filled.index(min(filled))
        filled[smallest] += size
        part[group] = smallest
    return tuple(part[group] for group in groups)
