"""Names in a user's texts: words that are written with a capital where a sentence does not start."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from memspan.recall.vocabulary import COMMON
from memspan.recall.words import word_set

from .wordlists import CALENDAR, EMPTY_NOUNS, EMPTY_WORDS
from .words import Word, singular

__all__ = ["JOINING", "Name", "find_names_in"]

_LONGEST: Final = 5
JOINING: Final = word_set("of the de du del la le von van der den di da dos das")
_MOST_JOINING: Final = 2
_CAPITAL: Final = 0.8
"""A word is a name when so large a share of its places, the starts of sentences left out, have the capital."""
_NO_NAMES: Final = COMMON | CALENDAR | EMPTY_NOUNS | EMPTY_WORDS
_SHOUTED: Final = 3
"""So many words in capitals one after the other are loud, and no names."""


class Name(NamedTuple):
    """A name, and where it comes."""

    words: tuple[str, ...]
    """Folded."""
    text: str
    turns: tuple[int, ...]
    """Positions of the turns that hold it, ascending."""


def find_names_in(texts: Sequence[Sequence[Word]], barred: frozenset[str]) -> list[Name]:
    """The names of one to five words, in the order of their texts. O(words).

    Args:
        texts: the words of each turn.
        barred: folded words that no name may hold, such as the speakers'.
    """
    names = _name_words(texts) - barred
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    spellings: dict[tuple[str, ...], str] = {}
    for turn, words in enumerate(texts):
        for run in _runs(words, names):
            key = tuple(_bare(word.folded) for word in run)
            spellings.setdefault(key, " ".join(_bare(word.text) for word in run))
            if not found[key] or found[key][-1] != turn:
                found[key].append(turn)
    ordered = sorted(found.items(), key=lambda item: spellings[item[0]])
    return [Name(key, spellings[key], tuple(turns)) for key, turns in ordered]


def _bare(text: str) -> str:
    return text[:-2] if text.endswith(("'s", "’s")) else text


def _name_words(texts: Sequence[Sequence[Word]]) -> set[str]:
    capital: Counter[str] = Counter()
    all_: Counter[str] = Counter()
    for words in texts:
        shouted = _shouted(words)
        for i, word in enumerate(words):
            if word.starts or i in shouted:
                continue
            bare = _bare(word.folded)
            all_[bare] += 1
            if word.text[0].isupper():
                capital[bare] += 1
    return {
        word
        for word, count in capital.items()
        if count >= _CAPITAL * all_[word]
        and len(word) > 1
        and "'" not in word
        and not word.isdecimal()
        and not {word, singular(word)} & _NO_NAMES
    }


def _shouted(words: Sequence[Word]) -> set[int]:
    """Positions inside runs of words that are all in capitals."""
    places: set[int] = set()
    run: list[int] = []
    for i, word in enumerate([*words, None]):
        if word is not None and word.text.isupper():
            run.append(i)
        else:
            if len(run) >= _SHOUTED:
                places.update(run)
            run = []
    return places


def _runs(words: Sequence[Word], names: set[str]) -> Iterator[list[Word]]:
    """Names one after the other, with what joins them: "Lord of the Rings"."""
    run: list[Word] = []
    between: list[Word] = []
    for i, word in enumerate(words):
        if word.text[0].isupper() and _bare(word.folded) in names:
            if run and (not word.joined or len(run) + len(between) >= _LONGEST):
                yield run
                run, between = [], []
            if not run and word.joined and _may_begin(words[i - 1]):
                run.append(words[i - 1])  # "New York", though "new" alone is no name
            run += [*between, word]
            between = []
        elif run and word.joined and word.text in JOINING and len(between) < _MOST_JOINING:
            between.append(word)
        elif run:
            yield run
            run, between = [], []
    if run:
        yield run


def _may_begin(word: Word) -> bool:
    return word.text[0].isupper() and len(word.text) > 1 and not word.starts
