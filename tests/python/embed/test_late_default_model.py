"""The default model for late interaction itself, when it is on this machine."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

from memspan.embed import (
    DEFAULT_TOKEN_MODEL,
    TOKEN_MODELS,
    OnnxTokenEmbedder,
    find_model,
    resolve_token_embedder,
    verify_model,
)
from memspan.embed.onnx_bytes.weights import weights_in
from memspan.embed.onnx_files import packaged
from memspan.embed.weight_delta import WeightDelta

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        find_model(DEFAULT_TOKEN_MODEL) is None,
        reason=f"model {DEFAULT_TOKEN_MODEL} is not on this machine: memspan models pull",
    ),
]

TEXTS = [
    "Caroline: I went to a LGBTQ support group yesterday, and it was so powerful!",
    "Melanie: We roasted marshmallows at the lake last weekend, the kids loved the tent!",
    "Ben: My new laptop arrived, it compiles the project twice as fast.",
    "Ana: ok",
    "",
    "... ?! --- (;)",
    "Ben: " + "The quarterly report covers revenue, churn and hiring in every region. " * 80,
    "Мы поехали на озеро. 我们去了湖边。 ذهبنا إلى البحيرة 🏕️",
]


@pytest.fixture(scope="module")
def embedder() -> OnnxTokenEmbedder:
    return OnnxTokenEmbedder.from_registry(threads=2)


def all_bytes(arrays: list[NDArray[np.int8]]) -> list[tuple[bytes, tuple[int, ...]]]:
    return [(each.tobytes(), each.shape) for each in arrays]


def test_files_and_identity_match_the_registry(embedder: OnnxTokenEmbedder) -> None:
    assert verify_model(DEFAULT_TOKEN_MODEL) == []
    default = resolve_token_embedder(None)
    assert (default.name, default.dim, default.checksum) == (DEFAULT_TOKEN_MODEL, 96, embedder.checksum)


def test_vectors_are_those_of_the_recipe(embedder: OnnxTokenEmbedder) -> None:
    """The same by `onnxruntime`, `tokenizers` and NumPy alone."""
    import onnxruntime
    from tokenizers import Tokenizer

    files = find_model(DEFAULT_TOKEN_MODEL)
    assert files is not None
    tokenizer: Any = Tokenizer.from_file(str(files.tokenizer))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(files.model),
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=["SkipLayerNormFusion"],
    )
    matrix = np.load(packaged(TOKEN_MODELS[DEFAULT_TOKEN_MODEL].projection))["projection"]
    punctuation = {tokenizer.token_to_id(sign) for sign in string.punctuation}

    def rows(tokens: list[int], marker: int, kept: list[int]) -> NDArray[np.float64]:
        ids = np.array([[101, marker, *tokens, 102]])
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = session.run(["last_hidden_state"], feed)[0][0, 2:-1][kept].astype(np.float64)
        projected = states / np.linalg.norm(states, axis=1, keepdims=True) @ matrix.astype(np.float64)
        return np.asarray(projected / np.linalg.norm(projected, axis=1, keepdims=True))

    for text, found in zip(TEXTS, embedder.embed_documents(TEXTS), strict=True):
        tokens = tokenizer.encode(text, add_special_tokens=False).ids[:93]
        kept = [place for place, token in enumerate(tokens) if token not in punctuation][:64]
        assert len(found) == len(kept)
        assert found.tolist() == np.rint(rows(tokens, 2, kept) * 127).astype(int).tolist()
    if TOKEN_MODELS[DEFAULT_TOKEN_MODEL].question_delta is None:
        tokens = tokenizer.encode("Who, then, went camping?", add_special_tokens=False).ids
        wanted = rows(tokens, 1, list(range(len(tokens))))
        assert np.allclose(embedder.embed_query("Who, then, went camping?"), wanted, atol=1e-6)


def test_how_many_vectors_a_text_has(embedder: OnnxTokenEmbedder) -> None:
    counts = [len(vectors) for vectors in embedder.embed_documents(TEXTS)]
    assert counts[4:7] == [0, 0, 64]
    assert all(1 <= count <= 64 for count in counts[:4] + counts[7:])
    assert embedder.embed_query("").shape == (0, 96)
    assert embedder.embed_query(" \n").shape == (0, 96)
    assert embedder.embed_query("?!").shape == (2, 96)
    assert embedder.embed_query(TEXTS[6]).shape == (60, 96)
    assert embedder.embed_query("[CLS] [SEP] [PAD] [unused0]").shape[1] == 96


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did Caroline attend a meeting for queer people?", 0),
        ("When did Melanie go camping with the kids?", 1),
        ("Who got a new laptop?", 2),
        ("What does the quarterly report say?", 6),
    ],
)
def test_the_answer_scores_best(embedder: OnnxTokenEmbedder, question: str, answer: int) -> None:
    asked = embedder.embed_query(question)
    scores = [
        (asked @ (each / np.linalg.norm(each, axis=1, keepdims=True)).T).max(axis=1, initial=-1.0).mean()
        for each in embedder.embed_documents(TEXTS)
    ]
    assert int(np.argmax(scores)) == answer


def test_vectors_do_not_depend_on_neighbours_order_or_threads(embedder: OnnxTokenEmbedder) -> None:
    together = all_bytes(embedder.embed_documents(TEXTS))
    assert all_bytes(embedder.embed_documents(TEXTS[::-1])[::-1]) == together
    single = OnnxTokenEmbedder.from_registry(threads=1)
    assert all_bytes(single.embed_documents(TEXTS)) == together
    for text, wanted in zip(TEXTS, together, strict=True):
        assert all_bytes(single.embed_documents([text])) == [wanted]


def test_weights_of_their_own_for_questions_can_be_given(embedder: OnnxTokenEmbedder, tmp_path: Path) -> None:
    files = find_model(DEFAULT_TOKEN_MODEL)
    assert files is not None
    weights = weights_in(bytearray(files.model.read_bytes()))
    square = [
        name.removesuffix("_quantized")
        for name, weight in weights.items()
        if name.startswith("onnx::MatMul_") and name.endswith("_quantized") and weight.shape == (384, 384)
    ]
    assert len(square) == 48
    rng = np.random.default_rng(1)
    shift = "encoder.layer.11.attention.self.query.bias"
    arrays = {f"{shift}.shift": rng.normal(scale=1e-3, size=weights[shift].shape)}
    for name in square[-4:]:
        arrays[f"{name}.down"] = rng.normal(scale=0.02, size=(384, 4))
        arrays[f"{name}.up"] = rng.normal(scale=0.02, size=(4, 384))
    WeightDelta(arrays).save(tmp_path / "delta.npz")

    spec = TOKEN_MODELS[DEFAULT_TOKEN_MODEL]
    plain, tuned = (
        OnnxTokenEmbedder(
            files.model, files.tokenizer, packaged(spec.projection), name=spec.name, question_delta=delta
        )
        for delta in (None, tmp_path / "delta.npz")
    )

    assert all_bytes(tuned.embed_documents(TEXTS[:3])) == all_bytes(embedder.embed_documents(TEXTS[:3]))
    assert tuned.checksum == plain.checksum == embedder.checksum
    before, after = (each.embed_query("Who went camping?") for each in (plain, tuned))
    cosines = (before * after).sum(axis=1)
    assert not np.array_equal(before, after)
    assert cosines.min() > 0.8
