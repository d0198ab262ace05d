"""Rules for what is counted back from now, or ahead: "three weeks ago", "vor drei Wochen", "in two weeks"."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .amounts import Amount, read_amount
from .calendar import SMALL_UNITS, Span, Unit, day_span, moved, shifted, unit_span
from .counting import around, stretch, turned
from .nights import tells_past
from .reading import Reading, Sentence

__all__ = ["read_ago", "read_day_back", "read_same", "read_same_beside", "read_same_unit"]

_TURNS: Final = frozenset(["weekday", "season", "named", "part", "plural"])
_HELD: Final[dict[Unit, tuple[Unit, ...]]] = {
    "year": ("week", "weekend", "month", "quarter"),
    "month": ("week",),
}
# Days on either side that "this time" stands for, so long ago.
_AROUND: Final[dict[Unit, int]] = {"week": 0, "month": 3, "year": 14}
# What is held again in a longer one: "this week last year".
_LENGTHS: Final[dict[Unit, int]] = {"day": 1, "week": 2, "weekend": 2, "month": 3, "quarter": 4, "year": 5}
_EXACTLY: Final = word_set(
    "exactly exakt genau exactement exactamente justo esattamente exact precies exatamente"
)
_ALONE: Final = ("es", "pt")
"""Languages whose "in two weeks" is a point ahead where nothing else is said."""
_FUTURE: Final = word_set("will ll shall going gonna plan plans planning due scheduled starts begins ends")


def read_ago(sentence: Sentence, at: int) -> Reading | None:
    """As in "three weeks ago", "vor drei Wochen", "two Fridays ago", "in two weeks" of the future."""
    kind = sentence.kind(at)
    back = _leads_back(sentence, kind)
    turns = _turns_ago(sentence, at + 1 if back or kind == "ahead" else at, back)
    if turns is not None:
        return turns
    counted = _counted(sentence, at, kind, back)
    if counted is None:
        return None
    direction, amount, stop = counted
    if direction < 0 and sentence.kind(stop) == "offset" and isinstance(sentence.value(stop), int):
        day = _day_back(sentence, amount, sentence.value(stop), stop + 1)
        if day is not None:
            return day
    if direction < 0 and (sentence.kind(stop), sentence.kind(stop + 1)) == ("last", "weekday"):
        last = turned(sentence, -(sentence.value(stop) or 1), stop + 1, stop + 2)
        days = 0 if last is None else (last.span.start - day_span(sentence.now).start).days
        day = _day_back(sentence, amount, days, stop + 2) if days else None
        if day is not None:  # "a year ago last Friday"
            return day
    exact_stop = _past_to_the_day(sentence, stop)
    if direction < 0 and (exact_stop or _is_exact(sentence, at, back)):
        day = _day_back(sentence, amount, 0, exact_stop or stop)
        if day is not None:
            return day
    if direction > 0 and at > 0 and sentence.tokens[at - 1].word == "within":
        return stretch(sentence, 1, amount._replace(stop=stop))
    low, high, unit = amount[:3]
    if direction < 0 and low == high and sentence.kind(stop) == "this" and sentence.kind(stop + 1) == "unit":
        same: Unit = sentence.value(stop + 1)
        if same in _HELD.get(unit, ()):  # "two years ago this month"
            span = unit_span(same, moved(sentence.now, unit, -low))
            return Reading(span, stop + 2, 0.9, f"this {same}, {low} {unit} back", same)
    return around(sentence, sentence.now, direction, amount, stop)


def read_day_back(sentence: Sentence, at: int, days: int) -> Reading | None:
    """As in "heute vor einer Woche", "heute in einer Woche", where the day comes first: so many days from now, counted
    back or ahead from there."""
    kind = sentence.kind(at)
    if kind == "in":
        ahead = read_amount(sentence, at + 1)
        return None if ahead is None else _day_back(sentence, ahead, days, ahead.stop, 1)
    counted = _counted(sentence, at, kind, _leads_back(sentence, kind))
    if counted is None:
        return None
    return _day_back(sentence, counted[1], days, counted[2], counted[0])


def read_same(sentence: Sentence, at: int) -> Reading | None:
    """As in "this time last year", "the same day two years ago": the day itself, the days around it, or the unit."""
    if isinstance(sentence.value(at), str):
        return read_same_unit(sentence, sentence.value(at), at + 1)
    year_at = sentence.skip(at + 1, "in", "of")
    if year_at > at + 1 and sentence.kind(year_at) == "year":  # "this time in 2021"
        years = sentence.now.year - sentence.value(year_at)
        return _same(sentence, years, "year", at)._replace(stop=year_at + 1)
    counted = _how_long_ago(sentence, at + 1)
    if counted is None or counted[1] not in _AROUND:
        return None
    count, unit, stop = counted
    return _same(sentence, count, unit, at)._replace(stop=stop)


def _same(sentence: Sentence, count: int, unit: Unit, at: int) -> Reading:
    """What the "this time" at a token is, so many units back."""
    days = _AROUND[unit] if sentence.value(at) is True else 0
    day = day_span(moved(sentence.now, unit, -count))
    span = Span(shifted(day.start, days=-days), shifted(day.end, days=days))
    return Reading(span, at + 1, 0.8, f"{_away(count, unit)}, and {days} days on either side", "day")


def read_same_beside(sentence: Sentence, found: Reading) -> Reading | None:
    """As in "last year around this time", "letztes Jahr um diese Zeit", "last year on this day", where what is told
    first is one unit."""
    at = sentence.skip(found.stop, "on", "about")
    this_day = at > found.stop and (sentence.kind(at), sentence.kind(at + 1)) == ("this", "unit")
    if found.unit not in _AROUND or not (this_day or sentence.kind(at) == "same"):
        return None
    if isinstance(sentence.value(at + this_day), str) and sentence.value(at + this_day) != "day":
        return None
    unit, start = found.unit, found.span.start
    running = unit_span(unit, sentence.now).start
    if unit == "week":
        count = (running - start).days // 7
    else:
        count = (running.year - start.year) * 12 + running.month - start.month
        count = count // 12 if unit == "year" else count
    day = moved(sentence.now, unit, -count)
    if not count or unit_span(unit, day) != found.span:
        return None
    return _same(sentence, count, unit, at)._replace(stop=at + 1 + this_day)


def read_same_unit(sentence: Sentence, same: Unit, at: int) -> Reading | None:
    """As in "this week last year", "on this day two years ago": the running unit, as long ago as the token says."""
    year_at = sentence.skip(at, "in", "of")
    if same == "day" and year_at > at and sentence.kind(year_at) == "year":  # "on this day in 2020"
        day = moved(sentence.now, "year", sentence.value(year_at) - sentence.now.year)
        return Reading(day_span(day), year_at + 1, 0.9, "this day of a year", "day")
    counted = _how_long_ago(sentence, at)
    if counted is None or _LENGTHS.get(same, 9) >= _LENGTHS.get(counted[1], 0):
        return None
    count, unit, stop = counted
    span = unit_span(same, moved(sentence.now, unit, -count))
    return Reading(span, stop, 0.9, f"this {same}, {_away(count, unit)}", same)


def _away(count: int, unit: Unit) -> str:
    return f"{abs(count)} {unit} {'back' if count > 0 else 'ahead'}"


def _how_long_ago(sentence: Sentence, at: int) -> tuple[int, Unit, int] | None:
    """The count, the unit and the end of "last year", "two years ago"; below zero for "next year"."""
    first = sentence.skip(at, "in", "of", "the")
    if sentence.kind(first) == "last" and sentence.kind(first + 1) == "unit":
        return sentence.value(first) or 1, sentence.value(first + 1), first + 2
    if sentence.kind(first) == "unit" and sentence.kind(first + 1) == "last":  # "l'année dernière"
        return sentence.value(first + 1) or 1, sentence.value(first), first + 2
    if sentence.kind(first) == "next" and sentence.kind(first + 1) == "unit":
        return -(sentence.value(first) or 1), sentence.value(first + 1), first + 2
    counted = _counted(sentence, first, sentence.kind(first), False)
    if counted is None or counted[0] > 0 or counted[1].low != counted[1].high:
        return None
    return counted[1].low, counted[1].unit, counted[2]


def _is_exact(sentence: Sentence, at: int, back: bool) -> bool:
    """As in "exactly a year ago", "vor genau einem Jahr"."""
    places = (at - 1, at + 1) if back else (at - 1,)
    return any(place >= 0 and sentence.tokens[place].word in _EXACTLY for place in places)


def _past_to_the_day(sentence: Sentence, at: int) -> int:
    """Past the "to the day" of "two years ago to the day"; 0 if there is none."""
    words = [token.word for token in sentence.tokens[at : at + 3]]
    return at + 3 if words == ["to", "the", "day"] and sentence.ends_at(at + 3) else 0


def _leads_back(sentence: Sentence, kind: str) -> bool:
    return kind == "agopre" or (kind == "before" and sentence.lexicon.language != "en")


def _counted(sentence: Sentence, at: int, kind: str, back: bool) -> tuple[int, Amount, int] | None:
    """-1 or 1 for an amount that lies back or ahead, and where the words end."""
    amount = read_amount(sentence, at + 1 if back or kind == "ahead" else at)
    if amount is None:
        return None
    stop = amount.stop
    if kind == "ahead" and sentence.kind(stop) == "after":
        return None  # "через три дня после Рождества"
    if sentence.kind(at - 1) == "in" and (time_ends := _past_time(sentence, stop)):
        return 1, amount, time_ends
    closing = sentence.kind(stop) == "back" and sentence.closes(stop + 1)  # "a few months back"
    ago = sentence.kind(stop) == "ago" and kind != "ahead"  # not "ik kom over twee weken terug"
    if back or closing or ago:
        direction = -1
    elif (
        kind == "ahead"
        or sentence.kind(stop) == "fromnow"
        or (sentence.kind(at - 1) in ("in", "between") and _looks_ahead(sentence, at, amount))
    ):
        direction = 1
    else:
        return None
    return direction, amount, stop + (closing or ago or sentence.kind(stop) == "fromnow")


def _past_time(sentence: Sentence, at: int) -> int:
    """Past the "time" that a unit before it owns, which makes a point ahead of it: "in two weeks' time", "in a week's
    time"; 0 if there is none."""
    tokens, unit = sentence.tokens, sentence.tokens[at - 1]
    if sentence.lexicon.language != "en" or not (unit.possessive or unit.word.endswith("s")):
        return 0
    at += sentence.kind(at) == "other" and tokens[at].word in "'’"
    return at + 1 if at < len(tokens) and tokens[at].word == "time" and sentence.closes(at + 1) else 0


def _day_back(
    sentence: Sentence, amount: Amount, days: int, stop: int, direction: int = -1
) -> Reading | None:
    """As in "a week ago today": that very day and not the week around it."""
    if amount.low != amount.high or amount.unit in SMALL_UNITS:
        return None
    day = moved(shifted(sentence.now, days=days), amount.unit, direction * amount.low)
    side = "before" if direction < 0 else "after"
    return Reading(day_span(day), stop, 1.0, f"{amount.low} {amount.unit} {side} {days:+} days", "day")


def _turns_ago(sentence: Sentence, at: int, back: bool) -> Reading | None:
    """As in "two Fridays ago", "two summers ago", "hace dos veranos", "two Fridays from now"."""
    kind = sentence.kind(at)
    if kind not in ("number", "a") or sentence.kind(at + 1) not in _TURNS:
        return None
    count = sentence.value(at) if kind == "number" else 1
    side = sentence.kind(at + 2)
    ago = side == "ago" or (side == "back" and sentence.closes(at + 3))
    ahead = side == "fromnow" and not back
    if not (ago or back or ahead) or not 1 <= count <= 5000 or sentence.tokens[at].ordinal:
        return None
    return turned(sentence, count if ahead else -count, at + 1, at + 2 + (ago or ahead))


def _looks_ahead(sentence: Sentence, at: int, amount: Amount) -> bool:
    """Whether "in two weeks" is a point ahead, and not how long something took."""
    if amount.unit in SMALL_UNITS:
        return False
    if sentence.kind(at - 1) == "between":  # "tra due settimane", "fra un mese"
        return sentence.lexicon.language == "it"
    if sentence.tokens[at - 1].word == "dans":  # which is "in" otherwise: "dans la semaine"
        return True
    if sentence.looks_ahead(at):
        return True
    if sentence.lexicon.language == "de":  # "in zwei Wochen", but not "was habe ich in zwei Wochen gelernt"
        return not tells_past(sentence, at)
    if sentence.lexicon.language in _ALONE:
        return at == 1 and sentence.ends_at(amount.stop)
    return any(
        token.word in _FUTURE or token.word.endswith("'ll") for token in sentence.tokens[max(0, at - 12) : at]
    )
