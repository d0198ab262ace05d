"""Sentences that look ahead: what recurs is the next one there, and not the latest ("What is due on Friday?")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from memspan.recall.words import word_set

from .calendar import moved, unit_span
from .fragments import asks_of_event, asks_of_event_abroad
from .lexicon import TELLING, Token
from .nights import verbs_of
from .present import tells_of_event
from .ranges import Related
from .reading import Sentence
from .relations import read_related

__all__ = ["ahead_from", "is_planned_for", "read_nearer", "read_next"]

_AHEAD: Final = word_set(
    "will shall gonna due upcoming deadline deadlines plans agenda schedule reminder reminders"
)
_BEFORE_TO: Final = word_set("going need needs have has supposed plan plans planning")
_OPEN: Final = word_set("free busy available open away back off around duty")
_NOW: Final = word_set("am is are i'm we're you're he's she's they're")
_NEAR: Final = 3
"""Words before "free" among which what makes it one's time stands: "is Ana free on Friday"."""
_LOOKING_BACK: Final = word_set("know remember recall thank mention")
"""Behind "to", what is done about the past: "what do I need to remember from Friday?"."""
_PAST: Final = word_set(
    "did didn't was wasn't were weren't had hadn't been ago last yesterday saw went got came met said told bought made "
    "took found left heard ate gave felt"
)
_ENDS: Final = ("?", "!", ";")
_TIMES: Final = TELLING | {"number"}
_TIME: Final = "#"
_NUMBERS: Final = ("number", "decimal", "dotted")
_MOST: Final = 40
"""Words of a sentence that is looked at, as patterns take the square of them; a question is shorter."""
_BE: Final = word_set("be is are get gets")
_ARRANGED: Final = word_set("planned scheduled booked arranged")
_THINGS: Final = word_set("anything something nothing")
_ADVISED: Final = word_set("should must")
_DONE: Final = word_set("done ready paid sent bought")
_DOERS: Final = word_set("i we you he she they i'm we're you're he's she's they're")
"""Behind these "meeting" is what one does."""
_HAVE: Final = word_set("have has got")
_DO: Final = word_set("do does")
_APPOINTED: Final = word_set(
    "appointment appointments meeting meetings reservation reservations booking bookings exam exams flight flights"
)
"""What one has at a time to come: "what appointments do I have in June"."""
_STARTS: Final = word_set("start begin open leave depart arrive end close finish")
_HABITUAL: Final = word_set("usually normally generally typically often")
_IT_STARTS: Final = word_set("starts begins opens departs arrives closes finishes")
"""As "when the concert starts"."""
_UNTIL: Final = word_set("until till")
_WHEN: Final = word_set("when time")
_HAD_ON: Final = word_set("on anything something any time")
"""Behind "do I have", what makes it one's time: "do I have anything on Friday"."""
_OWN: Final = {"i": ("a", "an"), "we": ("a", "an")}
"""The same behind who asks: "do I have an appointment"."""
_BEFORE_IS: Final = word_set("who what where when how there he she it")
_NOT_DONE: Final = word_set(
    "thing anything something nothing everything morning evening during being wedding meeting building interesting "
    "missing boring amazing spring string having feeling looking including regarding following thinking wondering "
    "asking telling talking saying remembering recalling recovering referring laughing"
)
"""What is no verb, or is done about what has been."""
_DETERMINERS: Final = word_set(
    "the a an my your his her our their this that these those of for about no any some"
)
_SHORT: Final = 4
_PLANNED: Final = word_set(
    "plan plans planned planning book booked reserve reserved schedule scheduled arranged"
)
_AROUND: Final = 8
"""Tokens before "for" among which it is said that something was planned."""
_BOUNDED: Final = ("in", "until", "before", "after")
_MOMENT: Final = timedelta(microseconds=1)


def ahead_from(sentence: Sentence) -> list[bool]:
    """For each token, whether its sentence is about what is to come, and nothing in it about the past. O(words)."""
    flags: list[bool] = []
    first = 0
    for at, token in enumerate(sentence.tokens):
        if token.word in _ENDS or (token.kind == "dot" and not _is_of_day(sentence, at)):
            flags += [_is_ahead(sentence, first, at)] * (at + 1 - first)
            first = at + 1
    stop = len(sentence.tokens)
    return flags + [_is_ahead(sentence, first, stop)] * (stop - first)


def _is_of_day(sentence: Sentence, at: int) -> bool:
    """Whether a dot makes the number before it a day: "am 10. Mai", "am 10. gesagt"."""
    return sentence.lexicon.language != "en" and sentence.kind(at - 1) in _NUMBERS


def _is_ahead(sentence: Sentence, first: int, stop: int) -> bool:
    """The same of the tokens between two."""
    lexicon, tokens = sentence.lexicon, sentence.tokens[first:stop]
    asked = stop < len(sentence.tokens) and sentence.tokens[stop].word == "?"
    if lexicon.language == "en":
        return (asked and asks_of_event(tokens)) or _looks_ahead(_with_is(tokens))
    if asked and asks_of_event_abroad(tokens, lexicon.language):
        return True
    if lexicon.ahead is None or not 1 < len(tokens) <= _MOST:
        return False
    times = [token.kind in _TIMES for token in tokens]
    words = [_TIME if is_time else token.word for token, is_time in zip(tokens, times, strict=True)]
    if lexicon.ahead.search(" ".join(words)) is None:
        return False
    verbs = [_TIME if is_time else word for word, is_time in zip(verbs_of(tokens), times, strict=True)]
    return lexicon.told is None or lexicon.told.search(" ".join(verbs)) is None


def _with_is(tokens: Sequence[Token]) -> list[str]:
    """The words in order, with the "is" that is written to some of them: "who's coming"."""
    words: list[str] = []
    for token in tokens:
        words += [token.word, "is"] if token.possessive and token.word in _BEFORE_IS else [token.word]
    return words


def _is_doing(words: Sequence[str], at: int) -> bool:
    """Whether what one is doing stands there, which is to come where a day is named: "what am I doing on Saturday"."""
    word = words[at]
    before = words[max(0, at - _NEAR) : at]
    if word == "meeting" and before and before[-1] in _DOERS:
        return not _NOW.isdisjoint(before)
    if not word.endswith("ing") or len(word) <= _SHORT or word in _NOT_DONE:
        return False
    return bool(before) and before[-1] not in _DETERMINERS and not _NOW.isdisjoint(before)


def _looks_ahead(words: Sequence[str]) -> bool:
    if not _HABITUAL.isdisjoint(words):
        return False  # "when do I usually leave on Friday"
    arranged = not _ARRANGED.isdisjoint(words) and "have" in words
    counts_down = "how" in words and not _UNTIL.isdisjoint(words)  # "how many days are left until Christmas"
    told = _PAST - ({"got"} if arranged else set()) - ({"left"} if counts_down else set())
    if not told.isdisjoint(words):
        return False
    appointed = not _APPOINTED.isdisjoint(words)
    asks_when = does = found = False
    before = ""
    for place, word in enumerate(words):
        if word.endswith("ed") and len(word) > _SHORT and before not in _BE and word != "supposed":
            if word not in _ARRANGED or not (_is_had(words, place) or words[:place] == ["anything"]):
                return False  # "I visited Ana"
            found = True  # "what do I have planned"
        after = words[place + 1] if place + 1 < len(words) else ""
        found = found or (
            word in _AHEAD
            or word.endswith("'ll")
            or (before in _BEFORE_TO and word == "to" and after not in _LOOKING_BACK)
            or (before == "coming" and word == "up")
            or (word in _ADVISED and _is_advice(words[place + 1 : place + 1 + _NEAR]))
            or (before == "the" and word == "plan" and "is" in words)
            or _is_doing(words, place)
            or (word in _ARRANGED and before in _BE)
            or (word in _UNTIL and counts_down)
            or (asks_when and (word in _IT_STARTS or (does and word in _STARTS)))
            or (
                word == "have"
                and (appointed or _has_on(before, after))
                and not _DO.isdisjoint(words[max(0, place - _NEAR) : place])
            )
            or _is_so(words, place, after)
        )
        asks_when, does = asks_when or word in _WHEN, does or word in _DO
        before = word
    return found or tells_of_event(words)


def _is_so(words: Sequence[str], at: int, after: str) -> bool:
    """Whether something is so at a time: "is Ana free on", "is the demo still on the 2nd", "is Sofia there on", but
    not "what is there on"."""
    if words[at] == "still" and after == "on":
        return not _NOW.isdisjoint(words[:at])
    if _NOW.isdisjoint(words[max(0, at - _NEAR - 1) : at]):
        return False
    if words[at] == "there":
        return words[at - 1] not in _NOW or words[at - 2 : at - 1] == ["who"]
    return words[at] in _OPEN


def _is_had(words: Sequence[str], at: int) -> bool:
    """Whether what is arranged is what one has: "do we have anything planned"."""
    at -= 1 + (at > 0 and words[at - 1] in _THINGS)
    return at >= 0 and words[at] in _HAVE


def _is_advice(after: Sequence[str]) -> bool:
    """Whether "should", by the words behind it, is about what is to be done: not "should have", "should I remember"."""
    if "be" in after:  # "what should be done", but not "which one should be mine"
        be = list(after).index("be")
        if be + 1 == len(after) or not (after[be + 1] in _DONE or after[be + 1].endswith("ed")):
            return False
    return "have" not in after and _LOOKING_BACK.isdisjoint(after)


def _has_on(before: str, after: str) -> bool:
    """Whether the words on either side of "have" make it one's time."""
    return after in _HAD_ON or after in _OWN.get(before, ())


def is_planned_for(sentence: Sentence, at: int) -> bool:
    """Whether something was planned for what stands at a token: "which plans did I make for July". O(1)."""
    last = sentence.last
    if last is not None and last.stop == at - 1 and sentence.kind(at - 1) in ("and", "or", "comma"):
        return last.span.start > sentence.now  # "planned for July 21 and 23"
    if at < 1 or sentence.tokens[at - 1].word != "for":
        return False
    return any(token.word in _PLANNED for token in sentence.tokens[max(0, at - _AROUND) : at])


def read_nearer(sentence: Sentence, at: int, latest: Related) -> Related:
    """The next of what comes every year, where less time goes by until then than has since the latest."""
    later = read_next(sentence, at, latest)
    until, since = later.reading.span.start - sentence.now, sentence.now - latest.reading.span.end
    return later if until < since else latest


def read_next(sentence: Sentence, at: int, found: Related) -> Related:
    """The same expression, as the first of its kind that is not over."""
    reading = found.reading
    if reading.recurs is None or found.relation not in _BOUNDED:
        return found
    running = reading.span.end > sentence.now
    if running and (found.relation != "before" or reading.span.start > sentence.now):
        return found
    if sentence.kind(found.first - 1) == "from":
        return found  # "the plans from May"
    # On a Friday, what is due "before Friday" is so before the next.
    start = reading.span.end if running else unit_span(reading.unit, sentence.now).start
    later = read_related(sentence.as_of(moved(start, reading.recurs, 1) - _MOMENT), at)
    if later is None or later.reading.stop < reading.stop or later.reading.span.end <= sentence.now:
        return found
    return later._replace(reading=later.reading._replace(reason=reading.reason.replace("latest", "next")))
