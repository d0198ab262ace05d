"""The whole expressions: a time with "before", "since" or "until", or two times with "from ... to" or "between"."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from memspan.recall.words import word_set

from .absolute import read_partial, read_year
from .calendar import Span
from .compound import read_time
from .found import Relation
from .partial import Partial
from .reading import Reading, Sentence
from .relative import read_amount, stretch

__all__ = ["Related", "read_related"]

_OPEN: dict[str, Relation] = {
    "before": "before",
    "after": "after",
    "since": "since",
    "until": "until",
    "by": "until",
}
_PREPOSITIONS = frozenset(["in", "since", "until", "by", "before", "after", "of", "between"])
_STARTS = word_set(
    "month weekday unit season part named offset unitoffset recent number amount few a date year decade "
    "quarter last next this past early mid late earlier later agopre before the from between after since "
    "until by half"
)
_ONWARDS = frozenset(["on", "onwards", "onward", "forward", "forwards"])


class Related(NamedTuple):
    """What was found from one token on."""

    first: int
    reading: Reading
    relation: Relation


def read_related(sentence: Sentence, at: int) -> Related | None:
    """The expression that begins at a token, if one does."""
    kind = sentence.kind(at)
    if kind not in _STARTS:
        return None
    if kind in ("from", "between"):
        return _range(sentence, at)
    if kind in _OPEN:
        return _open(sentence, at, kind)
    found = read_time(sentence, at)
    dashed = _dashed(sentence, at, found)
    if dashed is not None:
        return dashed
    if found is None or (found.needs_preposition and not _introduced(sentence, at, found)):
        return None
    if found.partial is not None and sentence.kind(at) == "number" and _continues_number(sentence, at):
        return None
    return Related(at, found, "in")


def _introduced(sentence: Sentence, at: int, found: Reading) -> bool:
    before = sentence.kind(at - 1)
    token = sentence.tokens[at]
    joined = before in ("and", "comma") or (at > 0 and sentence.tokens[at - 1].word == "or")
    if joined and sentence.last_stop == at - 1 and (token.capital or not token.short):
        return True  # "in May and June"
    if "the" in (before, sentence.kind(at)) and found.unit == "day" and sentence.tokens[found.stop - 1].short:
        return False  # "in the sun"
    if before == "the":
        before = sentence.kind(at - 2)
    if before == "of" and (found.unit != "month" or not sentence.closes(found.stop)):
        return False  # "the mayor of May Street", "a day of spring"
    return before in _PREPOSITIONS or (before == "on" and found.unit != "month")


def _continues_number(sentence: Sentence, at: int) -> bool:
    """Whether the number belongs to an amount of money or the like ("$7 May ...")."""
    before = sentence.tokens[at - 1] if at else None
    return before is not None and before.kind == "other" and before.word in "$€£¥#@"


def _open(sentence: Sentence, at: int, kind: str) -> Related | None:
    """As in "before May", "since last week", "until 2020"; "since May until June" is a range."""
    found = read_time(sentence, at + 1)
    ago = read_time(sentence, at) if kind == "before" else None
    if ago is not None and (found is None or ago.stop > found.stop):
        return Related(at, ago, "in")
    if found is None and kind == "since" and (amount := read_amount(sentence, at + 1)) is not None:
        return (
            None if sentence.lexicon.language == "en" else Related(at, stretch(sentence, -1, amount), "since")
        )
    if found is None:
        return None
    if kind == "since" and sentence.kind(found.stop) in ("until", "to"):
        ranged = _joined(sentence, at, found, sentence.skip(found.stop, "until", "to", "the"))
        if ranged is not None:
            return ranged
    return Related(at, found, _OPEN[kind])


def _range(sentence: Sentence, at: int) -> Related | None:
    kind = sentence.kind(at)
    first_at = sentence.skip(at + 1, "the")
    first = read_partial(sentence, first_at, bare_day=True) if sentence.kind(first_at) == "number" else None
    if first is None or (
        first.partial is not None and first.partial.unit == "day" and first.needs_preposition
    ):
        first = read_time(sentence, at + 1) or first
    if first is None:
        return None
    joint = sentence.kind(first.stop)
    if joint in ("to", "dash", "until") or (joint == "and" and kind == "between"):
        found = _joined(sentence, at, first, sentence.skip(first.stop + 1, "the"))
        if found is not None:
            return found
    if kind == "between" or first.needs_preposition:
        return None
    after = sentence.tokens[first.stop] if first.stop < len(sentence.tokens) else None
    if (
        after is not None
        and after.word in _ONWARDS
        and (after.word != "on" or sentence.closes(first.stop + 1))
    ):
        return Related(at, first._replace(stop=first.stop + 1), "since")
    return Related(at + 1, first, "in")


def _dashed(sentence: Sentence, at: int, found: Reading | None) -> Related | None:
    """As in "3-9 June", "June 3-9", "2019-2021", "May to July": a range without a word before it."""
    first = found
    if first is None and sentence.kind(at) == "number":
        first = read_partial(sentence, at, bare_day=True)
    if first is None or first.partial is None or sentence.kind(first.stop) not in ("dash", "to"):
        return None
    return _joined(sentence, at, first, sentence.skip(first.stop + 1, "the"))


def _joined(sentence: Sentence, at: int, first: Reading, second_at: int) -> Related | None:
    second = read_time(sentence, second_at)
    if (second is None or (second.needs_preposition and second.partial is None)) and sentence.kind(
        second_at
    ) == "number":
        second = read_partial(sentence, second_at, bare_day=True)
    if second is None:
        return None
    one, two = first.partial, second.partial
    if one is None or two is None:
        if first.needs_preposition and one is not None and one.day and not one.month:
            return None
        span = Span(first.span.start, second.span.end)
        return _between(at, first, second, span)
    if two.month is None and two.year is None:
        year, stop = read_year(sentence, second.stop)
        two = Partial(year if year is not None else one.year, one.month, two.day)
        second = second._replace(stop=stop)
    if two.month is None and two.day is not None:
        return None
    one = one.completed(two)
    if one.year is None and one.month is None:
        return None
    if first.partial is not None and first.partial.year is None:
        one = _year_before(one, two)
    ends = _ends(one, two, sentence.now)
    return None if ends is None else _between(at, first, second, ends)


def _year_before(one: Partial, two: Partial) -> Partial:
    """As in "between November and February 2023": the year is that of the end."""
    if one.year is None or one.month is None or two.month is None:
        return one
    late = (one.month, one.day or 1) > (two.month, two.day or 31)
    return Partial(one.year - 1, one.month, one.day) if late else one


def _ends(one: Partial, two: Partial, now: datetime) -> Span | None:
    """From the start of the one to the end of the other; a missing year is that of the latest start up to `now`, or,
    where only the end has a year, the latest before that end."""
    if one.year is None and two.year is not None:
        ends = two.resolve(now)
        starts = None if ends is None else one.resolve(ends.start)
        return None if starts is None or ends is None else Span(starts.start, ends.end)
    starts = one.resolve(now)
    if starts is None:
        return None
    ends = two.resolve(now)
    if two.year is None and two.month is not None:
        year = starts.start.year
        ends = Partial(year, two.month, two.day).resolve(now)
        if ends is not None and ends.end <= starts.start and year < 9999:
            ends = Partial(year + 1, two.month, two.day).resolve(now)
    return None if ends is None else Span(starts.start, ends.end)


def _between(at: int, first: Reading, second: Reading, span: Span) -> Related | None:
    if span.start >= span.end:
        return None
    certainty = min(first.certainty if first.certainty > 0.6 else 0.8, second.certainty)
    reading = Reading(span, second.stop, certainty, f"from {first.reason} to {second.reason}", second.unit)
    return Related(at, reading, "between")
