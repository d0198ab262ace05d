"""Days of a month that is not named, two of them or more: "from the 3rd to the 7th", "on the 3rd and the 4th"."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from memspan.recall.words import word_set

from .calendar import Span, shifted
from .partial import Partial
from .reading import Reading, Sentence

__all__ = ["BEFORE_DAYS", "counts_noun", "is_asked_alone", "read_day_on", "span_of_days"]

BEFORE_DAYS: Final = word_set("on by since until before after from")
"""What makes a day of "the 7th", which may be the seventh of anything."""
_COUNTED: Final = frozenset(["of", "half", "weekday", "part", "season", "named", "plural"])
_ONE_OF_SEVERAL: Final = frozenset(["weekday", "season", "named", "plural"])
"""What is the second of its kind: "on the 2nd Tuesday of each month", "our 3rd Christmas"."""
_MOST_WEEKDAYS: Final = 5
"""Of a month; "on the 15th Thursday" is a day and its name."""
_JOINTS: Final = ("comma", "and", "or", "to", "the")
_THROUGH: Final = word_set("through thru")
_BEGINS: Final = word_set("and or but so ok okay then")
_ASKED: Final = (["what", "about", "the"], ["how", "about", "the"])
_ENDS: Final = ("", "comma", "dot", "other")
_MOST_BEFORE: Final = 5
_FEW: Final = 5
"""Things that are listed are asked about so, too: "What about the 2nd?"."""
_MOST_BACK: Final = 4
"""Months in which a day is looked for that not every month has."""


def span_of_days(sentence: Sentence, first_at: int, first: Reading, second: Reading) -> Span | None:
    """As in "from the 3rd to the 7th", "the 3rd through the 7th": the latest of them that has begun."""
    if first.partial is None or second.partial is None or first.partial.day is None:
        return None
    day_at = sentence.skip(first_at, "the")
    dated = sentence.kind(day_at) == "weekday"  # "from Monday the 3rd"
    if not dated and not _is_led(sentence, day_at, first, second):
        return None
    if _is_placed(second):  # "to the 7th of last month"
        starts = first.partial.resolve(second.span.start)
        return None if starts is None else Span(starts.start, second.span.end)
    if not _is_ordinal(sentence, second.stop - 1) or not _is_over(sentence, second.stop):
        return None
    if dated or _is_placed(first):
        ends = _next_day(first.span.start, second.partial)
        return None if ends is None else Span(first.span.start, ends.end)
    now = sentence.now
    for _ in range(_MOST_BACK):
        starts = first.partial.resolve(now)
        ends = None if starts is None else _next_day(starts.start, second.partial)
        if starts is None or ends is not None:
            return None if starts is None or ends is None else Span(starts.start, ends.end)
        now = shifted(starts.start, days=-1)
    return None


def _is_led(sentence: Sentence, at: int, first: Reading, second: Reading) -> bool:
    """Whether the words around the first number say that it is a day; "through" says it alone."""
    if sentence.kind(at - 1) != "the" or not _is_ordinal(sentence, at):
        return False
    if sentence.tokens[first.stop].word in _THROUGH and sentence.kind(second.stop) != "word":
        return True
    return sentence.kind(at - 2) in BEFORE_DAYS or sentence.kind(at - 2) == "between"


def _is_placed(found: Reading) -> bool:
    """Whether a day says its month by other words: "the 7th of last month"."""
    return found.recurs is None and found.span.start < found.span.end


def read_day_on(sentence: Sentence, at: int, before: Reading) -> Reading | None:
    """As the "4th" of "on the 3rd and the 4th": the later one is of the same month, an earlier one the latest such."""
    if not _is_ordinal(sentence, at) or not _is_over(sentence, at + 1):
        return None
    day = Partial(day=sentence.value(at))
    span = _next_day(before.span.start, day) if day.day and day.day > before.span.start.day else None
    span = span or day.resolve(sentence.now)
    if span is None:
        return None
    return Reading(span, at + 1, 0.8, "another day of a month", "day", partial=day, recurs="month")


def is_asked_alone(sentence: Sentence, at: int) -> bool:
    """Whether a question is about a number alone that is hardly one of anything but days: "What about the 25th?"."""
    if at > _MOST_BEFORE or not _is_ordinal(sentence, at) or sentence.value(at) <= _FEW:
        return False
    if not _is_over(sentence, at + 1):
        return False
    words = [token.word for token in sentence.tokens[:at]]
    if words[0] in _BEGINS:
        del words[: 1 + (words[1] == ",")]
    alone = len(words) < at and words == ["the"] and sentence.kind(at + 1) in _ENDS
    return alone or words in _ASKED


def counts_noun(sentence: Sentence, at: int) -> bool:
    """Whether a noun that is counted stands behind a number, or behind the next one of a list with it: "the 18th and
    19th centuries"."""
    if not sentence.closes(at + 1):
        return True
    if sentence.kind(at + 1) in _ONE_OF_SEVERAL:
        return sentence.kind(at + 1) != "weekday" or sentence.value(at) <= _MOST_WEEKDAYS
    following = sentence.skip(at + 1, *_JOINTS)
    if following == at + 1 or sentence.kind(following) != "number" or not _is_ordinal(sentence, following):
        return False
    return not sentence.closes(following + 1)


def _next_day(start: datetime, day: Partial) -> Span | None:
    """The first such day from another on; `None` if the month that it would be in has no such day."""
    assert day.day is not None
    month = 12 * start.year + start.month - 1 + (day.day < start.day)
    return Partial(month // 12, month % 12 + 1, day.day).resolve(start)


def _is_ordinal(sentence: Sentence, at: int) -> bool:
    """Whether a number is a day as "3rd" is; "third" is of anything."""
    token = sentence.tokens[at]
    return token.kind == "number" and token.ordinal and token.word[0].isdigit() and 1 <= token.value <= 31


def _is_over(sentence: Sentence, at: int) -> bool:
    """Whether no noun follows that is counted so: not in "the 7th floor", "the 7th of the runners", "the 2nd half"."""
    return sentence.closes(at) and sentence.kind(at) not in _COUNTED
