"""The default model itself, when it is on this machine."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

from memspan.embed import (
    DEFAULT_MODEL,
    MODELS,
    OnnxEmbedder,
    find_model,
    resolve_embedder,
    verify_model,
)

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        find_model(DEFAULT_MODEL) is None,
        reason=f"model {DEFAULT_MODEL} is not on this machine: memspan models pull {DEFAULT_MODEL}",
    ),
]

TEXTS = [
    "Caroline: I went to a LGBTQ support group yesterday and it was so powerful.",
    "Melanie: We roasted marshmallows at the lake last weekend, the kids loved the tent!",
    "Ben: My new laptop arrived, it compiles the project twice as fast.",
    "Ana: ok",
    "Ben: " + "The quarterly report covers revenue, churn and hiring in every region. " * 80,
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder.from_registry(threads=2)


def test_files_and_identity_match_the_registry(embedder: OnnxEmbedder) -> None:
    assert verify_model(DEFAULT_MODEL) == []
    default = resolve_embedder(None)
    assert (default.name, default.dim, default.checksum) == (DEFAULT_MODEL, 384, embedder.checksum)
    assert MODELS[DEFAULT_MODEL].dim == embedder.embed_documents(TEXTS).shape[1]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did Caroline attend a meeting for queer people?", 0),
        ("When did Melanie go camping?", 1),
        ("Who bought a computer?", 2),
        ("What do the company's figures say?", 4),
    ],
)
def test_the_answer_is_nearest_to_its_question(embedder: OnnxEmbedder, question: str, answer: int) -> None:
    scores = embedder.embed_documents(TEXTS) @ embedder.embed_query(question)
    assert int(np.argmax(scores)) == answer


def test_vectors_do_not_depend_on_neighbours_order_or_threads(embedder: OnnxEmbedder) -> None:
    together = embedder.embed_documents(TEXTS)
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-6)
    assert np.array_equal(embedder.embed_documents(TEXTS[::-1])[::-1], together)
    single = OnnxEmbedder.from_registry(threads=1)
    for text, row in zip(TEXTS, together, strict=True):
        assert np.array_equal(single.embed_documents([text])[0], row)


def test_batching_an_int8_graph_moves_vectors_a_little(embedder: OnnxEmbedder) -> None:
    batched = OnnxEmbedder.from_registry(batch_texts=8).embed_documents(TEXTS)
    cosines = (batched * embedder.embed_documents(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.95
