"""Days in numbers without a year, or with the last two digits of it: "am 24.12.", "bis 3.5.22", "on 12/24"."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

from .lexicon import Token
from .numbered import is_number
from .partial import Partial
from .reading import Sentence
from .years import past_year

__all__ = ["dotted_day", "other_order", "slashed_day", "spaced_day"]

_DOTTED: Final = re.compile(r"(\d{1,2})\.(\d{1,2})(?:\.(\d\d))?")
_LEADS: Final = word_set("on from until since to between before after by the and or dash")
"""What makes a day of two numbers, which could be a section or a version."""
_SLASHED: Final = re.compile(r"(\d{1,2})/(\d{1,2})")
_BEFORE_SLASHED: Final = word_set("on since until between before after by from weekday comma")
_IN_NUMBERS: Final = frozenset(["dotted", "decimal", "date"])
_WEEK_STARTS: Final = word_set("starting beginning commencing ending ended")
_JOINTS: Final = word_set("and or comma to dash")
_LONGEST: Final = 32
"""Days of a list that are looked back over."""
_FRACTIONS: Final = word_set("1/2 1/3 2/3 1/4 3/4 1/5 1/10")
"""What they are, and no days, unless a word before them says so."""
_PARTS: Final = _FRACTIONS | word_set("1/8 3/8 5/8 7/8")


def dotted_day(sentence: Sentence, at: int) -> tuple[Partial, int] | None:
    """The day written in a token, if what stands before and after it says that it is one; and where it ends."""
    match = _DOTTED.fullmatch(sentence.tokens[at].word)
    before = sentence.kind(at - 1)
    if match is None or not sentence.lexicon.day_first:
        return None
    if before == "comma" and (first := _first_listed(sentence, at)) != at:
        before = sentence.kind(first - 1)
    dated = sentence.kind(at + 1) == "dot" and (_behind_weekday(sentence, at) or _dots_on(sentence, at + 2))
    if before not in _LEADS and not dated:
        return None
    stop = at + 1
    year: int | None = None
    if match[3]:
        year = past_year(sentence, int(match[3]) + (2000 if int(match[3]) < 70 else 1900))
    elif sentence.kind(stop) == "dot":
        stop += 1
        if sentence.kind(stop) == "year":
            year, stop = sentence.value(stop), stop + 1
    elif before != "on" and not dated:
        return None  # "von 3.5 auf 4.2"
    return Partial(year, int(match[2]), int(match[1])), stop


def _behind_weekday(sentence: Sentence, at: int) -> bool:
    """As in "Montag, 5.6.", "Montag, den 5.6."."""
    before = at - 1
    for kind in ("the", "comma"):
        before -= sentence.kind(before) == kind
    return sentence.kind(before) == "weekday"


def slashed_day(sentence: Sentence, at: int) -> tuple[Partial, int] | None:
    """The day of two numbers with a slash ("on 12/24", "le 24/12"), in the order of the language."""
    match = _SLASHED.fullmatch(sentence.tokens[at].word)
    if match is None:
        return None
    one, two = int(match[1]), int(match[2])
    day, month = (one, two) if sentence.lexicon.day_first else (two, one)
    if month > 12 and day <= 12:
        day, month = month, day
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    written = Partial(None, month, day)
    return (written, at + 1) if _falls_on(sentence, at, written) or _leads(sentence, at) else None


def _falls_on(sentence: Sentence, at: int, written: Partial) -> bool:
    """Whether the day of the week before it is that of the date, whatever stands behind: "Tue 5/9 meeting"."""
    if sentence.kind(at - 1) != "weekday":
        return False
    span = written.resolve(sentence.now)
    return span is not None and span.start.weekday() == sentence.value(at - 1)


def other_order(token: Token, written: Partial) -> Partial | None:
    """Day and month the other way round, where a date has them with a slash or a dash and either may be the month."""
    year, month, day = written
    two_ways = token.value[3:] == (True,) if token.kind == "date" else _SLASHED.fullmatch(token.word)
    if not two_ways or month is None or day is None or day > 12:
        return None
    return Partial(year, day, month)


def _leads(sentence: Sentence, at: int) -> bool:
    """Whether what stands around two numbers with a slash makes a day of them."""
    first = _first_listed(sentence, at)
    if first == at and sentence.kind(at - 1) in ("and", "to", "dash"):
        return False
    led = _is_led(sentence, first) or _goes_on(sentence, first + 1)
    return led and _ends(sentence, at)


def _goes_on(sentence: Sentence, at: int) -> bool:
    """Whether another day in numbers ends a range there: "10/5 - 10/7". "3/4-7/8" are fractions, and "8/10-9/10" marks,
    but in languages that have the day first."""
    if sentence.kind(at) not in ("dash", "to") or sentence.kind(at + 1) not in _IN_NUMBERS:
        return False
    one, two = sentence.tokens[at - 1].word, sentence.tokens[at + 1].word
    if "/" not in two or (one in _PARTS and two in _PARTS) or is_number(sentence, at - 1):
        return False
    alike = one.partition("/")[2] == two.partition("/")[2]
    return not alike or (sentence.lexicon.day_first and not two.endswith("/10"))


def _dots_on(sentence: Sentence, at: int) -> bool:
    """As in "5.5.-7.5."."""
    return sentence.kind(at) == "dash" and sentence.kind(at + 1) in _IN_NUMBERS


def _first_listed(sentence: Sentence, at: int) -> int:
    """The first of the days in numbers that a day stands in a row with: "between 5/12 and 5/20", "on 3/5, 3/7 and 3/9",
    "am 3.5., 7.5. und 9.5."."""
    for _ in range(_LONGEST):
        joint = at - 1
        if sentence.kind(joint) not in _JOINTS:
            break
        if sentence.kind(joint) in ("and", "or") and sentence.kind(joint - 1) == "comma":
            joint -= 1
        other = joint - 1 - (sentence.kind(joint - 1) == "dot")
        if sentence.kind(other) not in ("dotted", "decimal"):
            break
        at = other
    return at


def _is_led(sentence: Sentence, at: int) -> bool:
    before = sentence.kind(at - 1)
    if sentence.tokens[at].word in _FRACTIONS and before not in ("on", "since", "until"):
        return False
    if before == "comma":  # "Tuesday, 6/6"
        return sentence.kind(at - 2) == "weekday"
    if before == "the":  # "le 12/5"
        return sentence.lexicon.language != "en"
    return before in _BEFORE_SLASHED or _tells_week(sentence, at - 1)


def _tells_week(sentence: Sentence, at: int) -> bool:
    """Whether a week is told by the day that follows: "the week of 3/6", "w/c 3/6", "week commencing 3/6"."""
    token = sentence.tokens[at] if at > 0 else None
    if token is None or (token.kind != "of" and token.word not in _WEEK_STARTS):
        return False
    held = at - 1 - (sentence.kind(at - 1) == "of")
    return sentence.kind(held) == "unit" and sentence.value(held) == "week"


def _ends(sentence: Sentence, at: int) -> bool:
    """Whether nothing follows that is counted so: not in "on 5/12 occasions", "after 5/6 hours"."""
    return sentence.closes(at + 1) and sentence.kind(at + 1) not in ("of", "unit")


def spaced_day(sentence: Sentence, at: int) -> tuple[Partial, int] | None:
    """The day that begins with a number and a dot: "24. 12. 2022"."""
    kinds = [sentence.kind(at + step) for step in range(5)]
    if kinds != ["number", "dot", "number", "dot", "year"] or not sentence.lexicon.day_first:
        return None
    return Partial(sentence.value(at + 4), sentence.value(at + 2), sentence.value(at)), at + 5
