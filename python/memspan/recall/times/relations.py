"""The whole expressions: a time with "before", "since" or "until", two of them, or an amount that is compared."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .absolute import MONTHLY
from .amounts import read_amount
from .between_days import read_night_between
from .calendar import SMALL_UNITS, Span, day_span, moved, shifted
from .clock import read_clocked
from .compound import read_one_before, read_time
from .counting import stretch
from .found import Relation
from .listing import place_in_list, read_day_after, read_year_again
from .own import read_own
from .ranges import Related, joined, put_in_order, read_dashed, read_from_now, read_range
from .reading import Reading, Sentence
from .vicinity import days_around, is_close, just_beside, past_hedges, read_within, widened

__all__ = ["read_related"]

_OPEN: Final[dict[str, Relation]] = {
    "before": "before",
    "after": "after",
    "since": "since",
    "until": "until",
    "by": "until",
}
_OPEN_AFTER: Final[dict[str, Relation]] = {
    "later": "since",
    "after": "since",
    "newer": "since",
    "earlier": "until",
    "before": "until",
    "older": "until",
}
_ASIDE: Final = word_set("either both")
"""What may stand between a preposition and its times: "in either May or June"."""
_PLANS: Final = word_set("plan plans planned schedule")
_THROUGH: Final = word_set("through thru")
_ONWARDS: Final = word_set("onwards onward")
_BESIDE_ANOTHER: Final = word_set("following preceding")
"""Behind "the" they tell of a day beside one that is not named: "the following Monday"."""
_UP_TO: Final = word_set("been get gets got getting")
_BE: Final = word_set("am are is was were")
_PEOPLE: Final = word_set("i you he she we they everyone everybody")
_SIDES: Final = word_set("prima dopo antes depois después despues")
"""What is no "before" or "after" without the preposition that only the second one has: "prima o dopo Pasqua"."""
_WITHIN: Final = word_set("d'ici entro da de")
"""First words of an "until" whose amount is counted from now: "d'ici deux semaines", "da qui a tre giorni"."""
_COMPARED: Final = frozenset(["more", "less", "agopre", "before"])
_PREPOSITIONS: Final = frozenset(["in", "since", "until", "by", "before", "after", "of", "between"])
_COMPARE: Final = word_set("compare compared comparing")
_BEFORE_COMPARED: Final = 8
"""Tokens before what is compared among which it is said that it is."""
_RECURRING: Final = word_set("month weekday unit season part named plural")
_VERBS: Final = word_set("may march mar")
_IT: Final = word_set("it that this")
_AFTER_LISTED: Final = frozenset(["", "comma", "dot", "other", "and", "or"])
_AFTER_MONTHS: Final = frozenset(["in", "of", "on", "to"])
_LISTED: Final = frozenset(["and", "or", "comma", "to", "dash"])
_DAYS_OF_A_WEEK: Final = 7
_STARTS: Final = word_set(
    "month weekday unit season part named offset unitoffset recent number decimal amount few a date year decade "
    "quarter last next this past early mid late earlier later agopre ahead more less before the from between after "
    "since until by half on in dotted shortyear same sofar isoweek every fromnow"
)


def read_related(sentence: Sentence, at: int) -> Related | None:
    """The expression that begins at a token, if one does."""
    kind = sentence.kind(at)
    if kind not in _STARTS:
        return None
    if kind == "in":
        if sentence.value(at):
            return _compared(sentence, at, kind)
        near = read_within(sentence, at, read_time)
        return None if near is None else Related(at, near, "in")
    if kind == "every" and sentence.kind(at + 1) != "unit":
        return None  # only "some weeks ago" goes on
    if kind in _RECURRING and _comes_round(sentence, at, kind):
        return None
    if kind in _COMPARED and (compared := _compared(sentence, at, kind)) is not None:
        return compared
    if kind in ("from", "between"):
        return read_range(sentence, at)
    if kind == "fromnow":
        return read_from_now(sentence, at)
    if kind == "on":
        return _around(sentence, at)
    if kind in _OPEN:
        if sentence.tokens[at].word == "up" and _is_busy(sentence, at):
            return None
        beside = _either_side(sentence, at, kind)
        if beside is not None:
            return beside
        found = _open(sentence, at, kind)
        return None if found is None else _bounded(sentence, at, found)
    if kind == "the" and (one_before := read_one_before(sentence, at)) is not None:
        return Related(at, one_before, "in")
    night = read_night_between(sentence, at + (kind == "the"), read_time)
    if night is not None:
        return Related(at, night, "in")
    if kind == "unit" and sentence.lexicon.language == "en" and (own := read_own(sentence, at)) is not None:
        return Related(at, own, "in")
    if kind == "year" and (again := read_year_again(sentence, at, read_time)) is not None:
        return Related(at, again, "in")
    found_time = sentence.read_ahead(at, read_time)
    if found_time is None and kind == "number":
        found_time = _day_after(sentence, at)
    dashed = read_dashed(sentence, at, found_time)
    if dashed is not None:
        return dashed
    if found_time is None:
        return None
    found_time = place_in_list(sentence, at, found_time, read_time)
    if found_time.needs_preposition and not _introduced(sentence, at, found_time):
        return None
    if found_time.partial is not None and kind == "number" and _continues_number(sentence, at):
        return None
    return _open_after(sentence, Related(at, found_time, "in"))


def _is_busy(sentence: Sentence, at: int) -> bool:
    """Whether "up to" is what somebody does: "what have I been up to this week", "what was Ana up to last night"."""
    before = sentence.tokens[max(0, at - 2) : at]
    if before and before[-1].word in _UP_TO:
        return True
    return len(before) == 2 and before[0].word in _BE and (before[1].capital or before[1].word in _PEOPLE)


def _open_after(sentence: Sentence, found: Related) -> Related:
    """What is open by the words behind it: "May 2022 or later", "2019 or before"."""
    stop = found.reading.stop
    if stop < len(sentence.tokens) and sentence.tokens[stop].word in _ONWARDS:  # "2020 onwards"
        return Related(found.first, found.reading._replace(stop=stop + 1), "since")
    side = stop + 1
    if sentence.kind(side - 1) not in ("and", "or") or not sentence.ends_at(side + 1):
        return found
    relation = _OPEN_AFTER.get(sentence.tokens[side].word) if side < len(sentence.tokens) else None
    if relation is None:
        return found
    return Related(found.first, found.reading._replace(stop=side + 1), relation)


def _comes_round(sentence: Sentence, at: int, kind: str) -> bool:
    """Whether it is no certain one, but each of its kind: "every Friday", "every Tuesday and Thursday"."""
    before = at - 1
    for _ in range(_DAYS_OF_A_WEEK):
        if sentence.kind(before) not in _LISTED or sentence.kind(before - 1) != kind:
            break
        before -= 2
    if sentence.kind(before) == "number" and sentence.tokens[before].ordinal:
        before -= 1  # "every first Monday"
    return sentence.kind(before) == "every"


def _around(sentence: Sentence, at: int) -> Related | None:
    """As in "around Christmas"; other words of this kind begin nothing."""
    days = days_around(sentence, at)
    found = read_time(sentence, at + 1) if days else None
    if found is None:
        return None
    if found.recurs is not None and found.unit == "day":  # on New Year's Eve, "around New Year" has begun
        found = read_time(sentence.as_of(shifted(sentence.now, days=days)), at + 1) or found
    found = place_in_list(sentence, at + 1, found, read_time)
    wider = widened(sentence, days, at + 1, found)
    if wider is not None:
        return Related(at, wider, "in")
    # "Around May", but not "around May Street".
    month = found.unit == "month" and found.needs_preposition and sentence.closes(found.stop)
    return Related(at, found, "in") if month and not sentence.tokens[at + 1].possessive else None


def _day_after(sentence: Sentence, at: int) -> Reading | None:
    """The "5" of "May 3 and 5", where the day before it has just been read."""
    last = sentence.last
    if last is None or sentence.skip(last.stop, "comma", "and", "or", "the") != at or at == last.stop:
        return None
    return read_day_after(sentence, at, last)


def _introduced(sentence: Sentence, at: int, found: Reading) -> bool:
    aside = at > 0 and sentence.tokens[at - 1].word in _ASIDE
    before = sentence.kind(at - 1 - aside)
    token = sentence.tokens[at]
    if token.kind == "season" and at and sentence.tokens[at - 1].word == "all":
        return True  # "all summer"
    last = sentence.last
    joined_to = before in ("and", "or", "comma") and last is not None and last.stop == at - 1
    if joined_to and (token.capital or not token.short or _lists_month(sentence, at, found)):
        return True  # "in May and June"
    if "the" in (before, sentence.kind(at)) and found.unit == "day" and sentence.tokens[found.stop - 1].short:
        return False  # "in the sun"
    if before == "the":
        before = sentence.kind(at - 2)
    if before not in _PREPOSITIONS and _is_compared(sentence, at):
        near = any(other.word in _COMPARE for other in sentence.tokens[max(0, at - 2) : at])
        return (token.capital or near or token.word not in _VERBS) and sentence.closes(found.stop)
    if (
        found.unit == "month"
        and at
        and sentence.tokens[at - 1].word in _IT
        and _or_month(sentence, found.stop)
    ):
        return True  # "was it may or june?"
    if before == "of" and (found.unit != "month" or not sentence.closes(found.stop)):
        return False  # "the mayor of May Street", "a day of spring"
    if before == "to" and sentence.lexicon.language == "fr" and found.unit == "quarter":
        return True  # "au printemps"
    if before == "to" and sentence.tokens[at - 1].word in _THROUGH:
        return sentence.closes(found.stop)  # "through March", but not "through May Street"
    if before == "on" and found.unit == "month":  # "the rent for June", but not "a cake for June"
        led = sentence.tokens[at - 2].word if at > 1 and sentence.tokens[at - 1].word == "for" else ""
        return (led in MONTHLY or led in _PLANS) and sentence.closes(found.stop)
    return before in _PREPOSITIONS or before == "on"


def _or_month(sentence: Sentence, at: int) -> bool:
    """Whether another month follows behind an "or", and ends what is said."""
    if sentence.kind(at) != "or" or sentence.kind(at + 1) != "month":
        return False
    return sentence.value(at + 1) != sentence.value(at - 1) and sentence.kind(at + 2) in _AFTER_LISTED


def _lists_month(sentence: Sentence, at: int, found: Reading) -> bool:
    """Whether a month without its capital goes on a list of them: "in march, april and may", but not "in april and may
    I go"."""
    last = sentence.last
    if found.unit != "month" or last is None or last.unit != "month":
        return False
    follows = sentence.kind(found.stop)
    if follows == "word" or follows in _AFTER_MONTHS:
        return sentence.tokens[at].word not in _VERBS and sentence.closes(found.stop)
    return follows in _AFTER_LISTED


def _is_compared(sentence: Sentence, at: int) -> bool:
    """As "April" in "compare May and April", "my spending in May, compared to April"."""
    words = [token.word for token in sentence.tokens[max(0, at - _BEFORE_COMPARED) : at]]
    if not words or words[-1] in _COMPARE:
        return bool(words)
    return sentence.last is not None and words[-1] in ("with", "to") and not _COMPARE.isdisjoint(words)


def _continues_number(sentence: Sentence, at: int) -> bool:
    """Whether the number belongs to an amount of money or the like ("$7 May ...")."""
    before = sentence.tokens[at - 1] if at else None
    return before is not None and before.kind == "other" and before.word in "$€£¥#@"


def _compared(sentence: Sentence, at: int, kind: str) -> Related | None:
    """As in "more than two years ago", "over a year ago", "vor weniger als einem Monat": before then, or since."""
    ago = kind == "agopre" or (kind == "before" and sentence.lexicon.language != "en")
    than = at + 1 if ago else at
    side = "more" if kind == "in" else sentence.kind(than)
    if side not in ("more", "less"):
        return None
    amount = read_amount(sentence, than + 1)
    if amount is None or not (ago or sentence.kind(amount.stop) == "ago"):
        return None
    count = amount.high if side == "more" else amount.low
    moment = moved(sentence.now, amount.unit, -count)
    if amount.unit not in SMALL_UNITS:
        moment = day_span(moment).start
    stop = amount.stop + (not ago)
    reason = f"{side} than {count} {amount.unit} back"
    reading = Reading(Span(moment, sentence.now), stop, 0.9, reason, amount.unit)
    return Related(at, reading, "before" if side == "more" else "in")


def _either_side(sentence: Sentence, at: int, kind: str) -> Related | None:
    """As in "before or after Easter", which is about all time, and the most about that one."""
    sides = {kind, sentence.kind(at + 2)}
    if sentence.kind(at + 1) in ("or", "and") and sides == {"before", "after"}:
        base_at = at + 3
    elif at > 1 and sentence.kind(at - 1) in ("or", "and") and sentence.tokens[at - 2].word in _SIDES:
        base_at = at + 1
    else:
        return None
    found = read_time(sentence, base_at)
    return None if found is None else Related(at, found, "in")


def _open(sentence: Sentence, at: int, kind: str) -> Related | None:
    """As in "before May", "since last week", "until 2020"; "since May until June" is a range."""
    first_at = past_hedges(sentence, at + 1)
    found = read_clocked(sentence, first_at, read_time) or read_time(sentence, first_at)
    if found is not None and sentence.tokens[at].word in _BESIDE_ANOTHER and sentence.kind(at - 1) == "the":
        nothing = found.span if found.recurs is None else Span(sentence.now, sentence.now)
        return Related(at, found._replace(span=nothing), "in")
    ago = read_time(sentence, at) if kind == "before" else None
    if ago is not None and (found is None or ago.stop > found.stop):
        return Related(at, ago, "in")
    if found is None and kind == "since" and sentence.lexicon.language != "en":
        ranged = read_range(sentence, at)  # "с 3 по 5 мая"
        if ranged is not None:
            return ranged
        amount = read_amount(sentence, sentence.skip(at + 1, "more"))
        return None if amount is None else Related(at, stretch(sentence, -1, amount), "since")
    if found is None and sentence.tokens[at].word in _WITHIN:
        amount = read_amount(sentence, at + 1)
        return None if amount is None else Related(at, stretch(sentence, 1, amount), "in")
    if found is None:
        return None
    if kind == "since" and sentence.kind(found.stop) in ("until", "to"):
        ranged = joined(sentence, at, first_at, found, sentence.skip(found.stop, "until", "to", "the"))
        if ranged is not None:
            return ranged
    if is_close(sentence, at) and (close := just_beside(found, kind)) is not None:
        return Related(at - 1, close, "in")
    return Related(at, _from_edge(found, kind), _OPEN[kind])


def _from_edge(found: Reading, kind: str) -> Reading:
    """What is before the end of a time goes on to the very end, and what is after its start begins with it."""
    span, whole = found.span, found.whole
    if whole is None:
        return found
    if kind == "before" and span.end == whole.end:
        return found._replace(span=Span(whole.end, shifted(whole.end, days=1)))
    if kind == "after" and span.start == whole.start:
        return found._replace(span=Span(shifted(whole.start, days=-1), whole.start))
    return found


def _bounded(sentence: Sentence, at: int, first: Related) -> Related:
    """As in "after May but before July", "before July and after May": one interval, bounded on both sides."""
    if first.relation in ("in", "between"):
        return first
    other_at = sentence.skip(first.reading.stop, "comma", "and", "but")
    kind = sentence.kind(other_at)
    second = _open(sentence, other_at, kind) if kind in _OPEN else None
    later = ("before", "until")
    if second is None or second.relation in ("in", "between"):
        return first
    if (first.relation in later) == (second.relation in later):
        return first
    low, high = (second, first) if first.relation in later else (first, second)
    ordered = put_in_order(sentence, low.first + 1, low.reading, high.first + 1, high.reading)
    start = ordered[0].end if low.relation == "after" else ordered[0].start
    end = ordered[1].start if high.relation == "before" else ordered[1].end
    if start >= end:
        return first
    certainty = min(low.reading.certainty, high.reading.certainty)
    reason = f"{low.relation} {low.reading.reason}, {high.relation} {high.reading.reason}"
    stop = max(low.reading.stop, high.reading.stop)
    return Related(at, Reading(Span(start, end), stop, certainty, reason, high.reading.unit), "between")
