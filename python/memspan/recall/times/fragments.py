"""Questions without a verb about an event on a day of the week: "Dentist on Tuesday?", "Dinner with Ana tomorrow?".

English drops "is there" and "do I have", but hardly ever "was there": the day is to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memspan.recall.words import word_set

from .lexicon import Token
from .present import EVENTS

__all__ = ["asks_of_event"]

_LONGEST: Final = 10
_LEADS: Final = word_set("and so ok okay hey also my our the a an any no next another")
_BESIDE: Final = word_set("with to at for in on this and")
"""What may stand behind the event, before its day or before who or what it is with."""
_VERBS: Final = word_set(
    "what when where who whom whose which how why is are was were am be been do does did done have has had can could "
    "will would should shall may might must tell show find list say said went go from about of last ever "
    "right great good fun"
)
_FIRST: Final = 3
"""Words from the beginning in which the event is: "my next dentist appointment"."""


def asks_of_event(tokens: Sequence[Token]) -> bool:
    """Whether the tokens of a sentence that ends in a question mark are such a question. O(words), at most ten."""
    if not 2 <= len(tokens) <= _LONGEST or not any(token.kind == "weekday" for token in tokens):
        return False
    if any(token.word in _VERBS for token in tokens):
        return False
    first = next((at for at, token in enumerate(tokens) if token.word not in _LEADS), 0)
    event = next((at for at in range(first, first + _FIRST) if _is_event(tokens, at)), None)
    if event is None:
        return False
    after = tokens[event + 1]
    return after.kind == "weekday" or after.word in _BESIDE


def _is_event(tokens: Sequence[Token], at: int) -> bool:
    """Whether it is the last word of an event: the "appointment" of "dentist appointment on Monday"."""
    if at + 1 >= len(tokens) or tokens[at].word not in EVENTS or tokens[at].possessive:
        return False
    return tokens[at + 1].word not in EVENTS
