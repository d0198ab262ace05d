"""Days that are told of in the present and come within weeks: "my deadline is April 15", asked in March."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from memspan.recall.words import word_set

from .ahead import read_next
from .lexicon import Token
from .nights import verbs_of
from .past import tells_of_past
from .ranges import Related
from .reading import Sentence

__all__ = ["read_soon"]

_SOON: Final = timedelta(days=45)
"""What is farther ahead may as well be the latest."""
_PRESENT: Final = word_set(
    "is isn't are aren't am i'm we're they're do don't does doesn't have haven't has hasn't need needs want wants "
    "can can't could should shouldn't must will won't would shall may hope know i've i'd"
)
_ABROAD: Final = {
    "de": word_set(
        "ist sind bin habe hab haben hast hat muss müssen soll sollen brauche brauchen will wollen kann"
    ),
    "fr": word_set("est sont ai j'ai a avons ont dois doit devons faut besoin peux veux veut"),
    "es": word_set("es son tengo tiene tenemos hay necesito necesita necesitamos debo quiero puedo"),
    "it": word_set("è sono ho ha abbiamo c'è devo dobbiamo voglio posso"),
    "pt": word_set("é são tenho tem temos há preciso precisa devo quero posso"),
    "nl": word_set("is zijn heb hebt heeft hebben moet moeten wil willen kan"),
    "pl": word_set("jest są mam ma mamy muszę musi musimy chcę mogę"),
    "ru": word_set("у есть нужно надо хочу могу"),
}
"""The same in other languages; "у меня экзамен" has no verb."""
_OF: Final = word_set("of from von vom du de del dal dei do da van z ze от с со")
_NUMBERS: Final = frozenset(["number", "decimal", "dotted"])
_WITH_IS: Final = word_set("it that what when where who there he she here this")
"""What an "is" may be written to."""
_MOST: Final = 40
"""Tokens on either side of a day that are looked at."""
_ENDS: Final = frozenset("?!;")


def read_soon(sentence: Sentence, at: int, latest: Related) -> Related:
    """The next such day or month, where it comes in weeks and the sentence is in the present; else the latest. O(1).

    Nothing says there that it is to come, but the latest one is nearly a year ago.
    """
    reading, language = latest.reading, sentence.lexicon.language
    if (
        reading.recurs not in ("year", "week")
        or reading.unit not in ("day", "month")
        or _is_of(sentence, latest.first)
    ):
        return latest
    due = sentence.kind(latest.first) == "by"
    if reading.recurs == "week" and not due:
        return latest
    following = read_next(sentence, at, latest)
    start = following.reading.span.start
    if not sentence.now < start <= sentence.now + _SOON:
        return latest
    around = list(_around(sentence, at))
    present = _is_present(around, due) if language == "en" else _is_present_abroad(sentence, around)
    return following if present else latest


def _is_of(sentence: Sentence, first: int) -> bool:
    """Whether something is of that day, and so has been: "the photos of June 20", but not "a deadline of June 20"."""
    if not first or sentence.tokens[first - 1].word not in _OF:
        return False
    return first < 2 or sentence.tokens[first - 2].word != "deadline"


def _around(sentence: Sentence, at: int) -> Iterator[Token]:
    """The tokens of the sentence that a token is in."""
    first = at
    while first and at - first < _MOST and not _is_end(sentence, first - 1):
        first -= 1
    for place in range(first, min(at + _MOST, len(sentence.tokens))):
        if _is_end(sentence, place):
            return
        yield sentence.tokens[place]


def _is_end(sentence: Sentence, at: int) -> bool:
    """Whether a sentence ends there; the dot of "am 15. Juli" makes a day."""
    if sentence.kind(at) == "dot":
        return sentence.lexicon.language == "en" or sentence.kind(at - 1) not in _NUMBERS
    return sentence.tokens[at].word in _ENDS


def _is_present(tokens: Sequence[Token], due: bool) -> bool:
    """Whether a verb is in the present, or something is due ("the report by Friday"), and no verb in the past."""
    if tells_of_past(token.word for token in tokens):
        return False
    return due or any(
        token.word in _PRESENT or (token.possessive and token.word in _WITH_IS) for token in tokens
    )


def _is_present_abroad(sentence: Sentence, tokens: Sequence[Token]) -> bool:
    """The same in other languages."""
    lexicon = sentence.lexicon
    if lexicon.told is None or _ABROAD.get(lexicon.language, frozenset()).isdisjoint(
        each.word for each in tokens
    ):
        return False
    return lexicon.told.search(" ".join(verbs_of(tokens))) is None
