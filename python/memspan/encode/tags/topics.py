"""The tags of each turn: keyphrases and names, the most telling ones of a user."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from memspan import _core
from memspan.limits import MAX_TAG_BYTES

from .entities import JOINING, find_names_in
from .function_words import FunctionWords
from .keyphrases import find_keyphrases, weight_of
from .words import UNSPACED, WordReader, singular

__all__ = ["Topic", "find_topics"]

_NAME_FACTOR: Final = 1.3
_PER_ROOT: Final = 6
_MOST: Final = 2000
_LEAST_PREFIX: Final = 3
_PART: Final = 0.6
"""A topic is left out when a longer one holds so large a share of its turns."""
_READ: Final = 20_000
# No part of an address: scripts without spaces, whose sentences it may stand in, and their punctuation.
_OUTSIDE: Final = rf"\s\u3000-\u303f\uff00-\uffef{UNSPACED}"
# Code, links and addresses hold words that nobody says. What stands before an "@" has a bound (64, RFC 5321), without
# which a text that has no spaces would be gone through from each of its characters.
_UNSAID: Final = re.compile(
    rf"```.*?(?:```|\Z)|<[^<>\n]*>|\b(?:https?://|www\.)\S+|[^@{_OUTSIDE}]{{1,64}}@[^{_OUTSIDE}]+", re.DOTALL
)


class Topic(NamedTuple):
    """What becomes a tag."""

    tag: str
    """In the core's normal form."""
    words: tuple[str, ...]
    """Folded, in the singular; more than one for a phrase."""
    text: str
    turns: tuple[int, ...]
    """Positions of the turns that hold it, ascending."""
    weight: float
    name: bool
    """It is written with a capital."""


def find_topics(
    texts: Sequence[str], speakers: Sequence[str | None], sessions: Sequence[str | None]
) -> list[Topic]:
    """The topics of one user's turns, the weightiest first; at most six times the root of their number, and 2,000.

    A topic is in two turns at least, or a name. The speakers are none: who speaks is known. O(words).
    """
    reader = WordReader()
    read = [reader.read(_UNSAID.sub(" . ", text[:_READ])) for text in texts]
    numbers: dict[str | None, int] = {}
    held = [numbers.setdefault(session, len(numbers)) for session in sessions]
    barred = _speakers(speakers)
    topics: dict[tuple[str, ...], Topic] = {}
    functions = FunctionWords()
    languages = [functions.language_of(words) for words in read]
    named = [functions.taken_out(*each, JOINING) for each in zip(read, languages, strict=True)]
    for name in find_names_in(named, barred):
        key = (*name.words[:-1], singular(name.words[-1]))
        sessions_held = len({held[turn] for turn in name.turns})
        weight = weight_of(len(name.turns), len(read), sessions_held, len(numbers), len(key))
        _put(topics, key, name.text, name.turns, _NAME_FACTOR * weight, name=True)
    telling = [functions.taken_out(*each) for each in zip(read, languages, strict=True)]
    for phrase in find_keyphrases(telling, held, barred):
        known = topics.get(phrase.words)
        if known is None or len(known.turns) < len(phrase.turns):
            factor = 1.0 if known is None else _NAME_FACTOR
            _put(
                topics,
                phrase.words,
                phrase.text,
                phrase.turns,
                factor * phrase.weight,
                name=known is not None,
            )
    _join_spellings(topics)
    most = min(_MOST, math.ceil(_PER_ROOT * math.sqrt(len(read))))
    ordered = sorted(_without_parts(topics), key=lambda topic: (-topic.weight, topic.tag))
    return list({topic.tag: topic for topic in reversed(ordered[:most])}.values())[::-1]


def _join_spellings(topics: dict[tuple[str, ...], Topic]) -> None:
    """Make "book shelf" and "bookshelf" one, under the commoner spelling."""
    for words in [words for words in topics if len(words) == 2]:
        other = ("".join(words),)
        if other in topics:
            first, second = topics[words], topics[other]
            if len(first.turns) < len(second.turns):
                first, second = second, first
            turns = tuple(sorted({*first.turns, *second.turns}))
            del topics[words], topics[other]
            topics[first.words] = first._replace(turns=turns)


def _without_parts(topics: dict[tuple[str, ...], Topic]) -> list[Topic]:
    """Without what mostly comes as a part of one longer topic: "glass window" of "stained glass window"."""
    longest = dict.fromkeys(topics, 0)
    for words, topic in topics.items():
        size = len(words)
        for start in range(size):
            for end in range(start + 1, size + 1):
                part = words[start:end]
                if end - start < size and part in longest:
                    longest[part] = max(longest[part], len(topic.turns))
    return [topic for words, topic in topics.items() if longest[words] < _PART * len(topic.turns)]


def _put(
    topics: dict[tuple[str, ...], Topic],
    key: tuple[str, ...],
    text: str,
    turns: tuple[int, ...],
    weight: float,
    *,
    name: bool,
) -> None:
    tag = _core.normalize_tag(text)
    if tag and len(tag.encode()) <= MAX_TAG_BYTES:
        topics[key] = Topic(tag, key, text, turns, weight, name)


def _speakers(speakers: Sequence[str | None]) -> frozenset[str]:
    """The words of the speakers' names and what they may be shortened to."""
    words: set[str] = set()
    reader = WordReader()
    for speaker in dict.fromkeys(speakers):
        for word in reader.read(speaker or ""):
            words.update(word.folded[:size] for size in range(_LEAST_PREFIX, len(word.folded) + 1))
            words.add(word.folded)
    return frozenset(words)
