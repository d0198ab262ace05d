"""Which "this weekend" or "this winter" is meant before it has begun: the last one, where what was done is asked."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

from .nights import verbs_of
from .reading import Sentence

__all__ = ["has_just_been"]

_AROUND: Final = 12
"""Tokens on either side that are looked at."""
_PAST: Final = re.compile(
    r"\b(?:did|didn't|was|wasn't|were|weren't|had|went|came|met|saw|made|ate|got|bought|visited|stayed|happened"
    r"|ha(?:ve|s|ven't|sn't) \w* (?:\w+ed|been|done|gone|seen|eaten))\b"
)
# What is said, planned and wished in the past is often to come: "what did Tom say about this weekend?".
_INTENDED: Final = {
    language: re.compile(rf"\b(?:{stems})")
    for language, stems in {
        "en": "say|said|tell|told|mention|plan|decid|agree|promis|invit|suggest|propos|want|suppos|going|book|schedul"
        "|arrang|organi|hop(?:e|ing)|ask|inten|talk|discuss|think|thought|free|busy|available|will|would|need|forecast"
        "|due|expect|coming|wonder",
        "de": "gesagt|sagte|gesprochen|besprochen|erzähl|erwähn|vereinbart|ausgemacht|abgemacht|beschlossen|vorgenommen"
        "|eingeladen|verabredet|versprochen|vorgeschlagen|gefragt|gebucht|geplant|vor(?:haben|gehabt)|woll|soll",
        "fr": "dit|parl|prév|décid|propos|promis|convenu|invité|mentionn|demand|réserv|organis|planifi|voul",
        "es": "dij|dicho|habl|plane|decid|promet|invit|propus|quedamos|acord|reserv|organiz|pensab|quer",
        "it": "dett|parlat|decis|previst|programm|promess|invitat|propost|prenotat|organizz|vol",
        "pt": "diss|fal|planej|planea|decid|promet|convid|propôs|propus|combin|reserv|organiz|quer",
        "nl": "gezegd|zei|afgesproken|gepland|besloten|beloofd|uitgenodigd|voorgesteld|verteld|vertelde|gevraagd|wilde",
        "pl": "powiedz|mówi|planow|zaplanow|obieca|zapros|umówi|postanowi|zarezerw|chcia",
        "ru": "сказа|говор|реши|планир|запланир|обеща|приглас|предлож|договор|заброн|хоте",
    }.items()
}
_BEFORE: Final = {
    "en": word_set("for about of by until till before from regarding"),
    "de": word_set("über für bis vor"),
    "fr": word_set("pour sur avant d'ici"),
    "es": word_set("para sobre hasta antes"),
    "it": word_set("per su entro"),
    "pt": word_set("para sobre até"),
    "nl": word_set("voor over tot"),
    "pl": word_set("na o do przed"),
    "ru": word_set("на про о до"),
}


def has_just_been(sentence: Sentence, at: int) -> bool:
    """Whether words around the "this" at a token tell of what was done, and none of what is said about it or planned
    for it. O(1)."""
    tokens = sentence.tokens
    led = at - 1 - (sentence.kind(at - 1) == "the")
    lexicon = sentence.lexicon
    if led >= 0 and tokens[led].word in _BEFORE[lexicon.language]:
        return False
    words = " ".join(verbs_of(tokens[max(0, at - _AROUND) : at + _AROUND]))
    past = _PAST if lexicon.language == "en" else lexicon.told
    if past is None or past.search(words) is None:
        return False
    return _INTENDED[lexicon.language].search(words) is None
