"""What is found: one time expression in a text, with the interval that it names."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from memspan.times import Interval, Micros

__all__ = ["RELATIONS", "FoundTime", "Relation"]

Relation: TypeAlias = Literal["in", "before", "after", "since", "until", "between"]

RELATIONS: Final[tuple[Relation, ...]] = get_args(Relation)
"""How what is asked for stands to the time that is named."""


class FoundTime(NamedTuple):
    """One time expression. `start < end` wherever both are known."""

    start: Micros | None
    """The first microsecond; `None` leaves the start open ("before May")."""
    end: Micros | None
    """The first microsecond after it; `None` leaves the end open ("since May")."""
    text: str
    """The words themselves, as they stand in the text."""
    span: tuple[int, int]
    """Where they stand: `text[span[0]:span[1]]`."""
    relation: Relation
    certainty: float
    """0-1: 1 for a full date, less where a year was inferred or the words are vague."""
    reason: str
    """How the interval came about, for people."""

    @property
    def interval(self) -> Interval:
        """The half-open interval, as `between=` takes it."""
        return self.start, self.end
