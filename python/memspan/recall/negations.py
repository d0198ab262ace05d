"""Words that turn a sentence round, in the languages whose questions are read."""

from __future__ import annotations

from typing import Final

from .words import word_set

__all__ = ["NEGATIONS"]

NEGATIONS: Final = word_set(
    "no not never none nobody nothing nowhere neither nor without cannot cant dont doesnt didnt isnt arent wasnt "
    "werent wont wouldnt shouldnt couldnt hasnt havent hadnt aint hardly barely nope nah except unless "
    "nicht kein keine keinen keinem keiner nie niemals nichts niemand ohne "  # German
    "ne pas jamais rien aucun aucune personne sans ni non "  # French
    "nunca nada nadie ningun ninguna ninguno sin tampoco jamas "  # Spanish
    "niente mai nessuno nessuna senza "  # Italian
    "nao nenhum nenhuma ninguem sem "  # Portuguese
    "niet geen nooit niets niemand zonder "  # Dutch
    "nie nigdy nic nikt bez zaden "  # Polish
    "не нет ни никогда ничего никто без"  # Russian
)
"""Folded (`memspan.recall.vocabulary.fold`), English ones without their apostrophe."""
