"""Words that deny, in the languages whose times are read."""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

__all__ = ["denials_in"]

_WORD: Final = re.compile(r"\w+")
_ENGLISH: Final = frozenset(
    _WORD.findall("cannot hardly neither never no nobody none nor not nothing nowhere without")
)
_FOREIGN: Final = frozenset(
    _WORD.findall(
        """
        kein keine keinem keinen keiner keines nicht nichts nie niemals niemand ohne
        aucun aucune jamais n ne ni pas rien sans
        jamás nada nadie ningún ninguna ninguno nunca sin tampoco
        mai nessun nessuna nessuno niente non senza
        nem nenhum nenhuma ninguém não sem
        geen niemand niet niets nooit zonder
        bez nic nie nigdy nikt
        без не нельзя нет ни никогда никто ничего
        """
    )
)
_WITHIN: Final = re.compile("な[いくかけ]|ません|[不没沒未無无非]|않|없|못|안 ")
"""Where words have no spaces between them, or the denial is an ending."""


def denials_in(text: str, *, english: bool = True) -> frozenset[str]:
    """The words of a text that deny, whatever language it is in; without spaces between words, as in Chinese, the signs
    that do. O(characters).

    Args:
        english: whether English ones count.
    """
    text = normalize("NFC", text.casefold())
    words = frozenset(_WORD.findall(text))
    return (words & (_FOREIGN | _ENGLISH if english else _FOREIGN)) | frozenset(_WITHIN.findall(text))
