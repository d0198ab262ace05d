"""Questions without a verb about an event on a day of the week: "Dentist on Tuesday?", "Dentiste mardi ?".

What is dropped is "is there" or "do I have", hardly ever "was there": the day is to come.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memspan.recall.words import word_set

from .lexicon import Token
from .present import EVENTS

__all__ = ["asks_of_event", "asks_of_event_abroad"]

_LONGEST: Final = 10
_LEADS: Final = word_set("and so ok okay hey also my our the a an any no next another")
_BESIDE: Final = word_set("with to at for in on this and")
"""What may stand behind the event, before its day or before who or what it is with."""
_VERBS: Final = word_set(
    "what when where who whom whose which how why is are was were am be been do does did done have has had can could "
    "will would should shall may might must tell show find list say said went go from about of last ever "
    "right great good fun"
)
_LONGEST_ABROAD: Final = 7
_SMALL: Final = frozenset(
    ["weekday", "on", "in", "the", "part", "a", "to", "number", "clock", "of", "from", "other"]
)
_ABROAD: Final = {
    "de": r"\w*(?:arzt|arzttermin|termin|party|feier|treffen|essen|konzert|kino|training|flug|prüfung|meeting|kurs)"
    "|sport|yoga|schule|besuch|date",
    "fr": "dentiste|médecin|docteur|rdv|rendez-vous|dîner|déjeuner|fête|concert|ciné|cinéma|réunion|examen|vol|école",
    "es": "dentista|médico|doctor|cita|cena|comida|fiesta|concierto|cine|reunión|examen|vuelo|clase|colegio|partido",
    "it": "dentista|medico|dottore|appuntamento|cena|pranzo|festa|concerto|cinema|riunione|esame|volo|lezione|partita",
    "pt": "dentista|médico|consulta|jantar|almoço|festa|show|cinema|reunião|prova|voo|aula|jogo",
    "nl": "tandarts|dokter|huisarts|afspraak|etentje|feest|feestje|concert|film|vergadering|examen|vlucht|les|training",
    "pl": "dentysta|lekarz|wizyta|kolacja|obiad|impreza|koncert|kino|spotkanie|egzamin|lot|lekcja|trening",
    "ru": "стоматолог|врач|приём|ужин|обед|вечеринка|концерт|кино|встреча|экзамен|рейс|урок|тренировка",
}
"""Events, by language."""
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


def asks_of_event_abroad(tokens: Sequence[Token], language: str) -> bool:
    """The same in other languages, where nothing but an event, its day and small words are said."""
    events = _ABROAD.get(language)
    if events is None or not 2 <= len(tokens) <= _LONGEST_ABROAD:
        return False
    if not any(token.kind == "weekday" for token in tokens):
        return False
    others = [token.word for token in tokens if token.kind not in _SMALL]
    return bool(others) and all(re.fullmatch(events, word) for word in others)


def _is_event(tokens: Sequence[Token], at: int) -> bool:
    """Whether it is the last word of an event: the "appointment" of "dentist appointment on Monday"."""
    if at + 1 >= len(tokens) or tokens[at].word not in EVENTS or tokens[at].possessive:
        return False
    return tokens[at + 1].word not in EVENTS
