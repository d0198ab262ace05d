"""`QueryAdapter`: moves the vector of a question to where its answers lie."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.errors import invalid

__all__ = ["QueryAdapter"]

_LARGEST_RANK: Final = 256
_LARGEST_DIM: Final = 65_536

Matrix = NDArray[np.float32]


class QueryAdapter:
    """A linear step of low rank on the vectors of questions: q + U Vᵀ q, at unit length. Immutable.

    Embedders put a question near texts that say the same, which are other questions as often as answers. What is
    learned here from questions with known answers is what answers have that questions do not; the records' vectors,
    and so the index, stay as they are. It belongs to one embedder. 10-20 us for a vector of 384.

    Args:
        embedder: name of the embedder whose vectors it was learned on.
        checksum: of that embedder.
        up: U, shape (dim, rank), float32.
        down: V, of the same shape.

    Raises:
        InvalidArgumentError: matrices of other shapes, or with values that are not finite.
    """

    __slots__ = ("_checksum", "_down", "_embedder", "_up")

    def __init__(self, *, embedder: str, checksum: str, up: Matrix, down: Matrix) -> None:
        self._embedder: Final = embedder
        self._checksum: Final = checksum
        self._up: Final = _matrix(up, "up")
        self._down: Final = _matrix(down, "down")
        if self._up.shape != self._down.shape:
            raise invalid("down", self._down.shape, f"the shape of up, {self._up.shape}")

    @property
    def embedder(self) -> str:
        """Name of the embedder that it is for."""
        return self._embedder

    @property
    def checksum(self) -> str:
        """Checksum of the embedder that it is for."""
        return self._checksum

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self._up.shape[0])

    def __call__(self, vector: Matrix) -> Matrix:
        """The moved vector, shape (dim,), at unit length. O(dim rank)."""
        moved: Matrix = vector + self._up @ (vector @ self._down)
        length = float(np.linalg.norm(moved))
        return moved / length if length > 0.0 else vector

    def to_dict(self) -> dict[str, Any]:
        """Its embedder and its matrices, as 16-bit floats in base64."""
        return {
            "embedder": self._embedder,
            "checksum": self._checksum,
            "dim": self.dim,
            "up": _dump(self._up),
            "down": _dump(self._down),
        }

    @classmethod
    def from_dict(cls, value: Any) -> QueryAdapter:
        """Read what `to_dict` wrote.

        Raises:
            InvalidArgumentError: a field is missing or of the wrong type or size.
        """
        if not isinstance(value, Mapping):
            raise invalid("adapter", value, "an object with embedder, checksum, dim, up and down")
        dim = value.get("dim")
        if not isinstance(dim, int) or isinstance(dim, bool) or not 1 <= dim <= _LARGEST_DIM:
            raise invalid("adapter.dim", dim, f"an integer from 1 to {_LARGEST_DIM}")
        texts = {name: value.get(name) for name in ("embedder", "checksum", "up", "down")}
        for name, text in texts.items():
            if not isinstance(text, str):
                raise invalid(f"adapter.{name}", text, "text")
        return cls(
            embedder=str(texts["embedder"]),
            checksum=str(texts["checksum"]),
            up=_parse(str(texts["up"]), dim, "adapter.up"),
            down=_parse(str(texts["down"]), dim, "adapter.down"),
        )


def _matrix(value: Any, name: str) -> Matrix:
    matrix = np.array(value, np.float32)  # a copy: nobody else changes it
    if matrix.ndim != 2 or not 1 <= matrix.shape[1] <= _LARGEST_RANK or not np.isfinite(matrix).all():
        raise invalid(name, matrix.shape, f"finite floats of shape (dim, rank), with rank 1-{_LARGEST_RANK}")
    matrix.setflags(write=False)
    return matrix


def _dump(matrix: Matrix) -> str:
    return base64.b64encode(matrix.astype("<f2").tobytes()).decode()


def _parse(text: str, dim: int, name: str) -> Matrix:
    accepted = f"base64 of 16-bit floats, a multiple of {dim} of them"
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise invalid(name, text, accepted) from error
    if not raw or len(raw) % (2 * dim):
        raise invalid(name, f"{len(raw)} bytes", accepted)
    return np.frombuffer(raw, "<f2").reshape(dim, -1).astype(np.float32)
