"""`Plan`: what to look for and how, as a plain value; made by rules, by hand, or by a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from memspan.arguments import as_choice, as_flag, as_integer, as_number, as_text, as_texts
from memspan.errors import TimeError, invalid
from memspan.limits import MAX_K
from memspan.ranking.selection import MAX_PENALTY
from memspan.records import KINDS
from memspan.times import Interval, from_micros, to_intervals

from .kind_rules import KINDS_OF_QUESTION, KindName

__all__ = ["MAX_SESSIONS", "Plan", "ViewWeights"]

MAX_SESSIONS: Final = 1_000
_WANTED: Final = tuple(kind for kind in KINDS if kind != "vault")
_MOST: Final = 100.0
_MOST_SMOOTHING: Final = 10.0


@dataclass(frozen=True, slots=True)
class ViewWeights:
    """What the features of each view count, against what was learned: 1 as much, 0 nothing at all, though what the view
    finds is still looked at."""

    semantic: float = 1.0
    lexical: float = 1.0
    symbolic: float = 1.0
    """Of the plan's tags."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = as_number(getattr(self, one.name), f"weights.{one.name}", 0.0, _MOST)
            object.__setattr__(self, one.name, value)
        if not (self.semantic or self.lexical or self.symbolic):
            raise invalid("weights", self, "at least one weight above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to look for and how: a query for each view, times, tags, names, depth and weights (SimpleMem 2.3).

    Times, tags and names are hints that boost, and times bring their records; nothing here filters. Every field
    has a default but the question, and is checked when the plan is made.

    Example:
        >>> from memspan.recall import Plan
        >>> plan = Plan(question="How did the move go?", lexical="moved flat Bergen", sessions=3)
        >>> [recall.text for recall in memory.search(plan.question, user="ana", plan=plan)]
        ['I moved to Bergen.']

    Raises:
        InvalidArgumentError: a field is of the wrong type or out of range; the message names it.
        TimeError: an interval is malformed or empty.
    """

    question: str
    """As it was asked."""
    semantic: str = ""
    """What is embedded; the question, if empty."""
    lexical: str = ""
    """What BM25 looks for; the question, if empty."""
    intervals: tuple[Interval, ...] = ()
    """Half-open, in microseconds; `None` leaves an end open."""
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Speakers and others, as the user's own vocabulary spells them. Those that `lexical` does not name are looked for
    beside its words; what a speaker of that name said is lifted."""
    kind: KindName = "lookup"
    """One of `KINDS_OF_QUESTION`."""
    also: tuple[KindName, ...] = ()
    """Other kinds that the question is of."""
    record_kinds: tuple[str, ...] = ()
    """Kinds of record that are wanted beside the rest, of `memspan.KINDS` but `vault`: what answers the question of
    these comes among the first, up to a quarter of `k`. Only where the caller does not filter by kind."""
    k: int = 10
    """How many memories are wanted: 10-20 by rules, 3-20 by a model, and more for a listing."""
    weights: ViewWeights = field(default_factory=ViewWeights)
    smoothing: float = 1.0
    """0-10: how much the neighbours of a candidate count, against what was learned: 1 as much, 0 nothing."""
    spread: bool = False
    """Whether hits should spread over the time rather than stand together."""
    sessions: int = 1
    """How many sessions `k` hits should come from, if the candidates do; for fewer hits fewer, in proportion."""
    distinct: bool = True
    """Whether a record that repeats another one word for word stands back; counting and times need every mention."""
    diversity: float = 0.0
    """0-1,000: times its cosine with the most alike of the hits before is taken off the score of a hit."""
    reasons: tuple[str, ...] = ()
    """Why it is so, for people."""

    def __post_init__(self) -> None:
        checked = {
            "question": as_text(self.question, "question"),
            "semantic": as_text(self.semantic, "semantic") or self.question,
            "lexical": as_text(self.lexical, "lexical") or self.question,
            "intervals": _intervals(self.intervals),
            "tags": tuple(as_texts(self.tags, "tags")),
            "names": tuple(as_texts(self.names, "names")),
            "kind": KINDS_OF_QUESTION[as_choice(self.kind, "kind", KINDS_OF_QUESTION)],
            "also": _kinds(self.also),
            "record_kinds": _record_kinds(self.record_kinds),
            "k": as_integer(self.k, "k", 1, MAX_K),
            "weights": _weights(self.weights),
            "smoothing": as_number(self.smoothing, "smoothing", 0.0, _MOST_SMOOTHING),
            "spread": as_flag(self.spread, "spread"),
            "sessions": as_integer(self.sessions, "sessions", 1, MAX_SESSIONS),
            "distinct": as_flag(self.distinct, "distinct"),
            "diversity": as_number(self.diversity, "diversity", 0.0, MAX_PENALTY),
            "reasons": tuple(as_texts(self.reasons, "reasons")),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON has it; times as ISO 8601."""
        return {
            "question": self.question,
            "semantic": self.semantic,
            "lexical": self.lexical,
            "intervals": [[_iso(start), _iso(end)] for start, end in self.intervals],
            "tags": list(self.tags),
            "names": list(self.names),
            "kind": self.kind,
            "also": list(self.also),
            "record_kinds": list(self.record_kinds),
            "k": self.k,
            "weights": {one.name: getattr(self.weights, one.name) for one in fields(ViewWeights)},
            "smoothing": self.smoothing,
            "spread": self.spread,
            "sessions": self.sessions,
            "distinct": self.distinct,
            "diversity": self.diversity,
            "reasons": list(self.reasons),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Plan:
        """The plan that `to_dict` wrote, or one written by hand; only the question is required.

        Raises:
            InvalidArgumentError: no mapping, an unknown or missing field, or a value that a plan refuses.
        """
        names = [one.name for one in fields(cls)]
        if not isinstance(value, Mapping):
            raise invalid("plan", value, "a dict with the fields " + " | ".join(names))
        for name in value:
            if name not in names:
                raise invalid("plan", name, "the fields " + " | ".join(names))
        if "question" not in value:
            raise invalid("plan", sorted(value), "a dict with the field question")
        return cls(**value)


def _iso(micros: int | None) -> str | None:
    return None if micros is None else from_micros(micros).isoformat()


def _intervals(value: Any) -> tuple[Interval, ...]:
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and not value:
        return ()
    pairs = (
        [value] if isinstance(value, tuple) and value and not isinstance(value[0], (list, tuple)) else value
    )
    intervals = to_intervals(pairs, "intervals") or []
    for position, (start, end) in enumerate(intervals):
        if start is not None and end is not None and start >= end:
            raise invalid(
                f"intervals[{position}]", (start, end), "a pair (start, end) with start < end", TimeError
            )
    return tuple(intervals)


def _kinds(value: Any) -> tuple[KindName, ...]:
    names = as_texts(value, "also")
    return tuple(
        KINDS_OF_QUESTION[as_choice(name, f"also[{position}]", KINDS_OF_QUESTION)]
        for position, name in enumerate(names)
    )


def _record_kinds(value: Any) -> tuple[str, ...]:
    names = as_texts(value, "record_kinds")
    found = (_WANTED[as_choice(name, f"record_kinds[{place}]", _WANTED)] for place, name in enumerate(names))
    return tuple(dict.fromkeys(found))


def _weights(value: Any) -> ViewWeights:
    if isinstance(value, ViewWeights):
        return value
    names = [one.name for one in fields(ViewWeights)]
    if not isinstance(value, Mapping) or not _all_in(value, names):
        raise invalid("weights", value, "a dict from " + " | ".join(names) + " to a number")
    return ViewWeights(**value)


def _all_in(values: Iterable[Any], names: Sequence[str]) -> bool:
    return all(value in names for value in values)
