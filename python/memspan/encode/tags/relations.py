"""Which topic is broader than which: by their words, by what comes together, by how alike they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .topics import Topic

__all__ = ["MOST_DEPTH", "Edge", "relate_topics", "similarities"]

MOST_DEPTH: Final = 4
"""Edges from a root to its farthest descendant, at most."""
_MOST_PARENTS: Final = 2

# Sanderson and Croft (1999): a term subsumes another one that rarely comes without it. Turns are short, so that
# "with" means in the same turn or beside it, and chance is larger: hence the support and the limit on common parents.
_SUBSUMES: Final = 0.8
_LEAST_SUPPORT: Final = 3
_MOST_COMMON: Final = 0.3
_NOT_UNLIKE: Final = 0.2

_ALIKE: Final = 0.34
_BROADER: Final = 1.8
"""How many times as frequent a topic is that is broader than one that is like it."""
_PIECE: Final = 4096
_OWN: Final = 0.5
_OWN_OF_NAMES: Final = 0.3
"""What the embedder makes of a name is mostly what others bear it."""


class Edge(NamedTuple):
    """One topic below another one."""

    parent: str
    child: str
    reason: str
    """`words`, `together` or `alike`."""


def similarities(
    topics: Sequence[Topic], phrases: NDArray[np.float32], turns: NDArray[np.float32]
) -> NDArray[np.float32]:
    """How alike topics are, shape (topics, topics), -1 to 1: the mean of what the embedder says of the phrases alone
    and of the turns that hold them, each without what all have in common.

    Args:
        topics: n topics.
        phrases: shape (n, dim), the embeddings of their texts.
        turns: shape (turns, dim), the embeddings of all turns.
    """
    own = _unit(phrases - phrases.mean(0))
    held = _unit(np.stack([turns[list(topic.turns)].mean(0) for topic in topics]) - turns.mean(0))
    share = np.sqrt([_OWN_OF_NAMES if topic.name else _OWN for topic in topics], dtype=np.float32)[:, None]
    rest = np.sqrt(1 - share**2)
    return np.asarray((own * share) @ (own * share).T + (held * rest) @ (held * rest).T, np.float32)


def relate_topics(
    topics: Sequence[Topic], sessions: Sequence[str | None], alike: NDArray[np.float32]
) -> list[Edge]:
    """Edges from broader to narrower topics: acyclic, at most `MOST_DEPTH` deep, two parents each at most.

    Topics are taken from the most frequent to the rarest, and each only goes below earlier ones: that no cycle comes
    about is a matter of construction. O(topics^2 turns).

    Args:
        topics: n topics.
        sessions: the session of each turn.
        alike: shape (n, n); see `similarities`.
    """
    order = sorted(
        range(len(topics)), key=lambda i: (-len(topics[i].turns), len(topics[i].words), topics[i].tag)
    )
    evidence = _Evidence(topics, sessions, alike)
    depth = np.zeros(len(topics), np.intp)
    above: dict[int, set[int]] = {}
    edges: list[Edge] = []
    in_order = np.array(order, np.intp)
    for place, child in enumerate(order):
        above[child] = set()
        earlier = in_order[:place][depth[in_order[:place]] < MOST_DEPTH]
        found = evidence.parents(child, earlier)
        for parent, reason in found:
            if any(parent in above[other] for other, _ in found):
                continue  # it is above the child by way of the other one
            edges.append(Edge(topics[parent].tag, topics[child].tag, reason))
            depth[child] = max(depth[child], depth[parent] + 1)
            above[child] |= above[parent] | {parent}
    return edges


class _Evidence:
    """What speaks for one topic being broader than another one."""

    def __init__(
        self, topics: Sequence[Topic], sessions: Sequence[str | None], alike: NDArray[np.float32]
    ) -> None:
        self._topics = topics
        self._alike = alike
        self._of_words: dict[tuple[str, ...], list[int]] = {}
        for place, topic in enumerate(topics):
            self._of_words.setdefault(tuple(topic.words), []).append(place)
        self._frequency = np.array([len(topic.turns) for topic in topics])
        both = np.zeros((len(topics), len(topics)), np.float32)
        near_turns = np.zeros(len(topics))
        for held, near in _pieces(topics, sessions):
            both += held @ near.T
            near_turns += near.sum(1)
        self._share = near_turns / len(sessions)
        # [child, parent]: in what share of the child's turns the parent is there or in a turn beside it.
        self._given = both / self._frequency[:, None]

    def parents(self, child: int, earlier: NDArray[np.intp]) -> list[tuple[int, str]]:
        """At most two of the earlier topics, each with the reason."""
        return self._by_words(child, earlier) or self._together(child, earlier) or self._like(child, earlier)

    def _by_words(self, child: int, earlier: NDArray[np.intp]) -> list[tuple[int, str]]:
        whole = self._topics[child].words
        within = [place for part in _parts(whole) for place in self._of_words.get(part, ())]
        found = earlier[np.isin(earlier, within)].tolist() if within else []
        # The head, which is the last word, first; then the longest.
        found.sort(key=lambda i: (self._topics[i].words[-1] != whole[-1], -len(self._topics[i].words)))
        return [(parent, "words") for parent in found[:_MOST_PARENTS]]

    def _together(self, child: int, earlier: NDArray[np.intp]) -> list[tuple[int, str]]:
        if self._frequency[child] < _LEAST_SUPPORT:
            return []
        given = self._given[child, earlier]
        found = earlier[
            (self._share[earlier] <= _MOST_COMMON)
            & (given >= _SUBSUMES)
            & (self._given[earlier, child] < given)
            & (self._alike[earlier, child] >= _NOT_UNLIKE)
        ].tolist()
        return [(self._nearest(child, found), "together")] if found else []

    def _like(self, child: int, earlier: NDArray[np.intp]) -> list[tuple[int, str]]:
        least = _BROADER * self._frequency[child]
        found = earlier[
            (self._frequency[earlier] >= least) & (self._alike[earlier, child] >= _ALIKE)
        ].tolist()
        return [(self._nearest(child, found), "alike")] if found else []

    def _nearest(self, child: int, found: Sequence[int]) -> int:
        return max(found, key=lambda parent: (self._alike[parent, child], self._topics[parent].tag))


def _pieces(
    topics: Sequence[Topic], sessions: Sequence[str | None]
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Which topics the turns hold, and which they or a turn beside them in their session hold, some thousand turns at
    a time: two arrays of ones and zeros, shape (topics, turns)."""
    same = np.array([a == b for a, b in pairwise(sessions)], np.float32)
    turns = [np.array(topic.turns) for topic in topics]
    for start in range(0, len(sessions), _PIECE):
        # With one turn more on either side.
        first, last = max(start - 1, 0), min(start + _PIECE + 1, len(sessions))
        held = np.zeros((len(topics), last - first), np.float32)
        for i, places in enumerate(turns):
            low, high = np.searchsorted(places, (first, last))
            held[i, places[low:high] - first] = 1
        near = held.copy()
        beside = same[first : last - 1]
        near[:, 1:] = np.maximum(near[:, 1:], held[:, :-1] * beside)
        near[:, :-1] = np.maximum(near[:, :-1], held[:, 1:] * beside)
        inner = slice(start - first, min(start + _PIECE, len(sessions)) - first)
        yield held[:, inner], near[:, inner]


def _parts(whole: Sequence[str]) -> set[tuple[str, ...]]:
    """What is said within a phrase, in its words and their order."""
    size = len(whole)
    return {tuple(whole[i:j]) for i in range(size) for j in range(i + 1, size + 1) if j - i < size}


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32)
