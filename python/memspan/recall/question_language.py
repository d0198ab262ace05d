"""In which languages the kind of a question is looked for."""

from __future__ import annotations

import re
from typing import Final

from .times.guess import guess_languages, has_han, has_hangul
from .times.languages import LANGUAGES

__all__ = ["languages_of"]

# Words that begin questions of one language and of no other: they tell more than all words after them, among which are
# names, and words such as "as" and "a", which are Portuguese, too.
_BEGINNINGS: Final = {
    "en": "what when where who whom whose which how why would could should does did has have are were can might "
    "tell remind name list put since please recommend suggest what's who's where's when's how's i'm i've i'd i'll "
    # As phones have them.
    "whats whos wheres whens hows im ive isnt arent wasnt werent dont doesnt didnt havent hasnt hadnt wont cant "
    "couldnt shouldnt wouldnt everyone everything everybody every any",
    "de": "wann wo wer wen wem wie warum wieso weshalb wieviel wieviele woher wohin womit wofür worüber wozu wovon "
    "welche welcher welches welchen welchem hat hast habe hatte bin sind mag kann "
    "kannst könntest soll sollte darf muss wird wurde würde gibt gab möchte kennt weiß wohnt isst nenne fass "
    "fasse erzähl erzähle",
    "fr": "quand qui quoi où pourquoi quel quelle quels quelles est-ce as-tu avez-vous combien dis-moi qu'est-ce "
    "peux-tu montre-moi recommande-moi conseille-moi résume résumez",
    "es": "qué quién cuándo dónde cómo cuál cuáles cuánto cuántos cuántas tiene dime puedes haz",
    "it": "chi cosa perché quale quali quanti quante dove dimmi puoi",
    "pt": "onde quem quais quantos quantas você tem pode resuma",
    "nl": "wat wanneer waar waarom hoe welke welk heeft hebben hoeveel heb noem kun vertel vat",
    "pl": "kiedy gdzie kto co jak dlaczego który która które którzy jaką jaki jaka jakie jacy czy ile powiedz podsumuj "
    "poleć doradź",
}
_LANGUAGE_OF: Final = {word: language for language, words in _BEGINNINGS.items() for word in words.split()}

_FIRST: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_KANA: Final = re.compile(r"[\u3040-\u30ff]")

# Words that other languages have as well, but not one behind the other.
_ENGLISH_PAIR: Final = re.compile(
    r"\W*(?:(?:and|but|so|or|then|also|ok|okay|well|hey|hi|hello)\b\W*)*"
    r"(?:do|am|is|was|had|will|shall|may|must) (?:i|we|you|he|she|it|they|my|our|your|his|her|their|the|this|that|"
    r"there|these|those)\b|"
    r"\W*i (?:am|wonder|want|need|would|could|should|think|know|like|love|have|had|forgot|did|don't|can|can't)\b"
)
# A subject follows the "was" that begins an English question; a verb follows the German word.
_GERMAN_WAS: Final = re.compile(
    r"\W*was (?:arbeitet|bedeutet|bekam|bekommt|braucht|denkt|gab|geschah|gibt|hat|hatte|hört|ist|isst|heißt|kann|"
    r"kauft|kaufte|kocht|könnte|kostet|lernt|liest|mag|macht|machte|malt|muss|passierte?|sagte?|schreibt|sieht|sind|"
    r"sollt?e?|spielt|studiert|sucht|trägt|trank|trinkt|tut|tat|war|waren|weiß|wird|wurde|würde|"
    r"will (?:ich|er|sie|es|man))\b"
)
_GERMAN_SECOND: Final = re.compile(
    r"\W*(?:ab|an|auf|aus|bei|durch|für|gegen|in|mit|nach|seit|über|um|unter|von|vor|zu) "
    r"(?:wann|we[mn]|welche[mnrs]?|wie ?viel\w*)\b"
)
"""Question words of German behind a preposition, which other languages have as well: "um wieviel Uhr"."""
_LETTERS: Final = {"pl": re.compile(r"[ąęłńśźż]"), "pt": re.compile(r"[ãõ]"), "de": re.compile(r"ß")}
"""Those of one language alone."""
_LATIN: Final = re.compile(r"[a-z]{2}")


def languages_of(text: str) -> list[str]:
    """The likeliest languages of a question in lower case; several only where they are equally likely."""
    if has_han(text):
        return [*(["ja"] if _KANA.search(text) else ["zh", "ja"]), *(["en"] if _LATIN.search(text) else [])]
    if has_hangul(text):
        return ["ko", *(["en"] if _LATIN.search(text) else [])]
    if "¿" in text:
        return ["es"]
    first = _FIRST.search(text)
    if first is not None:
        word = first.group()
        if word.endswith("n't"):
            return ["en"]
        if word.startswith("qu'"):
            return ["fr"]
        if word in _LANGUAGE_OF:
            return [_LANGUAGE_OF[word]]
        if _ENGLISH_PAIR.match(text):
            return ["en"]
        if _GERMAN_SECOND.match(text):
            return ["de"]
    guessed = guess_languages(text, LANGUAGES)
    if "de" in guessed and _GERMAN_WAS.match(text):
        return ["de"]
    if text.isascii():
        return guessed
    # A name may bring such a letter into any language, so that it adds one and takes none away.
    written = [language for language, letters in _LETTERS.items() if letters.search(text)]
    return list(dict.fromkeys((*guessed, *written)))
