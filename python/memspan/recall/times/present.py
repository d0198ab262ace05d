"""Events told of in the present tense, which are to come where a time is named: "Is the dentist on Tuesday?"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memspan.recall.words import word_set

__all__ = ["EVENTS", "tells_of_event"]

_BE: Final = word_set("is are am")
_DO: Final = word_set("do does")
_HABITUAL: Final = word_set("always ever every sometimes")
EVENTS: Final = word_set(
    "trip trips flight flights train journey holiday vacation visit wedding funeral graduation ceremony party parties "
    "dinner lunch breakfast brunch bbq barbecue picnic date reunion sleepover dentist doctor appointment appointments "
    "checkup classes lessons games concerts surgery operation meeting meetings interview exam exams test class lesson "
    "school deadline presentation rehearsal practice recital concert gig show play festival event events game match "
    "race marathon tournament workshop conference hearing delivery launch premiere camp hike weather forecast dance "
    "performance reservation appt appts mtg work training shift tasks todos chores homework menu"
)
_IN: Final = word_set("on in at this for during before after by")
_DAYS: Final = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun"
)
_LINKS: Final = word_set("of about from that which who")
"""Behind these an event tells of something else: "the name of the game in May"."""
_NEAR: Final = 5
"""Words behind "is" among which the event is: "is my next dentist appointment"."""
_DOING: Final = word_set(
    "arrive leave depart return land fly travel drive start begin open close end finish come visit move meet play "
    "perform work go graduate marry compete rain snow bring wear pack"
)
_DONE_ONCE: Final = word_set(
    "arrives leaves departs lands starts begins opens closes finishes plays performs"
)
_BEGINS: Final = word_set("arrives departs starts begins")
_WHO: Final = word_set("who which what when where")
_SHORTEST: Final = 2
_SUBJECT: Final = 4
"""Words behind "does" among which its verb is: "does my little brother arrive"."""
_OF_MIND: Final = word_set(
    "like love enjoy want think know remember recall say tell mention believe mean prefer hate feel call"
)
_ORDERS: Final = word_set("book cancel reserve")
_ASKED: Final = word_set("can could may would remind") | _ORDERS
_PERSONS: Final = word_set("i you we they he she it everyone everybody")
_PLACES: Final = word_set("in at home off away out with back there")
_WHERE: Final = word_set("where who")
_NO_DEED: Final = word_set(
    "was is has does says knows likes loves thinks owns lives means wants remembers loses"
)
"""Behind "who", what is no deed of a day."""
_ANYTHING: Final = word_set("anything something nothing")


def tells_of_event(words: Sequence[str]) -> bool:
    """Whether the words of a sentence without a past tense tell so of what has its time, and not of a habit, of what
    somebody thinks or of what is always so."""
    if not _HABITUAL.isdisjoint(words):
        return False
    if len(words) > _SHORTEST and words[0] in _ASKED and _is_asked(words):
        return True
    if len(words) > _SHORTEST and _is_deed(words):
        return True
    for place, word in enumerate(words):
        if word in _BE:
            if (word != "am" or "i" in words[max(0, place - 1) : place + 2]) and _is_event(words, place):
                return True  # not "11 am: meeting at"
        elif word in _DO:
            if _does(words, place):
                return True
        elif word == "have":
            if place and words[place - 1] in ("i", "we") and _has_event(words, place):
                return True
        elif word in _DONE_ONCE and _is_done_once(words, place):
            return True
    return False


def _is_done_once(words: Sequence[str], at: int) -> bool:
    """As in "what time the concert starts", "Ana arrives on Friday"; not "the leaves on Friday"."""
    if words[at] in _BEGINS and at + 1 < len(words) and words[at + 1] in _IN:
        return True
    return not _WHO.isdisjoint(words[:at]) and _OF_MIND.isdisjoint(words[:at])


def _is_event(words: Sequence[str], at: int) -> bool:
    """As in "is the party on Saturday", "the party is on Saturday", "where am I in May", "what is on Friday"."""
    after = words[at + 1 : at + 2 + _NEAR]
    if at and words[at - 1] in EVENTS and after and (after[0] in _IN or after[0] in _DAYS):
        return True
    if _follows_event(words, at):
        return True
    before = words[at - 1] if at else ""
    first, second, third = (*after, "", "", "")[:3]
    if (first == "on" and before == "what" and at == 1) or (
        first == "there" and second in _ANYTHING and third == "on"
    ):
        return True
    if before == "where" and second == "on":
        return True
    return first in _PERSONS and second in _PLACES and (not before or before in _WHERE)


def _is_asked(words: Sequence[str]) -> bool:
    """As in "can we meet on Friday", "cancel my appointment on Monday", "remind me to call Ana on Friday"."""
    if words[0] == "remind":
        return words[1:3] == ["me", "to"]
    if words[0] in _ORDERS:
        return _follows_event(words, 0) or "for" in words[1:_NEAR]
    return words[1] in _PERSONS and words[1] != "you" and words[2] in _DOING


def _is_deed(words: Sequence[str]) -> bool:
    """As in "who brings pizza on the 18th", "what happens on Friday"."""
    first, second = words[:2]
    if first == "what":
        return second == "happens"
    return first == "who" and second.endswith("s") and "'" not in second and second not in _NO_DEED


def _does(words: Sequence[str], at: int) -> bool:
    """As in "does Anna arrive on Saturday", "which train do we go by"; not "does she like to play", "I do go"."""
    if at and words[at - 1] in _PERSONS:
        return False
    for word in words[at + 1 : at + 2 + _SUBJECT]:
        if word in _OF_MIND or word == "to":
            return False
        if word in _DOING:
            return True
        if word in ("have", "need"):
            return _follows_event(words, at) or (word == "need" and "need for" in " ".join(words))
    return False


def _has_event(words: Sequence[str], at: int) -> bool:
    """As in "on Monday I have an exam", but not "I have notes of the meeting on Monday"."""
    for word in words[at + 1 : at + 2 + _NEAR]:
        if word in EVENTS:
            return True
        if word in _LINKS or word in _IN:
            return False
    return False


def _follows_event(words: Sequence[str], at: int) -> bool:
    """Whether an event and its time stand behind: "is my dentist appointment on", "do we have school on"."""
    after = words[at + 1 : at + 2 + _NEAR]
    for place, word in enumerate(after[:-1]):
        if word in _LINKS:
            break
        if word in EVENTS and after[place + 1] in _IN:
            return True
    return False
