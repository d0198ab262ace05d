"""Days that are named by one of them: "around Christmas", "um den 5. Mai"."""

from __future__ import annotations

from .calendar import Span, shifted
from .reading import Reading, Sentence
from .years import QUALIFIED

__all__ = ["days_around", "widened"]


def days_around(sentence: Sentence, at: int) -> int:
    """How many days on either side a token stands for; 0 for any but "around" and its like."""
    return sentence.value(at) or 0 if sentence.kind(at) == "on" else 0


def widened(sentence: Sentence, days: int, first: int, found: Reading) -> Reading | None:
    """A day of a month, or one that has a name, with so many days on either side; `None` for any other time."""
    named = sentence.kind(sentence.skip(first, "the")) == "named"
    if found.unit != "day" or not (named or (found.partial is not None and found.partial.month is not None)):
        return None
    span = Span(shifted(found.span.start, days=-days), shifted(found.span.end, days=days))
    return found._replace(
        span=span,
        certainty=min(found.certainty, QUALIFIED),
        reason=f"within {days} days of {found.reason}",
        partial=None,
        recurs=None,
    )
