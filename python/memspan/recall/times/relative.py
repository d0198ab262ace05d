"""Rules for times that are counted from `now`: "last week", "two Fridays ago", "this summer", "the past month"."""

from __future__ import annotations

from typing import Final

from .ago import read_ago, read_day_back, read_same, read_same_unit
from .amounts import Amount, is_bare_count, read_amount
from .calendar import Span, Unit, clip, day_span, shifted, unit_span
from .counting import SURE, part_at, several_turns, stretch, turned
from .events import is_told_by_event
from .just_been import has_just_been
from .nights import is_last_night
from .reading import Reading, Sentence
from .turns import part_of_day
from .week_on import read_week_on
from .years import QUALIFIED

__all__ = ["read_relative"]

_DIRECTIONS: Final = {"last": -1, "this": 0, "next": 1, "past": -1}
_TURNING: Final = frozenset(["unit", "weekday", "month", "season", "part", "named", "quarter"])
_NAMED_TURNS: Final = frozenset(["weekday", "month", "season", "named"])
_COUNTED_FROM: Final = frozenset(["agopre", "ahead", "before", "in", "number", "a"])
_SITTERS: Final = frozenset(["i", "he", "she", "we", "they", "you", "who", "it", "that", "everyone"])
_COUNTS: Final = frozenset(["number", "decimal", "few", "amount", "half"])
_AFTER_ALL: Final = frozenset(["", "comma", "dot", "other", "in", "on"])
_PERIODS: Final = frozenset(["month", "year", "season"])
_SHARED: Final = frozenset(["week", "weekend", "month", "quarter", "year"])
_NO_CERTAIN: Final = frozenset(["that", "which", "what"])
_ONLY_BEHIND: Final = ("qui", "que", "che", "à", "a")
"""What "qui vient", "que viene", "à venir" begin with, which stand behind what they say of."""
_SPENT: Final = ("pass", "pasad")
"""What a word for "last" begins with that also says that time was spent: "Où avons-nous passé Noël ?"."""
_BESIDE_LAST: Final = {"before": "last", "after": "next"}


def read_relative(sentence: Sentence, at: int) -> Reading | None:
    """The longest relative time that begins at a token."""
    kind = sentence.kind(at)
    if kind == "the" and sentence.kind(at + 1) in ("last", "next", "past", "this"):
        rolling = sentence.kind(at - 1) == "in" and sentence.tokens[at + 1].word != "previous"
        return _directed(sentence, at + 1, rolling=rolling)
    if kind in _DIRECTIONS:
        return _directed(sentence, at, rolling=False)
    if (counted_on := read_week_on(sentence, at)) is not None:
        return counted_on
    if kind == "offset":
        return _offset(sentence, at)
    if kind == "unitoffset":
        unit, count = sentence.value(at)
        return Reading(unit_span(unit, sentence.now, count), at + 1, SURE, f"{count:+} {unit}", unit)
    if kind == "recent":
        start = shifted(day_span(sentence.now).start, days=-sentence.value(at))
        return Reading(
            Span(start, sentence.now), at + 1, 0.4, f"about the last {sentence.value(at)} days", "day"
        )
    if kind in ("earlier", "later"):
        return _rest_of(sentence, at)
    if kind == "sofar":
        running: Unit = sentence.value(at)
        span = clip(unit_span(running, sentence.now), end=sentence.now)
        return Reading(span, at + 1, SURE, f"this {running} so far", running)
    if kind == "weekday":
        return _weekday(sentence, at)
    if kind == "same":
        return read_same(sentence, at)
    found = read_ago(sentence, at) or _counted_first(sentence, at)
    if found is None and kind in ("unit", "season", "month", "named", "the"):
        found = _one_but(sentence, at) or _postposed(sentence, at)
    return found


def _offset(sentence: Sentence, at: int) -> Reading:
    value = sentence.value(at)
    days, part = value if isinstance(value, tuple) else (value, None)
    day = day_span(shifted(sentence.now, days=days))
    stop = at + 1
    if (
        part is None
        and sentence.kind(stop) in _COUNTED_FROM
        and (back := read_day_back(sentence, stop, days))
    ):
        return back
    if part is None:
        part, stop = part_at(sentence, stop)
    if part is None:
        return Reading(day, stop, 1.0, f"{days:+} days" if days else "today", "day")
    if not days and is_last_night(sentence, at, part):
        day = day_span(shifted(day.start, days=-1))
    return Reading(part_of_day(day.start, part), stop, SURE, "a part of a day", "day")


def _directed(sentence: Sentence, at: int, *, rolling: bool) -> Reading | None:
    """What follows "last", "this", "next" or "past"."""
    if _is_verb(sentence, at):
        return None
    word = sentence.kind(at)
    direction = _DIRECTIONS[word]
    follows = at + 1
    kind = sentence.kind(follows)
    if kind in ("and", "or") and sentence.kind(at + 2) in _DIRECTIONS:
        return _shared_unit(sentence, at)
    if direction == 0 and _DIRECTIONS.get(kind):  # "this past weekend"
        return _directed(sentence, follows, rolling=rolling)
    if (
        kind in _COUNTS
        or is_bare_count(sentence, follows)
        or (kind == "a" and sentence.lexicon.language != "en")
    ):
        if direction == 0:
            return _counted_first(sentence, follows)  # "ces deux dernières semaines"
        amount = read_amount(sentence, follows)
        if amount is None:
            return several_turns(sentence, direction, follows)
        return stretch(sentence, direction, amount)
    if kind not in _TURNING or (kind == "weekday" and not _is_day(sentence, follows)):
        return None
    if kind == "quarter" and sentence.kind(follows + 1) in ("year", "shortyear"):
        return None  # "this 2022Q2"
    if not direction and _tells_lately(sentence, follows):
        return None
    if word == "next" and kind == "part" and sentence.kind(at - 1) == "the":
        return None  # "the next morning" is beside a day that was told before
    if (
        kind == "unit"
        and not direction
        and (same := read_same_unit(sentence, sentence.value(follows), follows + 1))
    ):
        return same
    if direction and _but_one(sentence, follows + 1):
        return turned(sentence, 2 * direction, follows, follows + 3)
    if kind == "unit" and direction:
        unit: Unit = sentence.value(follows)
        if sentence.kind(follows + 1) == "andhalf" or _or_more(sentence, follows + 1):
            amount = read_amount(sentence, follows)
            return None if amount is None else stretch(sentence, direction, amount)
        if _several(sentence, at, follows) and not _lacks_apostrophe(sentence, at, follows):
            return stretch(sentence, direction, Amount(2, 5, unit, follows + 1))  # "the past weeks"
        if (
            (word == "past" or rolling or (unit == "hour" and direction < 0))
            and unit != "weekend"
            and not sentence.value(at)
        ):
            return stretch(sentence, direction, Amount(1, 1, unit, follows + 1))
        if sentence.kind(follows + 1) == "of" or unit == "day":
            return None  # "the last year of college", "my last day there"
    if kind == "part" and not direction and is_last_night(sentence, at, sentence.value(follows)):
        direction = -1
    found = turned(sentence, direction * _steps(sentence, at, follows), follows, follows + 1)
    if direction or found is None or found.span.start <= sentence.now:
        return found
    named = kind in _NAMED_TURNS or (kind == "unit" and found.unit == "weekend")
    return turned(sentence, -1, follows, follows + 1) if named and has_just_been(sentence, at) else found


def _is_verb(sentence: Sentence, at: int) -> bool:
    """Whether a word for "last" or "next" is a verb before a time: "qui vient dimanche ?", "se passe lundi", "abbiamo
    passato Natale", but not "el pasado lunes"."""
    word, language = sentence.tokens[at].word, sentence.lexicon.language
    if word == "coming" and sentence.kind(at + 1) == "weekday":
        return sentence.kind(at - 1) == "word"  # "who is coming Monday"
    if language not in ("fr", "es", "it", "pt"):
        return False
    if word.startswith(_SPENT):
        return language == "fr" or sentence.kind(at - 1) == "word"
    return sentence.kind(at) == "next" and word in _ONLY_BEHIND


def _shared_unit(sentence: Sentence, at: int) -> Reading | None:
    """As in "this and last week": the first of the two; the other is read on its own."""
    unit_at = at + 3
    if sentence.kind(unit_at) != "unit" or sentence.value(unit_at) not in _SHARED:
        return None
    first, second = _DIRECTIONS[sentence.kind(at)], _DIRECTIONS[sentence.kind(at + 2)]
    if first == second or sentence.value(at) or not sentence.closes(unit_at + 1):
        return None
    return turned(sentence, first, unit_at, at + 1)


def _or_more(sentence: Sentence, at: int) -> bool:
    """As in "the last day or two", but not "last week or two weeks ago"."""
    return (
        sentence.kind(at) == "or"
        and sentence.kind(at + 1) == "number"
        and not sentence.tokens[at + 1].ordinal
        and sentence.closes(at + 2)
        and sentence.kind(at + 2) not in ("unit", "weekday", "month", "season", "named", "part", "plural")
    )


def _but_one(sentence: Sentence, at: int) -> bool:
    """As in "last weekend but one", but not "last weekend, but one of us left"."""
    if (
        sentence.kind(at) != "but"
        or sentence.kind(at + 1) != "number"
        or sentence.tokens[at + 1].word != "one"
    ):
        return False
    return sentence.kind(at + 2) in _AFTER_ALL


def _is_day(sentence: Sentence, at: int) -> bool:
    """Whether a day in short is one and no verb or noun: "last wed", but not "where he last sat in the sun"."""
    token = sentence.tokens[at]
    if not token.short or token.capital or sentence.lexicon.language != "en":
        return True
    if sentence.kind(at + 1) in ("in", "on", "of", "by", "and") or not sentence.closes(at + 1):
        return False
    return at < 2 or token.word != "sat" or sentence.tokens[at - 2].word not in _SITTERS


def _several(sentence: Sentence, at: int, counted: int) -> bool:
    """Whether either word tells of more than one unit: "in den letzten Tagen", "ces derniers mois"."""
    many = sentence.lexicon.many
    if sentence.value(counted) == "weekend":  # which has no singular in Russian: "в прошлые выходные"
        return sentence.tokens[counted].word in many
    return sentence.tokens[counted].word in many or sentence.tokens[at].word in many


def _tells_lately(sentence: Sentence, counted: int) -> bool:
    """Whether it is about no one unit: "ces jours-ci", "in diesen Tagen"."""
    if sentence.kind(counted) != "unit" or sentence.value(counted) == "weekend":
        return False
    return sentence.tokens[counted].word in sentence.lexicon.many


def _lacks_apostrophe(sentence: Sentence, at: int, counted: int) -> bool:
    """Whether a plural owns what follows it: "last weeks meeting", but not "the last weeks", "past years were"."""
    if sentence.lexicon.language != "en" or sentence.kind(at) not in ("last", "next"):
        return False
    if sentence.kind(at - 1) in ("the", "this", "in"):
        return False
    return sentence.kind(counted + 1) in ("named", "season", "month") or not sentence.closes(counted + 1)


def _steps(sentence: Sentence, at: int, counted: int) -> int:
    """How many turns a word for "last" or "next" goes; "the coming weekend" is this one, while it has not begun."""
    steps: int | None = sentence.value(at)
    if steps != 0 or sentence.value(counted) != "weekend":
        return steps or 1
    return 0 if unit_span("weekend", sentence.now).start > sentence.now else 1


def _counted_first(sentence: Sentence, at: int) -> Reading | None:
    """As in "las dos últimas semanas": the number stands before "last"."""
    if sentence.kind(at) not in ("number", "few") or sentence.kind(at + 2) != "unit":
        return None
    direction = _DIRECTIONS.get(sentence.kind(at + 1), 0)
    if direction == 0 or sentence.tokens[at].ordinal:
        return None
    if sentence.lexicon.language == "en" and not (
        sentence.kind(at - 1) == "the" and _several(sentence, at + 1, at + 2)
    ):
        return None  # "in sprint 12 last month"
    value = sentence.value(at)
    low, high = value if isinstance(value, tuple) else (value, value)
    return stretch(sentence, direction, Amount(low, high, sentence.value(at + 2), at + 3)) if high else None


def _one_but(sentence: Sentence, at: int) -> Reading | None:
    """As in "the Sunday before last", "the weekend after next"."""
    first = at + 1 if sentence.kind(at) == "the" else at
    side = sentence.kind(first + 1)
    if sentence.kind(first) not in _TURNING or sentence.kind(first + 2) != _BESIDE_LAST.get(side, "-"):
        return None
    after = sentence.kind(first + 3)
    if after in _TURNING or after in ("number", "few", "plural", "to"):
        return None  # "the week before last Friday", "the day after next to nothing"
    return turned(sentence, -2 if side == "before" else 2, first, first + 3)


def _rest_of(sentence: Sentence, at: int) -> Reading | None:
    """As in "earlier this year", "later this month", "earlier today", "the rest of the week"."""
    now = sentence.now
    if sentence.tokens[at].word != "later" and sentence.kind(at) == "later":
        return _remaining(sentence, at + 1)
    inner = read_relative(sentence, at + 1) if sentence.kind(at + 1) in ("this", "offset") else None
    if inner is None:
        inner = _running(sentence, at + 1)
    if inner is None:
        return None
    before = sentence.kind(at) == "earlier"
    span = clip(inner.span, end=now) if before else clip(inner.span, start=now)
    return inner._replace(span=span, certainty=QUALIFIED + 0.1, reason="a part of " + inner.reason)


def _remaining(sentence: Sentence, at: int) -> Reading | None:
    """What is left of the running unit where a sentence looks ahead, else all of it: "the rest of the week"."""
    if sentence.kind(at) != "unit" or sentence.value(at) not in (*_SHARED, "day"):
        return None
    inner = turned(sentence, 0, at, at + 1)
    if inner is None or not inner.span.start <= sentence.now < inner.span.end:
        return None
    if not sentence.looks_ahead(at):
        return inner
    return inner._replace(span=clip(inner.span, start=sentence.now), reason="what is left of " + inner.reason)


def _running(sentence: Sentence, at: int) -> Reading | None:
    """The "in the week" of "earlier in the week", the "año" of "en lo que va de año": the one that it is."""
    lexicon = sentence.lexicon
    if (
        lexicon.language == "es"
        and sentence.kind(at) == "unit"
        and sentence.tokens[at].word not in lexicon.many
    ):
        return turned(sentence, 0, at, at + 1)
    if [sentence.kind(at + step) for step in range(3)] != ["in", "the", "unit"]:
        return None
    return turned(sentence, 0, at + 2, at + 3)


def _weekday(sentence: Sentence, at: int) -> Reading | None:
    """A lone day of the week is the latest one, today included; a date after it says it better."""
    token = sentence.tokens[at]
    found = _one_but(sentence, at) or _postposed(sentence, at)
    if found is not None:
        return found
    if _any(sentence, at - 1) or (sentence.lexicon.language == "en" and token.word.endswith("ays")):
        return None
    if [following.word for following in sentence.tokens[at + 1 : at + 3]] == [".", "com"]:
        return None
    if _is_of_a_time(sentence, at):
        return None
    if sentence.kind(at + 1) == "plural" or is_told_by_event(sentence, at, at + 1):  # "on Friday evenings"
        return None
    now = sentence.now
    today = day_span(now).start
    span = day_span(shifted(today, days=-((today.weekday() - token.value) % 7)))
    stop = at + 1
    if token.short and sentence.kind(stop) == "dot":
        stop += 1
    reason = "the latest such day, today included"
    part, stop = part_at(sentence, stop)
    if part is not None:
        span = part_of_day(span.start, part)
    over = sentence.tokens[stop - 1].possessive or _ends_here(sentence, stop)
    if token.short and not over:
        return None  # "in Sun City"
    doubtful = token.short and sentence.kind(stop - 1) != "part" and not _stands_alone(sentence, at, stop)
    return Reading(span, stop, 0.7, reason, "day", needs_preposition=doubtful or not over, recurs="week")


def _any(sentence: Sentence, at: int) -> bool:
    """Whether a word there makes no certain day of what follows: "one Friday in May"."""
    return sentence.kind(at) == "a" or (at >= 0 and sentence.tokens[at].word == "one")


def _is_of_a_time(sentence: Sentence, at: int) -> bool:
    """Whether what stands behind says of which one it is: "the first Monday of each month", "that Friday in May"."""
    if sentence.kind(at + 1) not in ("of", "in"):
        return False
    that = at > 0 and sentence.tokens[at - 1].word in _NO_CERTAIN and sentence.kind(at + 2) in _PERIODS
    return that or sentence.kind(at + 2) == "every"


def _ends_here(sentence: Sentence, at: int) -> bool:
    """Whether nothing continues a noun that began before; of words that are also others, only a few can follow."""
    if sentence.lexicon.language == "en" or not sentence.tokens[at - 1].short:
        return sentence.closes_day(at)
    if sentence.kind(at) not in ("word", "blob", "number", "decimal", "unit"):
        return True
    return sentence.tokens[at].word in sentence.lexicon.closers


def _stands_alone(sentence: Sentence, at: int, stop: int) -> bool:
    """As in "What did I do Wed?": a day in short that ends what is said, without a preposition."""
    token, before = sentence.tokens[at], sentence.tokens[at - 1] if at else None
    if before is None or token.word in ("sun", "son"):
        return False
    if not token.capital and before.word != "due":
        return False
    return (
        before.kind == "word" and not before.capital and sentence.kind(stop) in ("", "comma", "dot", "other")
    )


def _postposed(sentence: Sentence, at: int) -> Reading | None:
    """As in "la semaine dernière", "el mes pasado": the direction comes after."""
    first = at + 1 if sentence.kind(at) == "the" else at
    if sentence.lexicon.language == "en" or sentence.kind(first) not in _TURNING:
        return None
    follows = sentence.kind(first + 1)
    after = sentence.kind(first + 2)
    part = after == "part" and sentence.kind(first) == "weekday"  # "sexta passada à noite"
    # "la semaine dernière mardi"
    part |= after == "weekday" and (sentence.kind(first), sentence.value(first)) == ("unit", "week")
    if follows not in _DIRECTIONS or (after in _TURNING and not part):
        return None  # "im März dieses Jahres"
    direction = _DIRECTIONS[follows]
    if sentence.kind(first) == "unit" and direction and _several(sentence, first + 1, first):
        return stretch(sentence, direction, Amount(2, 5, sentence.value(first), first + 2))
    return turned(sentence, direction * _steps(sentence, first + 1, first), first, first + 2)
