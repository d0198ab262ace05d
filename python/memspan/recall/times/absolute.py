"""Rules for times that need `now` for a missing year at most: dates, months, years, seasons, named days."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

from .calendar import SEASONS, Span, Unit, month_span, season_span, unit_span
from .counting import part_at
from .dotted import dotted_day, slashed_day, spaced_day
from .events import is_told_by_event
from .lone_days import is_lone_day
from .month_days import BEFORE_DAYS, counts_noun, is_asked_alone
from .named_days import last_named_day, named_day, with_weekend
from .numbered import is_number
from .partial import Partial
from .reading import Reading, Sentence
from .turns import part_of_day
from .weeks import read_week, read_week_behind
from .years import (
    POSSESSIVES,
    QUALIFIED,
    past_year,
    read_bare_year,
    read_decade,
    read_short_year,
    read_year,
    read_year_of_two,
)

__all__ = ["MONTHLY", "read_absolute", "read_partial"]

MONTHLY: Final = word_set(
    "rent bill bills invoice invoices payment payments report budget expenses salary paycheck payslip statement sales "
    "numbers newsletter recap summary overview digest"
)
"""What there is one of each month, and what hardly anybody has who is called June."""
_FULL: Final = 1.0
_YEAR_INFERRED: Final = 0.8
_BEFORE_SEASONS: Final = word_set(
    "the in last this next early mid late since until before after by of from year"
)
_JOINTS: Final = frozenset(["to", "dash", "and", "or"])
_AFTER_SEASONS: Final = frozenset(["year", "shortyear", "of"])
_WINTER: Final = SEASONS.index("winter")
_WISHES: Final = word_set(
    "happy merry joyeux joyeuses joyeuse feliz felices frohe frohes fröhliche buon buona prettige fijne "
    "gelukkig zalig zalige szczęśliwego wesołych"
)
_WITH: Final = ("ым", "ом")
"""What a feast ends in that one is congratulated on."""
_MOST_MONTHS: Final = 12
_SHORT_YEAR: Final = re.compile(r"^\d{1,2}\D\d{1,2}\D\d\d$")
"""A date whose year has two digits."""
_LEADS: Final = frozenset(["the", "on", "in", "until", "since", "before", "after"])
# Adverbs and verbs that may follow a name where a noun would follow a month ("what did the May girl", "my April said").
_NO_NOUNS: Final = word_set(
    "said says told tells went goes came comes got gets made makes never really always"
)


def read_absolute(sentence: Sentence, at: int) -> Reading | None:
    """The longest absolute time that begins at a token."""
    kind = sentence.kind(at)
    if kind == "season":
        return _season(sentence, at)
    if kind == "named":
        return _named(sentence, at)
    if kind == "quarter":
        which, months = sentence.value(at)
        return _quarter(sentence, which, months, at + 1)
    if kind == "isoweek":
        return read_week(sentence, at + 1)
    if kind == "number" and (week := read_week_behind(sentence, at)) is not None:
        return week
    if kind == "decade":
        return read_decade(sentence, at)
    return read_partial(sentence, at)


def read_partial(sentence: Sentence, at: int, *, bare_day: bool = False) -> Reading | None:
    """A date with or without its year: "7 May", "May 7th, 2023", "May 2023", "2023-05", "2023".

    With `bare_day` a lone number is a day of a month named elsewhere, as in "between 3 and 9 June".
    """
    kind = sentence.kind(at)
    if kind == "date":
        return _written_date(sentence, at)
    if kind == "month":
        return _month_first(sentence, at)
    if kind == "year":
        return read_bare_year(sentence, at)
    if kind == "shortyear":
        return read_short_year(sentence, at)
    if kind in ("dotted", "decimal"):
        return _numeric(sentence, dotted_day(sentence, at) or slashed_day(sentence, at))
    if kind == "number" and 1 <= sentence.value(at) <= 31:
        found = _day_first(sentence, at) or _numeric(sentence, spaced_day(sentence, at))
        if found is not None:
            return found
        if bare_day:
            now = sentence.now
            return Reading(
                Span(now, now), at + 1, QUALIFIED, "a day", "day", True, Partial(day=sentence.value(at))
            )
        if _is_day_of_month(sentence, at):
            partial = Partial(day=sentence.value(at))
            stop = _past_the_month(sentence, at) or at + 1
            return _reading(sentence, partial, stop, "the latest such day of a month")
    return None


def _is_day_of_month(sentence: Sentence, at: int) -> bool:
    """Whether a lone number is one: "on the 7th", "the 7th of last month", "el 7 del mes pasado"."""
    token = sentence.tokens[at]
    follows = sentence.skip(at + 1, "dot", "of", "in", "the", "from")
    if sentence.kind(follows) == "every":  # "the 15th of each month"
        return False
    if follows > at + 1 and (token.ordinal or sentence.lexicon.language != "en"):
        kinds = {sentence.kind(follows), sentence.kind(follows + 1)}
        units = [sentence.value(each) for each in (follows, follows + 1) if sentence.kind(each) == "unit"]
        if units == ["month"] and kinds & {"last", "this", "next"}:
            return True
        if _past_the_month(sentence, at):
            return True
    if is_lone_day(sentence, at):
        return True
    if not token.ordinal or not token.word[0].isdigit() or counts_noun(sentence, at):
        return False
    if sentence.kind(at - 2) == "of" and sentence.kind(at - 3) in ("unit", "part"):  # "the week of the 5th"
        return sentence.kind(at - 1) == "the"
    if sentence.kind(at - 1) != "the":
        return False
    return sentence.kind(at - 2) in BEFORE_DAYS or is_asked_alone(sentence, at)


def _past_the_month(sentence: Sentence, at: int) -> int:
    """Past the month of "on the first of the month", "am 1. des Monats", "el primero de mes"; 0 if there is none."""
    month_at = sentence.skip(at + 1, "dot", "of", "in", "the", "from")
    if sentence.kind(month_at) != "unit" or sentence.value(month_at) != "month":
        return 0
    month, lexicon = sentence.tokens[month_at], sentence.lexicon
    if month.possessive or month.word in lexicon.many or not sentence.closes(month_at + 1):
        return 0
    if sentence.kind(month_at + 1) in ("last", "this", "next"):  # "le 10 du mois dernier"
        return 0
    before, ordinal = sentence.kind(at - 1), sentence.tokens[at].ordinal
    if lexicon.language == "en":
        kinds = [sentence.kind(place) for place in range(at + 1, month_at)]
        led = ordinal and before == "the" and sentence.kind(at - 2) in BEFORE_DAYS and kinds == ["of", "the"]
    else:
        led = before in _LEADS or (before == "unit" and sentence.value(at - 1) == "day")  # "el día 5 del mes"
        led = led and (lexicon.language != "de" or ordinal or sentence.kind(at + 1) == "dot")
        led = led and sentence.kind(month_at - 1) in ("of", "the", "from")
    return month_at + 1 if led else 0


def _reading(
    sentence: Sentence, partial: Partial, stop: int, reason: str, needs_preposition: bool = False
) -> Reading | None:
    span = partial.resolve(sentence.now)
    if span is None:
        return None
    recurs: Unit | None = "month" if partial.month is None else "year"
    certainty = _YEAR_INFERRED
    if partial.year is not None:
        recurs, certainty = None, _FULL
    return Reading(span, stop, certainty, reason, partial.unit, needs_preposition, partial, recurs)


def _numeric(sentence: Sentence, day: tuple[Partial, int] | None) -> Reading | None:
    return None if day is None else _reading(sentence, day[0], day[1], "a date in numbers")


def _no_such_day(sentence: Sentence, partial: Partial, stop: int) -> Reading:
    """Nothing, so that no part of a date that does not exist is read as another one."""
    return Reading(Span(sentence.now, sentence.now), stop, QUALIFIED, "no such day", "day", partial=partial)


def _written_date(sentence: Sentence, at: int) -> Reading | None:
    parts = sentence.value(at)
    word = sentence.tokens[at].word
    if (word.isdecimal() or (parts[2] is None and "." in word)) and is_number(sentence, at):
        return None  # "order 20230314", "version 03.2022"
    year = past_year(sentence, parts[0]) if _SHORT_YEAR.search(word) else parts[0]
    found = _reading(sentence, Partial(year, *parts[1:3]), at + 1, "a date in numbers")
    if found is not None and len(parts) == 4 and parts[3]:
        order = "day first" if sentence.lexicon.day_first else "month first"
        return found._replace(certainty=QUALIFIED, reason=f"a date in numbers, read {order}")
    return found


def _month_first(sentence: Sentence, at: int) -> Reading | None:
    token = sentence.tokens[at]
    month: int = token.value
    doubtful = token.short and not token.capital
    stop = at + 1
    if token.short and sentence.kind(stop) == "dot" and len(token.word) < 5:
        stop += 1
    day_at = sentence.skip(stop, "the")
    # As in "in January two years ago", and not in "July 4th weekend".
    counts = sentence.kind(day_at + 1) == "unit" and sentence.value(day_at + 1) != "weekend"
    if not counts and sentence.kind(day_at) == "number" and 1 <= sentence.value(day_at) <= 31:
        year, end = read_year(sentence, day_at + 1)
        english = sentence.lexicon.language == "en"
        spelled = sentence.tokens[day_at].word.isalpha() and not (english and sentence.tokens[day_at].ordinal)
        # "May twenty people come?", "may 5 people come?", "im Mai 5 Bücher" and "в мае второй раз" count something.
        sure = year is not None or not (doubtful or spelled) or sentence.closes_day(day_at + 1)
        if sure and (english or not (spelled or (year is None and sentence.kind(day_at + 1) == "word"))):
            partial = Partial(year, month, sentence.value(day_at))
            return _reading(sentence, partial, end, "a day of a month") or _no_such_day(
                sentence, partial, end
            )
    year, end = read_year(sentence, stop)
    if year is not None:
        return _reading(sentence, Partial(year, month), end, "a month of a year")
    alone = token.short and not _describes(sentence, at)
    ranged = sentence.kind(stop) in ("dash", "to")  # "Jan.-Mar. 2022"
    end = stop if ranged else at + 1
    return _reading(sentence, Partial(None, month), end, "the latest such month", needs_preposition=alone)


def _describes(sentence: Sentence, at: int) -> bool:
    """Whether a month that may be a verb or a name stands before a noun: "my March expenses", "the May newsletter"."""
    token, before = sentence.tokens[at], sentence.tokens[at - 1] if at else None
    if any(_against(sentence, at, side) for side in (-1, 1)):
        return True
    if token.possessive:  # "May's rent", but not "May's house"
        return token.capital and sentence.kind(at + 1) == "word" and sentence.tokens[at + 1].word in MONTHLY
    if before is None or not token.capital or (len(token.word) < 4 and token.word != "may"):
        return False
    if before.kind not in ("the", "a") and before.word not in POSSESSIVES and not before.possessive:
        return False
    after = at + 1
    for _ in range(_MOST_MONTHS):  # "my March and April budgets"
        joint = sentence.skip(after, "comma", "and", "or")
        if joint == after or sentence.kind(joint) != "month":
            break
        after = joint + 1
    if sentence.kind(after) != "word" or sentence.closes(after):
        return False
    noun = sentence.tokens[after]
    return not noun.capital and noun.word.isalpha() and noun.word not in _NO_NOUNS


def _against(sentence: Sentence, at: int, side: int) -> bool:
    """Whether it is compared with another month: "May vs April"."""
    if sentence.kind(at + side) != "or" or not sentence.value(at + side):
        return False
    return sentence.kind(at + 2 * side) == "month" and sentence.tokens[at].capital


def _day_first(sentence: Sentence, at: int) -> Reading | None:
    month_at = sentence.skip(at + 1, "of", "dot", "the")
    if sentence.kind(month_at) != "month":
        return None
    token = sentence.tokens[month_at]
    stop = month_at + 1
    if sentence.kind(stop) in ("unit", "half") and sentence.tokens[stop].start == token.end:
        return None  # "der 5. Maiwoche"
    year, end = read_year(sentence, stop)
    if year is None and token.short and not token.capital:
        said = sentence.tokens[at].word.isalpha() and not sentence.tokens[at].ordinal  # "one may morning"
        if said or not sentence.closes_day(stop):
            return None
    partial = Partial(year, token.value, sentence.value(at))
    return _reading(sentence, partial, end, "a day of a month") or _no_such_day(sentence, partial, end)


def _quarter(sentence: Sentence, which: int, months: int, stop: int) -> Reading | None:
    """A quarter of a year, or a half: "H2" alone may be anything."""
    if sentence.kind(stop) == "dash" and sentence.tokens[stop - 1].end == sentence.tokens[stop].start:
        stop += sentence.kind(stop + 1) == "year"  # "Q2-2022"
    year, end = read_year_of_two(sentence, stop)
    name = "a quarter" if months == 3 else "a half"
    first = months * (which - 1)
    if year is not None:
        return Reading(month_span(12 * year + first, months), end, _FULL, f"{name} of a year", "quarter")
    half = months != 3
    if half and not sentence.closes(stop):
        return None
    now = sentence.now
    span = month_span(12 * now.year + first, months)
    if span.start > now:
        span = month_span(12 * now.year - 12 + first, months)
    reason = f"the latest such {name[2:]}"
    return Reading(span, stop, _YEAR_INFERRED, reason, "quarter", needs_preposition=half, recurs="year")


def _season(sentence: Sentence, at: int) -> Reading | None:
    season: int = sentence.value(at)
    token = sentence.tokens[at]
    if (
        token.word in ("fall", "spring")
        and token.end - token.start == len(token.word)  # no "spring break"
        and not token.capital
        and sentence.kind(at - 1) not in _BEFORE_SEASONS
        and sentence.kind(at + 1) not in _AFTER_SEASONS
        and not _beside_season(sentence, at)
    ):
        return None  # the verbs
    year, end = read_year_of_two(sentence, at + 1)
    if year is not None:
        if season == _WINTER and sentence.kind(end) == "dash" and sentence.kind(end + 1) == "year":
            end += 2 * (sentence.value(end + 1) == year + 1)  # "winter 2021-2022"
        return Reading(season_span(season, year), end, 0.9, "a season of a year", "quarter")
    if not sentence.closes(at + 1) and not _counts_years(sentence, at + 1):
        return None
    if is_told_by_event(sentence, at, at + 1):
        return None
    now = sentence.now
    span = season_span(season, now.year)
    if span.start > now:
        span = season_span(season, now.year - 1)
    reason = f"the latest {SEASONS[season]} that has begun"
    alone = token.word not in sentence.lexicon.adverbs
    return Reading(span, at + 1, QUALIFIED, reason, "quarter", needs_preposition=alone, recurs="year")


def _beside_season(sentence: Sentence, at: int) -> bool:
    """Whether another season stands beside it: "spring through fall", "spring and summer"."""
    return any(
        sentence.kind(at + step) in _JOINTS and sentence.kind(at + 2 * step) == "season" for step in (-1, 1)
    )


def _counts_years(sentence: Sentence, at: int) -> bool:
    """Whether a number of years follows, back from now: "Christmas two years ago"."""
    return (
        sentence.kind(at) == "number"
        and sentence.kind(at + 1) == "unit"
        and sentence.value(at + 1) == "year"
        and sentence.kind(at + 2) in ("ago", "back")
    )


def _is_wish(sentence: Sentence, at: int) -> bool:
    """Whether a feast is one that is wished: "Happy Easter!", "С Новым годом!"."""
    before = sentence.tokens[at - 1].word
    return before in _WISHES or (before == "с" and sentence.tokens[at].word.endswith(_WITH))


def _is_person(sentence: Sentence, at: int) -> bool:
    """Whether a word is no "Valentine's" or "Valentine's Day", but somebody."""
    token = sentence.tokens[at]
    return not token.possessive and token.end - token.start == len(token.word)


def _named(sentence: Sentence, at: int) -> Reading | None:
    name: str = sentence.value(at)
    if at and _is_wish(sentence, at):
        return None
    if sentence.tokens[at].word == "valentine" and _is_person(sentence, at):
        return None
    held = sentence.value(at + 1) if sentence.kind(at + 1) == "unit" else None
    weekend = held == "weekend"
    week = held == "week" and sentence.tokens[at + 1].word == "week"
    part, stop = (None, at + 2) if weekend or week else part_at(sentence, at + 1)
    year, end = read_year_of_two(sentence, stop)
    if year is not None:
        found = Reading(named_day(name, year), end, _FULL, "a named day of a year", "day")
    elif sentence.closes(stop) or sentence.tokens[at].possessive or _counts_years(sentence, stop):
        span = last_named_day(name, sentence.now)
        found = Reading(span, stop, 0.7, "the latest such day", "day", recurs="year")
    else:
        return None
    if part is not None:
        return found._replace(span=part_of_day(found.span.start, part))
    if week:  # "Thanksgiving week"
        span = unit_span("week", found.span.start)
        return found._replace(span=span, unit="week", reason=f"the week of {found.reason}")
    if not weekend:
        return found
    return found._replace(
        span=with_weekend(found.span), unit="weekend", reason=f"{found.reason}, with its weekend"
    )
