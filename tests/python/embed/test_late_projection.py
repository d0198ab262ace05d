from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan.embed.late.projection import Projection, to_bytes
from memspan.embed.onnx_files import packaged
from memspan.embed.registry import TOKEN_MODELS
from memspan.errors import EmbedderError

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_a_file_is_read_and_states_become_directions(tmp_path: Path, kind: type[np.floating[Any]]) -> None:
    matrix, states = RNG.normal(size=(6, 4)).astype(kind), RNG.normal(size=(5, 6)).astype(np.float32)
    np.savez_compressed(tmp_path / "p.npz", projection=matrix)
    projection = Projection.load(tmp_path / "p.npz")
    assert (projection.width, projection.dim) == (6, 4)
    assert repr(projection) == "Projection(width=6, dim=4)"
    wanted = states.astype(float) @ matrix.astype(float)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert np.allclose(projection.directions(states), wanted, atol=1e-12)
    assert np.allclose(projection.directions(states * np.float32(1e15)), wanted, atol=1e-6)
    assert projection.directions(states[:0]).shape == (0, 4)


def test_a_row_depends_on_itself_only() -> None:
    projection = Projection(RNG.normal(size=(384, 96)))
    states = RNG.normal(size=(64, 384)).astype(np.float32)
    together = to_bytes(projection.directions(states))
    assert all(
        np.array_equal(to_bytes(projection.directions(states[[row]]))[0], together[row]) for row in range(64)
    )


def test_bytes_keep_the_direction() -> None:
    rows = RNG.normal(size=(200, 96))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[0] = 0.0
    rows[0, 7] = -1.0
    found = to_bytes(rows)
    assert found.dtype == np.int8
    assert found[0].tolist() == [0] * 7 + [-127] + [0] * 88
    cosines = (rows * found).sum(axis=1) / np.linalg.norm(found, axis=1)
    assert cosines.min() > 0.999
    flat = np.full((1, 8192), 8192**-0.5)
    assert to_bytes(flat).all()


@pytest.mark.parametrize(
    "states", [np.zeros((1, 3)), np.full((1, 3), np.nan), np.full((1, 3), np.inf), np.array([[0.0, 0, 1]])]
)
def test_a_state_without_a_direction_is_refused(states: Any) -> None:
    projection = Projection(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="NaN, infinity or only zeros"):
        projection.directions(np.concatenate([np.eye(2, 3), states]).astype(np.float32))


@pytest.mark.parametrize(
    "matrix",
    [
        np.ones(3),
        np.ones((2, 3, 4)),
        np.ones((0, 3)),
        np.ones((1, 8193)),
        np.ones((3, 2), np.int8),
        np.array([[1.0, np.nan]]),
        np.array([["x"]]),
    ],
)
def test_other_arrays_are_refused(tmp_path: Path, matrix: Any) -> None:
    with pytest.raises(ValueError, match="accepted: finite floats"):
        Projection(matrix)
    np.savez(tmp_path / "p.npz", projection=matrix)
    with pytest.raises(EmbedderError, match="p.npz: is damaged or .*accepted: finite floats"):
        Projection.load(tmp_path / "p.npz")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    np.savez_compressed(path, projection=RNG.normal(size=(30, 20)))
    whole = path.read_bytes()
    middle = len(whole) // 2
    for damaged in (
        b"",
        b"x" * 50,
        whole[:middle],
        whole[:middle] + bytes(byte ^ 0xFF for byte in whole[middle : middle + 8]) + whole[middle + 8 :],
    ):
        path.write_bytes(damaged)
        with pytest.raises(EmbedderError, match="p.npz: is damaged or no .npz file"):
            Projection.load(path)
    np.savez(path, other=np.ones((2, 2)))
    with pytest.raises(EmbedderError, match="no .npz file with 'projection'"):
        Projection.load(path)
    np.save(tmp_path / "p.npy", np.ones((2, 2)))
    with pytest.raises(EmbedderError, match="p.npy: is damaged"):
        Projection.load(tmp_path / "p.npy")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("projection.npy", b"no array")
    with pytest.raises(EmbedderError, match="p.npz: is damaged"):
        Projection.load(path)
    with pytest.raises(EmbedderError, match="missing.npz: cannot be read"):
        Projection.load(tmp_path / "missing.npz")


def test_pickles_are_not_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", projection=np.array([[{}]], dtype=object))
    with pytest.raises(EmbedderError, match="pickle"):
        Projection.load(tmp_path / "p.npz")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.embed.late.projection._LARGEST_BYTES", 10)
    np.savez(tmp_path / "p.npz", projection=np.ones((2, 2)))
    with pytest.raises(EmbedderError, match="more than 10 bytes"):
        Projection.load(tmp_path / "p.npz")


@pytest.mark.parametrize("name", list(TOKEN_MODELS))
def test_every_known_model_has_its_files_in_the_package(name: str) -> None:
    spec = TOKEN_MODELS[name]
    assert Projection.load(packaged(spec.projection)).dim == spec.dim
    assert spec.question_delta is None or packaged(spec.question_delta).is_file()
