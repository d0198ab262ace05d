"""How common words are in what a user has said so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from memspan import _core
from memspan.arguments import as_text, as_texts
from memspan.index import Index

__all__ = ["Corpus", "Frequencies", "frequencies_in", "index_frequencies"]


class Frequencies(NamedTuple):
    """Document frequencies of words."""

    documents: int
    """Texts that have words at all."""
    words: Sequence[int]
    """In how many of those each word is; of a word that is several tokens, such as one with a hyphen, the rarest
    token, and of one that the analyzer drops, all."""


@runtime_checkable
class Corpus(Protocol):
    """`Tools` that know the user's records; stages that look for it do without when a job's tools have none."""

    async def frequencies(self, words: Sequence[str]) -> Frequencies:
        """Of words among all of the user's records."""


def index_frequencies(index: Index, user: str, words: Sequence[str]) -> Frequencies:
    """Of words among a user's records, by the index's own analyzer; nothing for an unknown user. O(words)."""
    return Frequencies(*index._native.frequencies(as_text(user, "user"), as_texts(words, "words")))


def frequencies_in(texts: Iterable[str], words: Sequence[str]) -> Frequencies:
    """Of words among a few texts, by the `english` analyzer. O(texts)."""
    held: Counter[str] = Counter()
    documents = 0
    for text in texts:
        tokens = set(_core.analyze(text, "english"))
        documents += bool(tokens)
        held.update(tokens)
    tokens_of = (_core.analyze(word, "english") for word in words)
    return Frequencies(
        documents, [min((held[token] for token in tokens), default=documents) for tokens in tokens_of]
    )
