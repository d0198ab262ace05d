"""Words that turn a sentence round, in the languages whose questions are read and in more in which people write."""

from __future__ import annotations

import re
from typing import Final

from .marks import normalized
from .vocabulary import fold
from .words import word_set

__all__ = ["NEGATIONS", "negations_in"]

_WORD: Final = re.compile(r"\w+")
_ENGLISH: Final = word_set(
    "no not never none nobody nothing nowhere neither nor without cannot cant dont doesnt didnt isnt arent wasnt "
    "werent wont wouldnt shouldnt couldnt hasnt havent hadnt aint hardly barely nope nah except unless"
)
_FOREIGN: Final = word_set(
    "nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne "  # German
    "ne pas jamais rien aucun aucune personne sans ni non "  # French
    "nunca nada nadie ningun ninguna ninguno sin tampoco jamas "  # Spanish
    "niente mai nessun nessuno nessuna senza "  # Italian
    "nao nem nenhum nenhuma ninguem sem "  # Portuguese
    "niet geen nooit niets niemand zonder "  # Dutch
    "nie nigdy nic nikt bez zaden "  # Polish
    "не нет ни нельзя никогда ничего никто без "  # Russian
    # Words that say something else in one of the languages above are left out, such as Romanian "nu".
    "inte ej aldrig ingen inget utan ikke ikkje aldri ingenting intet uden uten "  # Swedish, Danish, Norwegian
    "degil yok hayır asla hicbir δεν δε μην οχι ποτε κανεις τιποτα χωρις "  # Turkish, Greek
    "לא אין בלי لا لم لن ليس ليست لست بدون نيست نہیں "  # Hebrew, Arabic, Persian, Urdu
    "нема немає ніхто няма nije nisam nisu nema neni niciodata nimic fara "  # Ukrainian to Romanian
    "soha nincs nelkul tidak bukan jangan tanpa không chưa 안 못"  # Hungarian, Indonesian, Vietnamese, Korean
)
_FOLDED: Final = frozenset(map(fold, _FOREIGN))
NEGATIONS: Final = _ENGLISH | _FOLDED
"""Folded (`memspan.recall.vocabulary.fold`), English ones without their apostrophe."""
_WITHIN: Final = re.compile("な[いくかけ]|ません|[不没沒未無无非]|않|없|못|안 |ไม่|อย่า|नहीं|बिना")
"""Where words have no spaces between them, or the negation is an ending."""


def negations_in(text: str, *, english: bool = True) -> frozenset[str]:
    """The negations of a text, whatever language it is in; without spaces between words, as in Chinese, the signs that
    negate. O(characters).

    Args:
        english: whether English ones count.
    """
    words = frozenset(_WORD.findall(fold(text)))
    return (words & (NEGATIONS if english else _FOLDED)) | frozenset(_WITHIN.findall(normalized("NFC", text)))
