"""What tuning changed is added to the weights in a model's file; the `onnx` package says what is right."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from memspan.embed.onnx_bytes.weights import weights_in
from memspan.embed.weight_delta import WeightDelta

RNG = np.random.default_rng(5)


def model_of(tensors: dict[str, NDArray[Any]], *, raw: bool = True) -> bytes:
    """A model of nothing but weights."""
    initializers = [
        numpy_helper.from_array(values, name)
        if raw
        else helper.make_tensor(
            name, helper.np_dtype_to_tensor_dtype(values.dtype), values.shape, values.ravel()
        )
        for name, values in tensors.items()
    ]
    graph = helper.make_graph([], "weights", [], [], initializers)
    return bytes(helper.make_model(graph).SerializeToString())


def tensors_of(model: bytes) -> dict[str, NDArray[Any]]:
    return {each.name: numpy_helper.to_array(each) for each in onnx.load_from_string(model).graph.initializer}


def quantised(matrix: NDArray[np.float32], levels: int) -> dict[str, NDArray[Any]]:
    scale = (np.abs(matrix).max(axis=0) / levels).astype(np.float32)
    codes = np.rint(matrix / scale).astype(np.int8)
    return {"w_quantized": codes, "w_scale": scale, "w_zero_point": np.zeros(len(scale), np.int8)}


@pytest.mark.parametrize("raw", [True, False])
def test_weights_are_read_and_written_where_they_lie(raw: bool) -> None:
    tensors = {
        "matrix": RNG.standard_normal((3, 4), np.float32),
        "vector": RNG.standard_normal(5, np.float32),
        "one": np.array(2.5, np.float32),
    }
    if raw:
        tensors["codes"] = RNG.integers(-127, 128, (2, 3), np.int8)
    numbers = {"numbers": np.arange(3, dtype=np.int64)}
    model = bytearray(model_of(tensors | numbers, raw=raw))

    weights = weights_in(model)

    assert weights.keys() == tensors.keys()
    assert all(np.array_equal(weights[name], tensors[name]) for name in tensors)
    weights["matrix"][1, 2] = tensors["matrix"][1, 2] = 7.0
    changed = tensors_of(bytes(model))
    assert all(np.array_equal(changed[name], values) for name, values in (tensors | numbers).items())


@given(st.binary(max_size=60))
@PROFILE
def test_bytes_that_are_no_model_are_refused_or_have_no_weights(junk: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(weights_in(bytearray(junk)), dict)


@pytest.mark.parametrize("levels", [64, 127])
def test_a_quantised_matrix_is_changed_and_quantised_to_as_many_levels(levels: int) -> None:
    matrix = RNG.standard_normal((30, 20), np.float32)
    down, up = RNG.standard_normal((30, 2), np.float32), RNG.standard_normal((2, 20), np.float32)
    model = model_of(quantised(matrix, levels))
    before = tensors_of(model)

    after = tensors_of(WeightDelta({"w.down": down, "w.up": up}).applied_to(model))

    wanted = before["w_quantized"] * before["w_scale"] + down @ up
    assert np.abs(after["w_quantized"].astype(int)).max() == levels
    assert np.allclose(after["w_scale"], np.abs(wanted).max(axis=0) / levels)
    assert np.abs(after["w_quantized"] * after["w_scale"] - wanted).max() <= after["w_scale"].max() * 0.51
    nothing = WeightDelta({"w.down": 0 * down, "w.up": up}).applied_to(model)
    assert nothing == model


def test_one_scale_for_all_floats_and_vectors_are_changed() -> None:
    matrix, vector = RNG.standard_normal((4, 3), np.float32), RNG.standard_normal(3, np.float32)
    scale = np.float32(np.abs(matrix).max() / 127)
    model = model_of(
        {"f": matrix, "b": vector, "q_quantized": np.rint(matrix / scale).astype(np.int8), "q_scale": scale}
    )
    down, up = RNG.standard_normal((4, 1), np.float32), RNG.standard_normal((1, 3), np.float32)
    shift = RNG.standard_normal(3, np.float32)
    delta = WeightDelta({"f.down": down, "f.up": up, "q.down": down, "q.up": up, "b.shift": shift})

    after = tensors_of(delta.applied_to(model))

    assert np.allclose(after["f"], matrix + down @ up)
    assert np.allclose(after["b"], vector + shift)
    assert np.allclose(
        after["q_quantized"] * after["q_scale"], matrix + down @ up, atol=2 * float(after["q_scale"])
    )


def test_a_file_brings_back_what_was_saved(tmp_path: Path) -> None:
    model = model_of({"onnx::MatMul_1": np.ones((2, 2), np.float32)})
    delta = WeightDelta({"onnx::MatMul_1.down": np.ones((2, 1)), "onnx::MatMul_1.up": np.full((1, 2), 0.5)})
    delta.save(tmp_path / "delta.npz")

    loaded = WeightDelta.load(tmp_path / "delta.npz")

    assert loaded.applied_to(model) == delta.applied_to(model) != model
    assert repr(loaded) == "WeightDelta(numbers=4)"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"w": np.ones(3)}, "ends with none of .down, .up and .shift"),
        ({"w.down": np.ones((3, 1))}, r"'w.down' is there without 'w.up'"),
        ({"w.up": np.ones((1, 3))}, r"'w.up' is there without 'w.down'"),
        ({"w.shift": np.ones((3, 1))}, "accepted: finite floats"),
        ({"w.shift": np.array([1.0, np.nan])}, "accepted: finite floats"),
        ({"w.shift": np.array(["x"])}, "accepted: finite floats"),
        ({"w.down": np.ones((3, 300)), "w.up": np.ones((300, 3))}, "rank 1-256"),
    ],
)
def test_other_arrays_are_refused(arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WeightDelta(arrays)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"other.shift": np.ones(3)}, "weight 'other' of shape .* is missing"),
        ({"b.shift": np.ones(4)}, r"'b' of shape \(4,\) has shape \(3,\)"),
        ({"q.down": np.ones((2, 1)), "q.up": np.ones((1, 2))}, "no scale of 'q'"),
    ],
)
def test_a_model_without_such_weights_is_refused(arrays: dict[str, Any], message: str) -> None:
    model = model_of({"b": np.ones(3, np.float32), "q_quantized": np.ones((2, 2), np.int8)})
    with pytest.raises(ValueError, match=message):
        WeightDelta(arrays).applied_to(model)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "delta.npz"
    WeightDelta({"b.shift": np.ones(300)}).save(path)
    whole = path.read_bytes()
    for damaged in (b"", b"x" * 50, whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is damaged"):
            WeightDelta.load(path)
    with pytest.raises(OSError, match="missing"):
        WeightDelta.load(tmp_path / "missing.npz")


def test_a_type_that_is_not_kept_is_left_out() -> None:
    model = bytearray(model_of({"half": np.ones(3, np.float16), "f": np.ones(3, np.float32)}))
    assert list(weights_in(model)) == ["f"]
    assert TensorProto.FLOAT == 1
    assert TensorProto.INT8 == 3
