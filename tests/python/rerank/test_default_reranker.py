"""The default reranker itself, when it is on this machine."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

from memspan.embed import find_model, verify_model
from memspan.rerank import DEFAULT_RERANKER, OnnxReranker

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        find_model(DEFAULT_RERANKER) is None,
        reason=f"model {DEFAULT_RERANKER} is not on this machine: memspan models pull {DEFAULT_RERANKER}",
    ),
]

PASSAGES = [
    "[8 May 2023] Ana: How was it?\nBen: The tent leaked, but the kids loved the lake.",
    "[9 May 2023] Ben: My laptop arrived, it compiles the project twice as fast.",
    "[10 May 2023] Ana: ok",
    "[10 May 2023] Ben: " + "The quarterly report covers revenue, churn and hiring in every region. " * 80,
]


@pytest.fixture(scope="module")
def reranker() -> OnnxReranker:
    return OnnxReranker.from_registry(threads=2)


def test_its_files_are_those_of_the_registry() -> None:
    assert verify_model(DEFAULT_RERANKER) == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Where did Ben go camping?", 0), ("Who bought a new computer?", 1), ("What does the report cover?", 3)],
)
def test_the_answer_scores_best(reranker: OnnxReranker, question: str, answer: int) -> None:
    assert int(np.argmax(reranker.score(question, PASSAGES))) == answer


def test_a_score_depends_on_its_pair_only(reranker: OnnxReranker) -> None:
    together = reranker.score("Where did Ben go?", PASSAGES)
    alone = [reranker.score("Where did Ben go?", [passage])[0] for passage in PASSAGES]
    assert together.tolist() == alone
    assert np.isfinite(reranker.score("", ["", "мир 世界 🙂", "x" * 100_000])).all()
