"""`RankingNet`: what a small net over all features adds to their weighted sum."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan import _core
from memspan.errors import invalid

__all__ = ["MOST", "UNITS", "RankingNet"]

UNITS: Final = 32
"""Hidden units."""

MOST: Final = 4.0
"""Scaled features are cut off here, so that nothing that was never seen runs away."""

_PARTS: Final = ("mean", "scale", "weights", "bias", "out")
_LARGEST: Final = 1e6
_DIGITS: Final = 5

Matrix = NDArray[np.float32]


class RankingNet:
    """One hidden layer: the sum over units of `out * s / sqrt(1 + s^2)`, where `s` is the bias and the weighted sum of
    the features, less their mean and times their scale, cut off at +-4; less what that is for the mean itself. So it
    says how a record differs from the usual one, in ways that a weighted sum cannot. Immutable.

    Args:
        mean, scale: shape (features,).
        weights: shape (features, 32).
        bias, out: shape (32,).

    Raises:
        InvalidArgumentError: another shape, or what is no finite number up to a million.
    """

    __slots__ = ("_native", "_parts", "_usual")

    def __init__(self, *, mean: Any, scale: Any, weights: Any, bias: Any, out: Any) -> None:
        features = len(_core.feature_names())
        shapes = ((features,), (features,), (features, UNITS), (UNITS,), (UNITS,))
        given = (mean, scale, weights, bias, out)
        self._parts: Final = {
            name: _matrix(name, value, shape)
            for name, value, shape in zip(_PARTS, given, shapes, strict=True)
        }
        self._native: Final = _core.RankingNet(**self._parts)
        self._usual: Final = _softened(self._parts["bias"]) @ self._parts["out"]

    @property
    def native(self) -> _core.RankingNet:
        """What the native core evaluates."""
        return self._native

    def __call__(self, features: Matrix) -> Matrix:
        """What it adds to the score of each candidate, (n, features) to (n,); as the native core does, up to
        rounding. O(n x features x units)."""
        own = self._parts
        seen = np.clip((features - own["mean"]) * own["scale"], -MOST, MOST)
        answer: Matrix = _softened(seen @ own["weights"] + own["bias"]) @ own["out"] - self._usual
        return answer

    def to_dict(self) -> dict[str, Any]:
        """What `from_dict` reads; numbers to five digits."""
        return {
            name: [float(f"{value:.{_DIGITS}g}") for value in part.ravel()]
            for name, part in self._parts.items()
        }

    @classmethod
    def from_dict(cls, document: Any) -> RankingNet:
        """What `to_dict` gave.

        Raises:
            InvalidArgumentError: it is something else.
        """
        if not isinstance(document, dict) or set(document) != set(_PARTS):
            raise invalid("net", document, "a dict of " + ", ".join(_PARTS))
        weights, wanted = document["weights"], len(_core.feature_names()) * UNITS
        if not isinstance(weights, list) or len(weights) != wanted:
            raise invalid("net[weights]", weights, f"{wanted} numbers")
        rows = [weights[at : at + UNITS] for at in range(0, wanted, UNITS)]
        return cls(**{**document, "weights": rows})


def _softened(sums: Matrix) -> Matrix:
    answer: Matrix = sums / np.sqrt(1.0 + sums * sums)
    return answer


def _matrix(name: str, value: Any, shape: tuple[int, ...]) -> Matrix:
    accepted = f"finite numbers up to {_LARGEST:,.0f}, of shape {shape}"
    try:
        exact = np.array(value)
    except ValueError as error:  # rows of different lengths
        raise invalid(f"net[{name}]", value, accepted) from error
    if exact.dtype.kind not in "iuf" or exact.shape != shape:
        raise invalid(f"net[{name}]", value, accepted)
    if not (np.abs(exact) <= _LARGEST).all():  # NaN is refused too
        raise invalid(f"net[{name}]", value, accepted)
    matrix = np.ascontiguousarray(exact, np.float32)
    matrix.flags.writeable = False
    return matrix
