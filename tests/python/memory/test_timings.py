"""Where the time of a search went."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from memspan import Recalls, Timings
from memspan.embed import HashEmbedder
from memspan.memory import Memory


class Slow(HashEmbedder):
    """Takes its time over questions."""

    def embed_query(self, text: str) -> Any:
        time.sleep(0.02)
        return super().embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Any:
        return super().embed_documents(texts)


@pytest.fixture
def filled(open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory(embedder=Slow(32))
    memory.add(["camping by the lake", "baking bread"], user="ana")
    return memory


def test_stages_are_told_apart_and_within_the_call(filled: Memory) -> None:
    start = time.perf_counter()
    timings = filled.search("camping", user="ana").timings
    elapsed = time.perf_counter() - start
    assert timings.embedding >= 0.02
    assert timings.search > 0
    assert timings.fetch > 0
    assert timings.planning > 0
    stages = (timings.planning, timings.embedding, timings.search, timings.fetch, timings.reranking)
    assert timings.total == pytest.approx(sum(stages))
    assert timings.total <= elapsed


def _slowly(function: Callable[..., Any]) -> Callable[..., Any]:
    def slow(*arguments: Any, **named: Any) -> Any:
        time.sleep(0.02)
        return function(*arguments, **named)

    return slow


@pytest.mark.parametrize(
    ("module", "name", "stage"),
    [
        ("asking", "plan_by_rules", "planning"),
        ("asking", "conditions_of", "planning"),
        ("searching", "_confidence", "search"),
        ("searching", "lift_wanted", "fetch"),
        ("aging", "bounded_order", "fetch"),
    ],
)
def test_every_part_of_the_call_is_in_a_stage(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, module: str, name: str, stage: str
) -> None:
    filled.add("To camp by the lake, first find wood.", user="ana", kind="procedural")
    place = importlib.import_module(f"memspan.remember.searching.{module}")
    monkeypatch.setattr(place, name, _slowly(getattr(place, name)))
    start = time.perf_counter()
    found = filled.search("How do I camp by the lake?", user="ana", confidence=True, staleness="decay")
    elapsed = time.perf_counter() - start
    assert getattr(found.timings, stage) >= 0.02
    assert found.timings.total <= elapsed
    assert found.timings.total == pytest.approx(elapsed, rel=0.2)


def test_a_fusion_without_a_plan_has_little_to_plan(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.remember.searching.asking.plan_by_rules", _slowly(print))
    assert filled.search("camping", user="ana", fusion="rrf").timings.planning < 0.02


def test_no_embedding_when_no_view_needs_it(filled: Memory) -> None:
    timings = filled.search("camping", user="ana", views=["lexical"]).timings
    assert timings.embedding < 0.02
    assert timings.search > 0


def test_a_listing_and_an_empty_answer_have_timings(filled: Memory) -> None:
    assert filled.latest(user="ana").timings.embedding == 0
    assert filled.latest(user="ana").timings.search > 0
    assert filled.search("camping", user="nobody").timings.search > 0


def test_they_are_values() -> None:
    assert Recalls().timings == Timings() == Timings(embedding=0, search=0, fetch=0)
    with pytest.raises(FrozenInstanceError):
        Timings().search = 1  # type: ignore[misc]
