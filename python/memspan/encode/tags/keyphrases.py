"""Keyphrases of a user's texts: noun-like runs of one to three words that come back, and not everywhere."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memspan import _core

from .grammar import Grammar
from .wordlists import CALENDAR, COLOURS, EMPTY_NOUNS, EMPTY_WORDS
from .words import Word, is_unspaced

__all__ = ["Phrase", "find_keyphrases", "weight_of"]

_LONGEST: Final = 3
_LONGEST_UNSPACED: Final = 4
_MOST_SPREAD: Final = 0.2
"""A word in a larger share of the turns is about nothing, from `_MANY` turns on."""
_MANY: Final = 50
_COHESION: Final = 0.15
"""What share of its rarest word's turns a phrase has to hold."""
_COHESION_UNSPACED: Final = 0.5
_FREQUENCY: Final = 0.7
_BURST: Final = 0.7
_LENGTH: Final = 0.3


class Phrase(NamedTuple):
    """A phrase, and where it comes."""

    words: tuple[str, ...]
    """Keys: singular, folded."""
    text: str
    """The commonest spelling."""
    turns: tuple[int, ...]
    """Positions of the turns that hold it, ascending."""
    weight: float
    """How much it says: frequent, but in few sessions."""


def find_keyphrases(
    texts: Sequence[Sequence[Word]], sessions: Sequence[int], barred: frozenset[str]
) -> list[Phrase]:
    """The phrases of at least two turns, the weightiest first. O(words).

    Args:
        texts: the words of each turn.
        sessions: the number of each turn's session.
        barred: folded words that no phrase may hold, such as the speakers' names.
    """
    grammar = Grammar(texts)
    content: dict[str, bool] = {}
    runs = [list(_runs(words, barred, content)) for words in texts]
    common = _common_words(runs)
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for turn, key, _ in _parts_of(runs, common):
        turns = found[key]
        if not turns or turns[-1] != turn:
            turns.append(turn)
    count = len(texts)
    most = count * _MOST_SPREAD if count >= _MANY else count
    chosen = {
        key
        for key, turns in found.items()
        if 2 <= len(turns) <= most and grammar.is_noun(key[-1]) and _coheres(key, found)
    }
    spellings: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for _, key, part in _parts_of(runs, common):
        if key in chosen:
            spellings[key][_spelled(part)] += 1
    total = len(set(sessions))
    phrases = []
    for key in chosen:
        turns = found[key]
        held = len({sessions[turn] for turn in turns})
        weight = weight_of(len(turns), count, held, total, 1 if _is_unspaced(key) else len(key))
        phrases.append(Phrase(key, _commonest(spellings[key]), tuple(turns), weight))
    phrases.sort(key=lambda phrase: (-phrase.weight, phrase.text))
    return phrases


def weight_of(frequency: int, turns: int, held: int, sessions: int, words: int) -> float:
    """What a topic says that is in `frequency` of the turns and `held` of the sessions: frequency x rarity x how far
    the sessions that hold it are fewer than chance would have it x length."""
    expected = sessions * (1 - (1 - 1 / sessions) ** frequency)
    burst = math.pow(expected / held, _BURST)
    return (
        math.pow(frequency, _FREQUENCY)
        * math.log(turns / frequency + 1)
        * burst
        * (1 + _LENGTH * (words - 1))
    )


def _common_words(runs: Sequence[Sequence[Sequence[Word]]]) -> set[str]:
    """The keys of words that two turns hold: no other word can be part of a phrase."""
    last: dict[str, int] = {}
    common: set[str] = set()
    for turn, of_turn in enumerate(runs):
        for run in of_turn:
            for word in run:
                if last.setdefault(word.key, turn) != turn:
                    common.add(word.key)
    return common


def _parts_of(
    runs: Sequence[Sequence[Sequence[Word]]], common: set[str]
) -> Iterator[tuple[int, tuple[str, ...], Sequence[Word]]]:
    """Every part of a run that may be a phrase: the turn, the key and the words."""
    # Most runs are of one word: by it, the key that it makes, if it may be a phrase.
    alone: dict[str, tuple[str, ...]] = {}
    for turn, of_turn in enumerate(runs):
        for run in of_turn:
            if len(run) == 1:
                (word,) = run
                key = alone.get(word.folded)
                if key is None:
                    fits = word.key in common and any(_spans(run))
                    key = alone[word.folded] = (word.key,) if fits else ()
                if key:
                    yield turn, key, run
                continue
            keys = [word.key for word in run]
            for start, end in _spans(run):
                if common.issuperset(keys[start:end]):
                    yield turn, tuple(keys[start:end]), run[start:end]


def _runs(words: Sequence[Word], barred: frozenset[str], content: dict[str, bool]) -> Iterator[list[Word]]:
    """The words between function words and marks; `content` keeps which words are none."""
    run: list[Word] = []
    for word in words:
        if run and not word.joined:
            yield run
            run = []
        belongs = content.get(word.folded)
        if belongs is None:
            belongs = content[word.folded] = _is_content(word, barred)
        if belongs:
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _is_content(word: Word, barred: frozenset[str]) -> bool:
    if word.unspaced:
        return True
    folded = word.folded
    bare = folded.removesuffix("'s")
    return (
        len(bare) > 2
        and "'" not in bare
        and not bare.isdecimal()
        and bare not in EMPTY_WORDS
        and bare not in CALENDAR
        and bare not in barred
        and bool(_core.analyze(bare, "english"))
    )


def _spans(run: Sequence[Word]) -> Iterator[tuple[int, int]]:
    for start, first in enumerate(run):
        longest = _LONGEST_UNSPACED if first.unspaced else _LONGEST
        if not first.unspaced and _is_empty(first):
            continue
        for end in range(start + 1, min(start + longest, len(run)) + 1):
            last = run[end - 1]
            if last.unspaced != first.unspaced:
                break
            if end - start >= 2 if last.unspaced else not (_is_empty(last) or last.folded in COLOURS):
                yield start, end


def _spelled(part: Sequence[Word]) -> str:
    return ("" if part[0].unspaced else " ").join(word.folded for word in part).removesuffix("'s")


def _is_unspaced(key: tuple[str, ...]) -> bool:
    return len(key) > 1 and all(map(is_unspaced, key))


def _is_empty(word: Word) -> bool:
    return word.folded in EMPTY_NOUNS or word.key in EMPTY_NOUNS


def _commonest(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda text: (-spellings[text], text))


def _coheres(key: tuple[str, ...], found: dict[tuple[str, ...], list[int]]) -> bool:
    if _is_unspaced(key):
        parts = [key[:-1], key[1:]] if len(key) > 2 else []
        least = _COHESION_UNSPACED
    else:
        parts = [(word,) for word in key] if len(key) > 1 else []
        least = _COHESION
    counts = [len(found[part]) for part in parts if part in found]
    return not counts or len(found[key]) >= least * min(counts)
