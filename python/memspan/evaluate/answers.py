"""One question with what should have come back and what did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memspan.formats.questions import LabelledQuestion
from memspan.formats.questions.labelled import Unit
from memspan.remember.searching.recall import Recalls, Timings

from .contexts import Held
from .longmemeval import UserTurns
from .metrics import Entry, ranks_of
from .sources import brought_by

__all__ = ["Answered", "answered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question that was asked."""

    question: LabelledQuestion
    unit: Unit
    retrieved: tuple[str, ...]
    """Ids of the records that came back, best first."""
    sessions: tuple[str, ...]
    """The session of each of them; "" for a record without one."""
    score: float
    """Of the first one, as the search gave it; 0 when nothing came back."""
    timings: Timings
    store: Path
    """Where the conversation is stored."""
    user_turns: UserTurns | None = None
    """For LongMemEval only: what its own metrics need."""
    context: Held | None = None
    """What a context held, if one was made."""
    brought: tuple[tuple[str, ...], ...] = ()
    """By record that came back, the turns that it brings; empty when every record is a turn."""

    @property
    def relevant(self) -> frozenset[str]:
        """What should have come back, in the unit that is scored."""
        return self.question.evidence if self.unit == "turn" else self.question.sessions

    @property
    def ranked(self) -> Sequence[Entry]:
        """What came back, in the unit that is scored; one entry a record."""
        return (self.brought or self.retrieved) if self.unit == "turn" else self.sessions

    @property
    def scored(self) -> bool:
        """Whether it counts: answerable, and with evidence that exists."""
        return self.question.answerable and bool(self.relevant)

    @property
    def ranks(self) -> dict[str, int | None]:
        """The rank of each relevant item, best first; `None` for those that did not come back, which come last."""
        found = ranks_of(self.relevant, self.ranked)
        return {**found, **dict.fromkeys(sorted(self.relevant - found.keys()))}


def answered(
    question: LabelledQuestion,
    recalls: Recalls,
    *,
    unit: Unit,
    store: Path,
    user_turns: UserTurns | None = None,
    context: Held | None = None,
) -> Answered:
    """Put a question and what a search found for it together."""
    derived = any(recall.record.sources for recall in recalls)
    return Answered(
        question=question,
        unit=unit,
        retrieved=tuple(recall.id for recall in recalls),
        sessions=tuple(recall.record.session or "" for recall in recalls),
        score=recalls[0].score if recalls else 0.0,
        timings=recalls.timings,
        store=store,
        user_turns=user_turns,
        context=context,
        brought=tuple(brought_by(recall.record) for recall in recalls) if derived else (),
    )
