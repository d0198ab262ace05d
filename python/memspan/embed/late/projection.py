"""`Projection`: from a graph's output for a token to a short vector, and from that to bytes."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from memspan.embed.products import product
from memspan.errors import EmbedderError
from memspan.limits import MAX_DIM

__all__ = ["Projection", "to_bytes"]

_ARRAY: Final = "projection"
_LARGEST_BYTES: Final = 64 << 20
_DAMAGED = (ValueError, BadZipFile, zlib.error, EOFError, AttributeError, TypeError, KeyError, RuntimeError)


class Projection:
    """A matrix that turns a token's state of `width` numbers into a direction of `dim`. Immutable.

    Computed in float64: the order in which a processor adds then does not show in float32 or in bytes.

    Args:
        matrix: shape `(width, dim)`, finite floats.

    Raises:
        ValueError: another shape or type, or a value that is not finite.
    """

    __slots__ = ("_matrix",)

    def __init__(self, matrix: NDArray[Any]) -> None:
        fits = matrix.ndim == 2 and all(1 <= length <= MAX_DIM for length in matrix.shape)
        if not fits or matrix.dtype.kind != "f" or not np.isfinite(matrix).all():
            raise ValueError(
                f"projection: has shape {matrix.shape} and type {matrix.dtype}; accepted: finite floats of shape "
                f"(width, dim), both 1-{MAX_DIM}"
            )
        self._matrix: Final = np.array(matrix, np.float64)
        self._matrix.setflags(write=False)

    @classmethod
    def load(cls, path: Path) -> Projection:
        """Read it from a file in NumPy's `.npz` format, whose only array is `projection`.

        Raises:
            EmbedderError: the file cannot be read, is damaged or too large, or holds something else.
        """
        try:
            if path.stat().st_size > _LARGEST_BYTES:
                raise ValueError(f"has more than {_LARGEST_BYTES} bytes")
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                return cls(file[_ARRAY])
        except OSError as error:
            raise EmbedderError(f"projection {path}: cannot be read ({error})") from error
        except _DAMAGED as error:
            raise EmbedderError(
                f"projection {path}: is damaged or no .npz file with {_ARRAY!r} ({error})"
            ) from error

    @property
    def width(self) -> int:
        """Length of the states that it takes."""
        return int(self._matrix.shape[0])

    @property
    def dim(self) -> int:
        """Length of the vectors that it makes."""
        return int(self._matrix.shape[1])

    def directions(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        """Each state scaled to length 1, projected, and scaled to length 1 again. O(n · width · dim).

        Args:
            states: shape `(n, width)`.

        Returns:
            Shape `(n, dim)`.

        Raises:
            ValueError: a state that is not finite, or that has no direction, before or after.
        """
        units = _units(states.astype(np.float64))
        return _units(product(units, self._matrix))

    def __repr__(self) -> str:
        return f"Projection(width={self.width}, dim={self.dim})"


def to_bytes(directions: NDArray[np.float64]) -> NDArray[np.int8]:
    """Vectors of length 1 as int8, 127 to 1; no row becomes zero."""
    return np.clip(np.rint(directions * 127.0), -127.0, 127.0).astype(np.int8)


def _units(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0.0).any():
        raise ValueError("a token's vector holds NaN, infinity or only zeros")
    return np.asarray(rows / lengths, dtype=np.float64)
