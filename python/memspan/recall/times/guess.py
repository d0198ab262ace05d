"""Which language a text seems to be in: by its script, and by its commonest words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from .languages import lexicon_of
from .lexicon import TELLING

__all__ = ["guess_languages", "has_han", "has_hangul"]

# Words that nearly every question of a language has one of; words shared by many languages are no use. Words of time
# are among them, for texts of two words.
_WORDS: Final = {
    "en": "the what when where who how why which did does do is are was were have has my me you your and of "
    "to in for with about that i we tell ago yesterday today tomorrow last this next week weekend month "
    "year day days weeks months years before after since until from by on at or end summer winter "
    "spring fall night other christmas",
    "de": "hier der die das den dem ein eine einen was wann wo wer wie warum welche welchen habe hast hat "
    "haben ist sind war waren ich du er wir ihr mein meine mir mich und von mit nicht für über am im "
    "vom zum gestern heute vorgestern seit letzte letzten letzter letztes nächste nächsten vor woche "
    "monat jahr wochenende zwischen guten morgen",
    "fr": "le la les des du de un une que quoi quand où qui comment pourquoi quel quelle ai as a est sont "
    "était suis je tu il elle nous vous mon ma mes et avec pour dans sur pas hier aujourd'hui demain "
    "depuis dernier dernière semaine mois année jusqu'à avant après prochain prochaine c'est j'ai ce "
    "cette fait au en entre week-end weekend",
    "es": "de el la los las del un una qué que cuándo cuando dónde quién cómo por cuál he ha hemos es son era "
    "fue estaba yo mi mis tu y con para en sobre no ayer hoy mañana desde hace hasta pasado pasada "
    "semana mes año antes después próximo próxima anteayer hice anoche entre verano invierno",
    "it": "il lo la gli i le di del della un una che cosa quando dove chi come perché quale ho ha hanno è "
    "sono era io mio mia e con per in su non ieri oggi domani fa scorso scorsa settimana mese anno "
    "prima dopo dal fino prossimo prossima l'altro nel abbiamo tra estate inverno da",
    "pt": "o a os as do da dos das um uma que quando onde quem como por qual eu meu minha e com para em no na "
    "sobre não ontem hoje amanhã há desde até passado passada semana mês ano antes depois próximo "
    "próxima é são foi fiz anteontem entre verão inverno",
    "nl": "de het een wat wanneer waar wie hoe waarom welke heb heeft hebben is zijn was waren ik jij je hij "
    "we mijn en van met voor in op niet over gisteren vandaag eergisteren morgen geleden vorige "
    "volgende week maand jaar sinds tot afgelopen deze tussen goede",
    "pl": "co kiedy gdzie kto jak dlaczego który która jest są był była było ja mój moja i z w na do nie o "
    "się wczoraj dziś dzisiaj jutro temu zeszłym zeszłego zeszły zeszłą tydzień tygodniu tygodnie "
    "miesiącu rok roku przed po od robiłem przedwczoraj między ubiegłym",
    "ru": "что когда где кто как почему какой какая я ты он мы мой моя и в на с не о вчера сегодня завтра "
    "назад прошлой прошлом",
}
_VOTES: Final[dict[str, tuple[str, ...]]] = {}
for _language, _words in _WORDS.items():
    for _word in dict.fromkeys(_words.split()):
        _VOTES[_word] = (*_VOTES.get(_word, ()), _language)

_LOOKED_AT: Final = 200
# The "W" of "2023-W19" and "w/c" is no word.
_WORD: Final = re.compile(r"week-end|(?![wW][\d/])[^\W\d_]+(?:['’][^\W\d_]+)*")
_CYRILLIC: Final = re.compile(r"[\u0400-\u04ff]")
_HANGUL: Final = re.compile(r"[\uac00-\ud7a3]")
_HAN: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def has_han(text: str) -> bool:
    """Whether a text has Chinese characters or kana."""
    return not text.isascii() and _HAN.search(text) is not None


def has_hangul(text: str) -> bool:
    """Whether a text has Korean letters."""
    return not text.isascii() and _HANGUL.search(text) is not None


def guess_languages(text: str, languages: Sequence[str]) -> list[str]:
    """The likeliest of the languages that go by words; several only where they are equally likely.

    Only where the commonest words do not tell are the tables of all languages read, and their words of time counted
    too. A text in none of them gives English, if that is wanted: dates in numbers are still found.
    """
    spoken = [language for language in languages if language in _WORDS]
    if len(spoken) <= 1:
        return spoken
    if not text.isascii() and "ru" in spoken and _CYRILLIC.search(text):
        return ["ru"]
    words = [match.group().lower().replace("’", "'") for match in islice(_WORD.finditer(text), _LOOKED_AT)]
    scores = dict.fromkeys(spoken, 0)
    for word in words:
        for language in _VOTES.get(word, ()):
            if language in scores:
                scores[language] += 1
    second, best = sorted(scores.values())[-2:]
    if best < second + (1 if scores.get("en") == best else 2):
        # Of what is joined by an apostrophe ("quest'estate") the halves count, too.
        words += [half for word in words if "'" in word for half in word.split("'")]
        for language in spoken:
            known = lexicon_of(language).words
            # A name of a month tells more than "de" or "a", and "fast" or "gut" nothing.
            kinds = (known[word][0] for word in words if word in known and known[word][0] != "about")
            scores[language] += sum(2 if kind in TELLING else 1 for kind in kinds)
        best = max(scores.values())
    if best == 0:
        return ["en"] if "en" in scores else spoken[:1]
    return [language for language, score in scores.items() if score == best]
