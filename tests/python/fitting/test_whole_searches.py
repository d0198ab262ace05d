"""The verdict is on whole searches: what tokens say counts, and a use of what is found does not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memspan.fitting.labelled_store import OwnQuestion, collect_own
from memspan.fitting.own_ranker import fit_own
from memspan.fitting.verdict import figures_found
from memspan.memory import Memory
from memspan.ranking import Ranker, default_ranker

TURNS = ["The boat is red.", "The boat is at sea.", "The boat has sails.", "A kayak."]


class KayakTokens:
    """Token vectors by which only a text with a kayak is like any question."""

    name, dim, checksum = "kayaks", 4, ""

    def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.int8]]:
        return [np.eye(4, dtype=np.int8)[[0 if "kayak" in text else 1]] * 127 for text in texts]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.eye(4, dtype=np.float32)[:1]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "own.memspan", "hash:32", token_embedder=KayakTokens()) as memory:
        memory.add([{"id": str(place), "text": text} for place, text in enumerate(TURNS)], user="ana")
        yield memory


@pytest.fixture
def questions(memory: Memory, tmp_path: Path) -> Sequence[OwnQuestion]:
    path = tmp_path / "asked.jsonl"
    asked = [
        {"user": "ana", "question": "the boat", "evidence": ["3"]},
        {"user": "ana", "question": "the boat!", "evidence": ["0", "3"]},
    ]
    path.write_text("\n".join(map(json.dumps, asked)) + "\n", encoding="utf-8")
    return collect_own(memory, path).questions


WORDS = Ranker({"always": {"bm25_z": 0.1}})
"""To whom a kayak is the last of four, so little behind the others that what tokens say brings it to the front."""


def test_figures_are_of_what_a_search_finds(memory: Memory, questions: Sequence[OwnQuestion]) -> None:
    found = [each.id for each in memory.search("the boat", user="ana", ranker=WORDS)]
    assert found[0] == "3"
    figures = figures_found(memory, questions, [{"ranker": WORDS}] * 2)
    second = found.index("0") + 1
    np.testing.assert_array_equal(figures, [[1.0] * 6, [0.5, *[1.0] * 5]])
    assert second <= 5
    # By rank alone no tokens are looked at.
    last = figures_found(memory, questions, [{"fusion": "rrf"}] * 2)
    assert last[0, -1] < 1.0


def test_each_question_is_searched_for_its_own_way(memory: Memory, questions: Sequence[OwnQuestion]) -> None:
    against = Ranker({"always": {"bm25_z": 100.0}})
    mixed = figures_found(memory, questions, [{"ranker": against}, {"ranker": WORDS}])
    assert mixed[0, 0] == 0.0
    assert mixed[1, 0] == 0.5


def test_evidence_deeper_than_the_figures_is_not_found(
    memory: Memory, questions: Sequence[OwnQuestion]
) -> None:
    memory.add([{"id": f"b{place}", "text": f"boat {place}"} for place in range(60)], user="ana")
    against = Ranker({"always": {"bm25_z": 100.0}})
    np.testing.assert_array_equal(figures_found(memory, questions[:1], [{"ranker": against}]), [[0.0] * 6])


def test_judging_is_no_use(memory: Memory, questions: Sequence[OwnQuestion], tmp_path: Path) -> None:
    figures_found(memory, questions, [{}] * 2)
    memory.search("kayak", user="ana", k=1)
    memory.close()  # writes uses
    with (
        Memory(tmp_path / "own.memspan", "hash:32", token_embedder=KayakTokens()) as again,
        again._engine.store.reading() as reader,
    ):
        assert [(use.record, use.searches) for use in reader.uses.of("ana")] == [("3", 1)]


def test_the_verdict_is_by_these_figures(memory: Memory, questions: Sequence[OwnQuestion]) -> None:
    pytest.importorskip("scipy")
    found = fit_own(memory, questions, default_ranker(), validated=False)
    for name, options in (("package", {}), ("rrf", {"fusion": "rrf"})):
        figures = figures_found(memory, questions, [options] * 2)
        assert found.quality[name].mrr == pytest.approx(figures[:, -1].mean())
