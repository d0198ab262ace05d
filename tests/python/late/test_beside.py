"""The look at tokens beside filters, listings, uses and the reranker."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from memspan import Memory
from memspan.ranking.late import max_similarities
from memspan.recall import Plan

Open = Callable[..., Memory]
QUESTION = "which boat is red"


def fill(memory: Memory, count: int = 100) -> None:
    messages = [
        {
            "id": f"m{n}",
            "text": f"the {'kayak' if n % 9 == 0 else 'house'} number{n} is red",
            "kind": "semantic" if n % 3 == 0 else "episodic",
            "session": "far" if n < 3 else "s",
            "at": f"2023-{1 + n % 12:02d}-05",
            "metadata": {"city": "Oslo" if n % 2 else "Rome"},
        }
        for n in range(count)
    ]
    memory.add(messages, user="ana")


def numbers(found: Any) -> set[int]:
    return {int(recall.id[1:]) for recall in found}


def uses(memory: Memory) -> dict[str, int]:
    memory._engine.write_uses()
    with memory._engine.store.reading() as reader:
        return {use.record: use.searches for use in reader.uses.of("ana")}


@pytest.mark.parametrize(
    ("options", "admits"),
    [
        ({"kinds": ["semantic"]}, lambda n: n % 3 == 0),
        ({"where": {"city": "Oslo"}}, lambda n: n % 2 == 1),
        ({"exclude": [f"m{n}" for n in range(0, 100, 9)]}, lambda n: n % 9 != 0),
        ({"between": ("2023-03-01", "2023-05-01")}, lambda n: n % 12 in (2, 3)),
        ({"kinds": ["semantic"], "where": {"city": "Rome"}}, lambda n: n % 6 == 0),
    ],
)
@pytest.mark.parametrize("k", [3, 100])
def test_filters_hold(memory: Memory, options: dict[str, Any], admits: Callable[[int], bool], k: int) -> None:
    fill(memory)
    admitted = {n for n in range(100) if admits(n)}
    found = memory.search(QUESTION, user="ana", k=k, explain=True, **options)
    assert len(found) == min(k, len(admitted))
    assert numbers(found) <= admitted
    assert all((recall.explanation or {})["tokens"]["similarity"] is not None for recall in found[:3])


def test_another_user_is_never_looked_at(memory: Memory) -> None:
    fill(memory, 40)
    memory.add([{"id": "m0", "text": "a boat is red"}, {"id": "b", "text": "which boat"}], user="ben")
    assert {recall.id for recall in memory.search(QUESTION, user="ben", k=50)} == {"m0", "b"}
    first = memory.search(QUESTION, user="ana", k=100, explain=True)
    (zero,) = [recall for recall in first if recall.id == "m0"]
    assert zero.explanation is not None
    assert zero.text == "the kayak number0 is red"
    assert zero.explanation["tokens"]["similarity"] < 0.99, "which is that of ben's"


def test_a_listing_covers_its_sessions(memory: Memory) -> None:
    fill(memory, 60)
    for number in range(2):
        memory.add(
            [{"id": f"x{number}", "text": f"once red in place{number}", "session": f"t{number}"}],
            user="ana",
            at="2023-06-01",
        )
    listing = Plan(question=QUESTION, kind="list", k=5, sessions=3)
    lookup = Plan(question=QUESTION, k=5)
    plain = memory.search(QUESTION, user="ana", k=5, plan=lookup)
    assert len({recall.record.session for recall in plain}) < 3
    found = memory.search(QUESTION, user="ana", k=5, plan=listing)
    assert len(found) == 5
    assert len({recall.record.session for recall in found}) == 3
    scores = [recall.score for recall in found]
    assert scores == sorted(scores, reverse=True)


def test_uses_are_counted_for_what_comes_back(memory: Memory) -> None:
    fill(memory)
    memory.search(QUESTION, user="ana", k=4, track=False)
    assert uses(memory) == {}
    first = memory.search(QUESTION, user="ana", k=4)
    assert uses(memory) == {recall.id: 1 for recall in first}
    memory.search(QUESTION, user="ana", k=2)
    counted = uses(memory)
    assert counted == {recall.id: 2 if place < 2 else 1 for place, recall in enumerate(first)}
    assert memory.search(QUESTION, user="nobody", k=2) == []


class Likes:
    name = "likes"

    def __init__(self, word: str) -> None:
        self.word = word
        self.seen: list[str] = []

    def score(self, question: str, passages: Sequence[str]) -> Any:
        self.seen += passages
        return np.array([9.0 if self.word in passage else -9.0 for passage in passages], np.float32)


def test_both_looks(open_memory: Open) -> None:
    likes = Likes("number33 ")
    memory = open_memory(reranker=likes)
    fill(memory, 50)
    before = memory.search(QUESTION, user="ana", k=50, explain=True)
    assert not likes.seen
    found = memory.search(QUESTION, user="ana", k=5, rerank_ms=600_000, explain=True)
    assert len(found) == 5
    place_of = {recall.id: place for place, recall in enumerate(before)}
    for recall in found:
        assert recall.explanation is not None
        tokens, reranker = recall.explanation["tokens"], recall.explanation["reranker"]
        assert reranker["rank_before"] == place_of[recall.id] + 1
        assert reranker["score_before"] == pytest.approx(before[place_of[recall.id]].score)
        was = (before[place_of[recall.id]].explanation or {})["tokens"]
        assert tokens["rank_before"] == was["rank_before"]
    scores = [recall.score for recall in found]
    assert scores == sorted(scores, reverse=True)


def test_the_time_of_both_looks_is_told(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(question: Any, records: Any) -> Any:
        time.sleep(0.2)
        return max_similarities(question, records)

    memory = open_memory(reranker=Likes("number3"))
    fill(memory, 5)
    memory.search(QUESTION, user="ana", rerank_ms=600_000)
    monkeypatch.setattr("memspan.remember.searching.late_look.max_similarities", slowly)
    assert memory.search(QUESTION, user="ana").timings.reranking >= 0.2
    assert memory.search(QUESTION, user="ana", rerank_ms=600_000).timings.reranking >= 0.2


def test_the_confidence_is_that_of_the_search_before_it(memory: Memory, open_memory: Open) -> None:
    fill(memory)
    found = memory.search(QUESTION, user="ana", k=5, confidence=True)
    plain = open_memory(token_embedder=False).search(QUESTION, user="ana", k=64, confidence=True)
    assert found.confidence == pytest.approx(plain.confidence)
