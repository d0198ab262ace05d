"""Boundaries by hand, attention against numpy, and segments: buffers, residuals, fallbacks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from attention_model import write_attention_model, write_words
from conversations import conversation, turn, turns, work
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from tools import MemoryTools, run_stages

from memspan.encode.attention import OnnxAttention, room_for, sentence_attention
from memspan.encode.boundaries import (
    adjacent_similarities,
    attention_boundaries,
    preceding_attention,
    similarity_boundaries,
)
from memspan.encode.exchanges import exchanges_of
from memspan.encode.segment import Segment
from memspan.encode.values import Turn
from memspan.errors import EmbedderError, InvalidArgumentError
from memspan.recall.context import estimate_tokens

DIRECTIONS = {"tent": 0, "lake": 0, "bear": 0, "boss": 1, "budget": 1, "sales": 1, "jazz": 2, "song": 2}


class Shares:
    """Attention whose M_{k,k-1} are the given shares, first that of the second sentence."""

    def __init__(self, *shares: float) -> None:
        self.shares = shares
        self.asked: list[list[str]] = []

    def between(self, sentences: Sequence[str]) -> np.ndarray:
        self.asked.append(list(sentences))
        rows = np.zeros((len(sentences), len(sentences)))
        for k, share in enumerate(self.shares[: len(sentences) - 1], 1):
            rows[k, k - 1] = share
            rows[k, 0] += 1 - share
        return rows


class Failing:
    def between(self, sentences: Sequence[str]) -> np.ndarray:
        raise EmbedderError("no such graph")


def embed(texts: Sequence[str]) -> np.ndarray:
    """Texts of one topic are alike, those of different topics are not."""
    vectors = np.zeros((len(texts), 3), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in text.split():
            vectors[row, DIRECTIONS.get(word, 0)] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def segments(stage: Segment, given: Sequence[Turn], tools: MemoryTools | None = None) -> list[list[str]]:
    done = asyncio.run(run_stages([stage], work(given), tools or MemoryTools(embed=embed)))
    assert [one for window in done.windows for one in window.turns] == list(given)
    return [[one.text for one in window.turns] for window in done.windows]


def test_shares_of_what_comes_before() -> None:
    attention = np.array([[9, 9, 9], [4, 9, 9], [1, 3, 9]], dtype=float)
    assert preceding_attention(attention).tolist() == [1.0, 0.75]
    assert preceding_attention(np.zeros((3, 3))).tolist() == [0, 0]
    assert preceding_attention(np.zeros((1, 1))).tolist() == []


@pytest.mark.parametrize(
    ("shares", "found"),
    [
        ((1, 0.2, 0.5, 0.3, 0.4, 0.1), [3, 5]),
        ((1, 0.5, 0.4, 0.3), []),
        ((1, 0.2, 0.5, 0.5, 0.1), []),  # a plateau has no peak
        ((1, 0.2, 0.5), []),  # the last sentence has none after it
        ((1,), []),
        ((), []),
    ],
)
def test_peaks_begin_topics(shares: tuple[float, ...], found: list[int]) -> None:
    attention = Shares(*shares).between([""] * (len(shares) + 1))
    assert attention_boundaries(attention) == found


def test_valleys_begin_topics_for_those_who_want() -> None:
    attention = Shares(1, 0.2, 0.5, 0.3, 0.4, 0.1).between([""] * 7)
    assert attention_boundaries(attention, minima=True) == [2, 4]
    stage = Segment(method="attention", extremum="minimum", attention=Shares(1, 0.2, 0.5, 0.3, 0.6, 0.4, 0.7))
    assert [len(each) for each in segments(stage, turns(*TEXTS))] == [2, 2, 2, 2]


def test_neighbours_that_are_not_alike_are_boundaries() -> None:
    similarities = adjacent_similarities(embed(["tent", "lake", "boss", "budget jazz"]))
    assert similarities.round(4).tolist() == [1, 0, 0.7071]
    assert similarity_boundaries(similarities, 0.7) == [2]
    assert similarity_boundaries(similarities, 1) == [2, 3]


def test_the_ends_are_masked_and_the_rest_is_averaged() -> None:
    owners = [-1, 0, 0, 0, 1, 1, 2, 2, 2, -1]
    layer = np.random.default_rng(1).random((2, 10, 10)).astype(np.float32)
    layer[:, :, [0, 9]] = 50  # attention sinks

    found = sentence_attention([layer, layer * 2], owners, 3)

    seen = [3, 4, 5, 6]  # without the first and last three
    tokens = layer.mean(axis=0)[np.ix_(seen, seen)]
    tokens = tokens / tokens.sum(axis=1, keepdims=True)
    assert found[0, 1] == pytest.approx(tokens[0, 1:3].mean())
    assert found[1, 2] == pytest.approx(tokens[1:3, 3].mean())
    assert found[2, 0] == pytest.approx(tokens[3, 0])


def test_sentences_without_tokens_have_no_attention() -> None:
    layer = np.ones((1, 4, 4), dtype=np.float32)
    assert np.array_equal(sentence_attention([layer], [-1, 0, 1, -1], 2), np.zeros((2, 2)))


@PROFILE
@given(st.lists(st.integers(0, 600), max_size=30), st.integers(0, 512))
def test_room_is_shared_fairly(lengths: list[int], total: int) -> None:
    room = room_for(lengths, total)
    assert all(0 <= most <= length for most, length in zip(room, lengths, strict=True))
    assert sum(room) == min(total, sum(lengths)) or sum(room) <= total
    cut = [most for most, length in zip(room, lengths, strict=True) if most < length]
    assert not cut or max(room) - min(cut) <= 1 or max(room) <= min(cut) + 1


def test_attention_of_a_graph_is_that_of_its_upper_layers(tmp_path: Path) -> None:
    model = write_attention_model(tmp_path / "model.onnx", layers=7)
    attention = OnnxAttention(model, write_words(tmp_path / "words.json"), max_tokens=32)
    sentences = ["a b c d e", "f g h", "i j a b c", ""]

    found = attention.between(sentences)

    assert found.shape == (4, 4)
    assert np.array_equal(found, attention.between(sentences))
    assert not found[3].any()
    graph, layers = attention._graph()
    assert layers == ["attention5", "attention6"]
    ids = graph.tokenize("a b c d e f g h i j a b c")
    owners = [-1, *[0] * 5, *[1] * 3, *[2] * 5, -1]
    values, _ = graph.run_many(layers, [ids])
    assert np.allclose(found, sentence_attention([layer[0] for layer in values], owners, 4))


def test_sentences_that_do_not_fit_are_cut(tmp_path: Path) -> None:
    model = write_attention_model(tmp_path / "model.onnx")
    attention = OnnxAttention(model, write_words(tmp_path / "words.json"), max_tokens=16)
    sentences = ["a " * 40, "b c", "d " * 9]
    assert np.array_equal(attention.between(sentences), attention.between(["a " * 6, "b c", "d " * 6]))


def test_a_graph_without_attention_is_refused(tmp_path: Path) -> None:
    from attention_model import write_classifier

    attention = OnnxAttention(write_classifier(tmp_path / "m.onnx", {}), write_words(tmp_path / "words.json"))
    with pytest.raises(EmbedderError, match="no Softmax"):
        attention.between(["a", "b"])


def test_an_answer_belongs_to_its_question() -> None:
    lines = [
        ("assistant", "hello"),
        ("user", "q1"),
        ("assistant", "a1"),
        ("tool", "t1"),
        ("user", "q2"),
        (None, "x"),
    ]
    given = [replace(turn(i, text), speaker=speaker) for i, (speaker, text) in enumerate(lines)]
    assert [[one.text for one in each.turns] for each in exchanges_of(given)] == [
        ["hello"], ["q1", "a1", "t1"], ["q2"], ["x"],
    ]  # fmt: skip
    assert [each.text for each in exchanges_of(given)] == ["hello", "q1", "q2", "x"]
    assert len(exchanges_of(conversation(6))) == 6


TEXTS = ("tent", "lake bear", "bear", "boss", "budget sales", "sales", "jazz", "song")


def test_similarity_alone() -> None:
    assert segments(Segment(method="similarity", threshold=0.5), turns(*TEXTS)) == [
        ["tent", "lake bear", "bear"], ["boss", "budget sales", "sales"], ["jazz", "song"],
    ]  # fmt: skip
    # Without a threshold, the neighbours' own mean.
    assert len(segments(Segment(method="similarity"), turns(*TEXTS))) == 3


def test_attention_alone_asks_for_no_embedding() -> None:
    def never(texts: Sequence[str]) -> np.ndarray:
        raise AssertionError

    stage = Segment(method="attention", attention=Shares(1, 0.2, 0.5, 0.3, 0.6, 0.4, 0.1))
    found = segments(stage, turns(*TEXTS), MemoryTools(embed=never))
    assert [len(each) for each in found] == [3, 2, 3]


def test_both_means_both() -> None:
    shares = Shares(1, 0.2, 0.5, 0.3, 0.6, 0.4, 0.1)  # peaks at 3 and 5; topics change at 3 and 6
    found = segments(Segment(method="both", threshold=0.5, attention=shares), turns(*TEXTS))
    assert [len(each) for each in found] == [3, 5]


def test_what_follows_the_last_boundary_waits_for_the_next_buffer() -> None:
    texts = ["tent"] * 10 + ["boss"] * 10
    attention = Shares(1, 0.1, 0.5, 0.1)
    stage = Segment(method="similarity", threshold=0.5, buffer=16, attention=attention)
    # Ten and six fit; the four of the residual are not cut from the six.
    assert [len(each) for each in segments(stage, turns(*texts))] == [10, 10]


def test_a_buffer_without_a_boundary_is_a_segment() -> None:
    stage = Segment(method="similarity", threshold=-1, buffer=16)
    assert [len(each) for each in segments(stage, turns(*["tent"] * 40))] == [16, 16, 8]


def test_a_turn_longer_than_the_buffer_is_a_segment() -> None:
    stage = Segment(method="similarity", threshold=-1, buffer=16)
    assert segments(stage, turns("lake", "tent " * 100, "bear")) == [["lake"], ["tent " * 100], ["bear"]]


def test_without_attention_similarity_decides_and_says_so() -> None:
    for method in ("both", "attention"):
        tools = MemoryTools(embed=embed)
        given = turns(*TEXTS, *["lake " * 20] * 4)  # more than one buffer
        found = segments(Segment(method=method, threshold=0.5, buffer=64, attention=Failing()), given, tools)
        assert [len(each) for each in found] == [3, 3, 2, 3, 1]
        (note,) = tools.noted("no attention")
        assert note["instead"] == "similarity"


def test_a_second_run_takes_the_first_cuts() -> None:
    tools = MemoryTools(embed=embed)
    stage = Segment(method="similarity", threshold=0.5)
    first = segments(stage, turns(*TEXTS), tools)
    tools.kept = dict(tools.kept)
    assert segments(replace(stage, threshold=-1), turns(*TEXTS), tools) == first


def test_no_turns_and_one() -> None:
    assert segments(Segment(method="similarity"), ()) == []
    assert segments(Segment(method="similarity"), turns("tent")) == [["tent"]]


def test_the_first_window_is_shown_what_came_before() -> None:
    known = conversation(6)
    done = asyncio.run(Segment(method="similarity").run(work(known[4:], history=known[:4]), MemoryTools()))
    assert done.windows[0].history == known[:4]
    assert all(not window.history for window in done.windows[1:])


@PROFILE
@given(
    st.lists(st.sampled_from(["tent", "lake bear " * 5, "boss", "budget sales " * 9, "jazz"]), max_size=40),
    st.lists(st.floats(0, 1), min_size=40, max_size=40),
    st.sampled_from(["both", "attention", "similarity"]),
    st.integers(16, 64),
)
def test_segments_are_the_turns_in_order(
    texts: list[str], shares: list[float], method: str, buffer: int
) -> None:
    stage = Segment(method=method, buffer=buffer, attention=Shares(*shares))
    found = segments(stage, turns(*texts))
    assert all(found)
    assert [text for each in found for text in each] == texts
    assert segments(stage, turns(*texts)) == found
    for each, _ in pairwise(found):
        assert sum(map(estimate_tokens, each)) <= buffer or len(each) == 1


@pytest.mark.parametrize(
    "fields", [{"method": "magic"}, {"extremum": "mean"}, {"buffer": 0}, {"threshold": 2}]
)
def test_bad_settings_are_refused(fields: dict) -> None:
    with pytest.raises(InvalidArgumentError):
        Segment(**fields)


@pytest.mark.model
def test_the_default_embedder_has_attention() -> None:
    attention = OnnxAttention.from_registry()
    sentences = [
        "I went camping with my kids.",
        "We saw a bear near the lake.",
        "My boss wants a report.",
        "I hate it.",
    ]
    found = attention.between(sentences)
    assert found.shape == (4, 4)
    assert (found > 0).all()
    assert np.array_equal(found, attention.between(sentences))
    assert len(attention._graph()[1]) == 4  # 8 to 11 of twelve layers
