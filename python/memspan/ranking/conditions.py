"""Which conditions of the learned ranking hold for a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .ranker import CONDITIONS, Condition

if TYPE_CHECKING:
    from memspan.recall import Plan
    from memspan.recall.vocabulary import Vocabulary

__all__ = ["conditions_of"]

# The asker's own affairs: what the user said of themselves, rather than what an assistant answered.
_FIRST_PERSON: Final = re.compile(
    r"\b(?:i|i'm|i've|i'd|me|my|mine|myself|we|we're|our|ours|us)\b", re.IGNORECASE
)
_SCANNED: Final = 2_000
_ROLES: Final = frozenset({"user", "assistant", "system", "tool"})


def conditions_of(plan: Plan, vocabulary: Vocabulary) -> tuple[Condition, ...]:
    """What the plan says of its question, and the vocabulary of whose memory is asked, in the order of `CONDITIONS`."""
    held: set[str] = {plan.kind, *plan.also}
    if _FIRST_PERSON.search(plan.question[:_SCANNED].replace("’", "'")):
        held.add("first_person")
    if plan.intervals:
        held.add("timed")
    speakers = vocabulary.speakers
    # A memory may hold both kinds of conversation: who is asked about by name did not speak as a role.
    if "assistant" in speakers and not (speakers - _ROLES) & set(plan.names):
        held.add("roles")
    return tuple(condition for condition in CONDITIONS if condition in held)
