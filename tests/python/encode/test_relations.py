"""Which topic goes below which, rule by rule."""

from __future__ import annotations

import numpy as np
import pytest
from counted_calls import counted_calls
from numpy.typing import NDArray

from memspan.encode.tags import relations
from memspan.encode.tags.relations import MOST_DEPTH, Edge, relate_topics, similarities
from memspan.encode.tags.topics import Topic


def topic(name: str, *turns: int, is_name: bool = False) -> Topic:
    return Topic(name.replace(" ", "_"), tuple(name.split()), name, turns, 1.0, is_name)


def alike(count: int, **pairs: float) -> NDArray[np.float32]:
    """Similarities of 1 with itself and 0 between others, but for `p0_1=0.5`."""
    matrix = np.eye(count, dtype=np.float32)
    for pair, value in pairs.items():
        i, j = map(int, pair[1:].split("_"))
        matrix[i, j] = matrix[j, i] = value
    return matrix


def edges(topics: list[Topic], matrix: NDArray[np.float32], sessions: list[str] | None = None) -> list[Edge]:
    return relate_topics(topics, sessions or [f"s{i}" for i in range(40)], matrix)


def test_a_phrase_goes_below_its_words_the_head_first() -> None:
    found = edges(
        [topic("dress", 1, 2, 3, 4), topic("yellow", 2, 3, 9), topic("yellow dress", 2, 3)], alike(3)
    )
    assert found == [Edge("dress", "yellow_dress", "words"), Edge("yellow", "yellow_dress", "words")]


def test_of_parts_inside_one_another_only_the_nearest_is_the_parent() -> None:
    topics = [
        topic("class", 1, 2, 3, 4),
        topic("cooking class", 1, 2, 3),
        topic("italian cooking class", 1, 2),
    ]
    assert [(edge.parent, edge.child) for edge in edges(topics, alike(3))] == [
        ("class", "cooking_class"),
        ("cooking_class", "italian_cooking_class"),
    ]


def test_a_topic_goes_below_one_that_it_rarely_comes_without() -> None:
    topics = [topic("music", 1, 2, 3, 4, 5, 6, 7), topic("guitar", 2, 4, 6, 7)]
    assert edges(topics, alike(2, p0_1=0.3)) == [Edge("music", "guitar", "together")]
    assert edges(topics, alike(2, p0_1=0.1)) == [], "unlike each other: chance"
    rare = [topics[0], topic("guitar", 2, 4)]
    assert edges(rare, alike(2, p0_1=0.3)) == [], "two turns are no support"
    apart = [topics[0], topic("guitar", 2, 4, 20, 25)]
    assert edges(apart, alike(2, p0_1=0.3)) == []


def test_the_turn_beside_counts_inside_a_session_only() -> None:
    topics = [topic("music", 1, 3, 5, 7, 9), topic("guitar", 2, 4, 6)]
    assert edges(topics, alike(2, p0_1=0.3), ["s"] * 40) == [Edge("music", "guitar", "together")]
    assert edges(topics, alike(2, p0_1=0.3)) == []


@pytest.mark.parametrize("piece", [1, 2, 3, 7])
def test_long_conversations_are_counted_in_pieces(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    topics = [topic("music", 1, 3, 5, 7, 9), topic("guitar", 2, 4, 6), topic("drum", 3, 6, 9, 12)]
    matrix = alike(3, p0_1=0.3, p0_2=0.3, p1_2=0.3)
    expected = edges(topics, matrix, ["s"] * 60)
    monkeypatch.setattr(relations, "_PIECE", piece)
    assert edges(topics, matrix, ["s"] * 60) == expected != []


def test_what_is_in_many_turns_subsumes_by_chance_and_therefore_not() -> None:
    topics = [topic("family", *range(0, 40, 2)), topic("boat", 2, 4, 6)]
    assert edges(topics, alike(2, p0_1=0.3)) == []


def test_equals_do_not_subsume_each_other() -> None:
    topics = [topic("salt", 1, 2, 3), topic("pepper", 1, 2, 3)]
    assert edges(topics, alike(2, p0_1=0.9)) == []


def test_a_topic_goes_below_a_much_commoner_one_that_it_is_like() -> None:
    topics = [topic("beach", 1, 2, 3, 4), topic("sand", 11, 12), topic("desert", 21, 22, 23)]
    assert edges(topics, alike(3, p0_1=0.5, p1_2=0.9)) == [Edge("beach", "sand", "alike")]
    assert edges(topics, alike(3, p0_1=0.3)) == []


def test_the_depth_is_bounded() -> None:
    names = ["a", "b a", "c b a", "d c b a", "e d c b a", "f e d c b a", "g f e d c b a"]
    topics = [topic(name, *range(20 - i)) for i, name in enumerate(names)]
    found = edges(topics, alike(len(names)))
    depth = {names[0]: 0}
    for edge in found:
        depth[edge.child] = max(depth.get(edge.child, 0), depth.get(edge.parent, 0) + 1)
    assert max(depth.values()) == MOST_DEPTH


def test_similarity_is_without_what_all_have_in_common() -> None:
    topics = [topic("a", 0), topic("b", 1), topic("c", 2, is_name=True)]
    common = np.array([5.0, 5.0, 5.0], np.float32)
    rows = common + np.eye(3, dtype=np.float32)
    found = similarities(topics, rows, rows)
    assert found.shape == (3, 3)
    np.testing.assert_allclose(np.diag(found), 1, atol=1e-5)
    assert found[0, 1] == pytest.approx(-0.5, abs=1e-4)


def test_vectors_without_a_difference_are_like_nothing() -> None:
    rows = np.ones((2, 3), np.float32)
    assert not similarities([topic("a", 0), topic("b", 1)], rows, rows).any()


def test_no_topic_is_held_against_each_earlier_one_by_itself() -> None:
    def relate(count: int) -> None:
        edges([topic(f"topic {i}", i % 7, i % 7 + 9, i % 7 + 20) for i in range(count)], alike(count))

    relate(10)
    assert counted_calls(lambda: relate(400)) < 6 * counted_calls(lambda: relate(100))
