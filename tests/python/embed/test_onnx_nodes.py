"""Nodes of a graph become outputs; the `onnx` package says what is right."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import onnx
import pytest
from attention_model import write_attention_model, write_words
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.embed.onnx_bytes.nodes import node_outputs, with_outputs
from memspan.embed.onnx_graph import OnnxGraph
from memspan.errors import EmbedderError


def test_nodes_are_found_in_the_order_of_the_graph(tmp_path: Path) -> None:
    model = write_attention_model(tmp_path / "model.onnx", layers=3).read_bytes()

    assert node_outputs(model, "Softmax") == ["attention0", "attention1", "attention2"]
    assert node_outputs(model, "MatMul") == [
        node.output[0] for node in onnx.load_from_string(model).graph.node if node.op_type == "MatMul"
    ]
    assert node_outputs(model, "Conv") == []


def test_more_outputs_are_read_as_if_they_had_been_there(tmp_path: Path) -> None:
    model = write_attention_model(tmp_path / "model.onnx").read_bytes()

    changed = onnx.load_from_string(with_outputs(model, ["attention1", "x" * 300]))

    assert [output.name for output in changed.graph.output] == ["result", "attention1", "x" * 300]
    del changed.graph.output[1:]
    assert changed == onnx.load_from_string(model)
    assert with_outputs(model, []) == model


def test_a_session_gives_them(tmp_path: Path) -> None:
    path = write_attention_model(tmp_path / "model.onnx")
    tokenizer = write_words(tmp_path / "tokenizer.json")

    graph = OnnxGraph(path, tokenizer, 16, EmbedderError, "Softmax")
    ids = graph.tokenize("a b c")
    (attention, states), mask = graph.run_many(["attention0", "result"], [ids])

    assert graph.node_outputs == ("attention0", "attention1")
    assert attention.shape == (1, 2, 5, 5)
    assert np.allclose(attention.sum(axis=-1), 1)
    assert mask.shape == (1, 5)
    plain, _ = OnnxGraph(path, tokenizer, 16, EmbedderError).run("result", [ids])
    assert np.array_equal(plain, states)


def test_weights_beside_the_file_are_still_found(tmp_path: Path) -> None:
    path = write_attention_model(tmp_path / "model.onnx")
    wanted, _ = OnnxGraph(path, write_words(tmp_path / "t.json"), 16, EmbedderError).run(
        "result", [[0, 7, 2]]
    )
    outside = tmp_path / "outside.onnx"
    onnx.save(onnx.load(str(path)), str(outside), save_as_external_data=True, size_threshold=0)

    graph = OnnxGraph(outside, tmp_path / "t.json", 16, EmbedderError, "Softmax")

    assert np.allclose(graph.run("result", [[0, 7, 2]])[0], wanted)


@PROFILE
@given(st.binary(max_size=200))
def test_bytes_that_are_no_model_are_refused_or_empty(content: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(node_outputs(content, "Softmax"), list)


@pytest.mark.parametrize("cut", [1, 10, 100])
def test_a_file_that_was_cut_is_refused(tmp_path: Path, cut: int) -> None:
    path = write_attention_model(tmp_path / "model.onnx")
    path.write_bytes(path.read_bytes()[:-cut])

    with pytest.raises(EmbedderError, match="cannot be loaded"):
        OnnxGraph(path, write_words(tmp_path / "t.json"), 16, EmbedderError, "Softmax")
