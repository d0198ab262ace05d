"""`WeightDelta`: what tuning changed in the weights of a model, small enough to be shipped without the model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from memspan.embed.onnx_bytes.weights import weights_in
from memspan.embed.products import product

__all__ = ["WeightDelta"]

Matrix = NDArray[np.float32]

_DOWN, _UP, _SHIFT = ".down", ".up", ".shift"
_LARGEST_RANK: Final = 256
_LARGEST_BYTES: Final = 64 << 20


class WeightDelta:
    """Changes of a model's weights: of low rank where the weight is a matrix (Hu et al., "LoRA", ICLR 2022), in full
    where it is a vector. Immutable.

    It is applied to the model's file in memory before a runtime reads it. Matrices that were quantised are quantised
    again, to as many levels as before, so that the changed model is as fast as the other one.

    Args:
        arrays: for a matrix `name` of shape (rows, columns), `name.down` of shape (rows, rank) and `name.up` of shape
            (rank, columns), whose product is added; for a vector `name`, `name.shift` of its shape, which is added. A
            matrix is named without `_quantized`, which its weight, `_scale` and `_zero_point` end with in the model.

    Raises:
        ValueError: arrays of other names, shapes or values.
    """

    __slots__ = ("_arrays",)

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays: Final = {name: _checked(name, array) for name, array in arrays.items()}
        for name in self._arrays:
            other = name.removesuffix(_DOWN) + _UP if name.endswith(_DOWN) else name.removesuffix(_UP) + _DOWN
            if not name.endswith(_SHIFT) and other not in self._arrays:
                raise ValueError(f"weight delta: {name!r} is there without {other!r}")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> WeightDelta:
        """Read what `save` wrote.

        Raises:
            ValueError: the file is too large or damaged.
            OSError: it cannot be read.
        """
        if Path(path).stat().st_size > _LARGEST_BYTES:
            raise ValueError(f"weight delta {path}: more than {_LARGEST_BYTES} bytes")
        try:
            with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
                return cls({name: file[name] for name in file.files})
        except (ValueError, BadZipFile, EOFError, AttributeError) as error:
            raise ValueError(f"weight delta {path}: is damaged ({error})") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as 16-bit floats in NumPy's `.npz` format."""
        with open(path, "wb") as file:
            numbers: dict[str, Any] = {name: array.astype("<f2") for name, array in self._arrays.items()}
            np.savez_compressed(file, **numbers)

    def applied_to(self, model: bytes) -> bytes:
        """The model's file with the changes.

        Raises:
            ValueError: the file is no ONNX model, or has no such weights.
        """
        changed = bytearray(model)
        weights = weights_in(changed)
        for name, array in self._arrays.items():
            if name.endswith(_SHIFT):
                vector = _weight(weights, name.removesuffix(_SHIFT), array.shape)
                vector += array
            elif name.endswith(_DOWN):
                base = name.removesuffix(_DOWN)
                _add(weights, base, array, self._arrays[base + _UP])
        return bytes(changed)

    def __repr__(self) -> str:
        return f"WeightDelta(numbers={sum(array.size for array in self._arrays.values())})"


def _add(weights: Mapping[str, NDArray[Any]], name: str, down: Matrix, up: Matrix) -> None:
    """Add the product to a matrix, which is float32 or int8 with a scale for all, or for each column."""
    shape = (down.shape[0], up.shape[1])
    if name in weights:
        matrix = _weight(weights, name, shape)
        matrix += product(down, up)
        return
    codes = _weight(weights, f"{name}_quantized", shape)
    scale = weights.get(f"{name}_scale")
    if scale is None or scale.dtype != np.float32 or scale.size not in (1, shape[1]):
        raise ValueError(f"weight delta: the model has no scale of {name!r} for all, or for each column")
    levels = float(np.abs(codes.astype(np.int16)).max()) or 127.0
    wanted = codes * scale + product(down, up)
    largest = np.abs(wanted).max(axis=0 if scale.size > 1 else None)
    scale[...] = np.where(largest > 0.0, largest / levels, 1.0).reshape(scale.shape)
    codes[...] = np.clip(np.rint(wanted / scale), -levels, levels)


def _weight(weights: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    found = weights.get(name)
    if found is None or found.shape != shape:
        here = "is missing" if found is None else f"has shape {found.shape}"
        raise ValueError(f"weight delta: weight {name!r} of shape {shape} {here} in the model")
    return found


def _checked(name: str, array: NDArray[Any]) -> Matrix:
    if not name.endswith((_DOWN, _UP, _SHIFT)):
        raise ValueError(f"weight delta: {name!r} ends with none of .down, .up and .shift")
    rank = {_DOWN: 1, _UP: 0}.get(name[name.rindex(".") :])
    fits = array.ndim == 1 if rank is None else array.ndim == 2 and 1 <= array.shape[rank] <= _LARGEST_RANK
    if not fits or array.dtype.kind != "f" or not np.isfinite(array).all():
        raise ValueError(
            f"weight delta: {name!r} has shape {array.shape} and type {array.dtype}; accepted: finite floats, "
            f"a vector for .shift, else a matrix of rank 1-{_LARGEST_RANK}"
        )
    copy = np.array(array, np.float32)
    copy.setflags(write=False)
    return copy
