"""Days that are told by an event of which no day is known here: "the first Monday after my birthday", "am Wochenende
nach der Hochzeit", "in the summer after I graduated"."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

from .reading import Sentence

__all__ = ["is_told_by_event"]

_OVER: Final = frozenset(["", "comma", "dot", "other"])
_SUBJECTS: Final = word_set("i we you he she they")
_NEAR: Final = 4
"""Tokens behind "after" among which the event is: "de mi cumpleaños", "moich trzydziestych urodzinach"."""
# What makes a day of another one. Most of all else lies within the day itself: "am Montag nach der Arbeit".
_EVENTS: Final = {
    "de": "geburtstag|hochzeit|urlaub|umzug|^geburt$|beerdigung|^reise|abitur|jubil(?:ä|ae)um|operation|trennung"
    "|scheidung|taufe|verlobung|einschulung",
    "fr": "^anniversaire|^mariage|^vacances|^voyage|^d[eé]m[eé]nag|^naissance|^enterrement|^op[eé]ration|^baptême"
    "|^divorce",
    "es": "^cumple|^bodas?$|^vacaciones|^viaje|^mudanza|^nacimiento|^funeral|^entierro|^aniversario|^operaci"
    "|^graduaci|^bautizo|^divorcio",
    "it": "^compleanno|^matrimonio|^nozze|^vacanz|^viaggio|^trasloco|^nascita|^funerale|^anniversario|^operazione"
    "|^laurea|^battesimo",
    "pt": "^anivers[aá]rio|^casamento|^f[eé]rias|^viagem|^mudan[cç]a|^nascimento|^funeral|^enterro|^opera[cç]"
    "|^formatura|^batizado",
    "nl": "verjaardag|bruiloft|trouwerij|^huwelijk|vakantie|^reis$|verhuizing|^geboorte|begrafenis|operatie"
    "|jubileum",
    "pl": "^urodzin|^[sś]lub|^wesel|^wakacj|^urlop|^podr[oó][zż]|^przeprowadz|^narodzin|^pogrzeb|^rocznic|^operacj",
    "ru": "^рожден|^свадьб|^отпуск|^переезд|^похорон|^юбиле|^операци|^поездк",
}


def is_told_by_event(sentence: Sentence, at: int, stop: int) -> bool:
    """Whether what stands from `at` to `stop`, with no time beside it, is counted from such an event. O(1)."""
    if sentence.kind(stop) not in ("before", "after"):
        # "The Sunday we went to Rome", but "over the weekend we moved".
        day = sentence.lexicon.language == "en" and sentence.kind(at) == "weekday"
        return (
            day
            and sentence.kind(at - 1) == "the"
            and stop < len(sentence.tokens)
            and sentence.tokens[stop].word in _SUBJECTS
        )
    events = _EVENTS.get(sentence.lexicon.language)
    if events is None:  # in English an article says it
        return sentence.kind(at - 1) in ("the", "number") and sentence.kind(stop + 1) not in _OVER
    for token in sentence.tokens[stop + 1 : stop + 1 + _NEAR]:
        if token.kind in _OVER:
            return False
        if re.search(events, token.word):
            return True
    return False
