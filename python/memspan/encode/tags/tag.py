"""The tags of a user's turns and their hierarchy, without a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .relations import Edge, relate_topics, similarities
from .topics import find_topics

__all__ = ["MOST_TAGS", "Tagging", "Turns", "tag_turns"]

MOST_TAGS: Final = 5
"""Tags that a turn gets at most."""


class Turns(NamedTuple):
    """The turns of one user in the order of time, by columns of the same length."""

    texts: Sequence[str]
    """With what their images show."""
    speakers: Sequence[str | None]
    sessions: Sequence[str | None]
    embeddings: NDArray[np.float32]
    """Shape (turns, dim)."""


class Tagging(NamedTuple):
    """The tags of turns, and how they relate."""

    tags: list[tuple[str, ...]]
    """Of each turn, the most telling first; in the core's normal form."""
    edges: list[Edge]
    """From broader to narrower tags; acyclic."""


def tag_turns(turns: Turns, embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> Tagging:
    """Choose tags for turns: keyphrases and names that come back, see `find_topics`, and `relate_topics`.

    What a turn gets depends on all turns of the user, and on nothing else: the same turns get the same tags.
    O(words + topics turns), and `embed` is asked for the texts of the topics, six times the root of the turns.

    Args:
        turns: may be empty.
        embed: makes the embeddings of texts, as those of the turns were made.
    """
    topics = find_topics(turns.texts, turns.speakers, turns.sessions)
    if not topics:
        return Tagging([()] * len(turns.texts), [])
    chosen: list[list[str]] = [[] for _ in turns.texts]
    for topic in topics:
        for turn in topic.turns:
            if len(chosen[turn]) < MOST_TAGS:
                chosen[turn].append(topic.tag)
    used = {tag for tags in chosen for tag in tags}
    topics = [topic for topic in topics if topic.tag in used]
    alike = similarities(topics, embed([topic.text for topic in topics]), turns.embeddings)
    return Tagging([tuple(tags) for tags in chosen], relate_topics(topics, turns.sessions, alike))
