"""`WeightTable`: a weight for every feature, and what is added to it under each condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_choice, as_texts
from memspan.errors import invalid

__all__ = ["ALWAYS", "CONDITIONS", "Condition", "WeightTable"]

Condition: TypeAlias = Literal[
    "when",
    "list",
    "order",
    "summary",
    "assistant",
    "preference",
    "update",
    "yes_no",
    "first_person",
    "timed",
    "roles",
]

CONDITIONS: Final[tuple[Condition, ...]] = get_args(Condition)
"""What can be said of a question: the kinds of `memspan.recall.kind_of` but `lookup`, that it speaks of its asker,
that it names a time, and of the memory: that its speakers are a user and an assistant."""

ALWAYS: Final = "always"
_LARGEST: Final = 1e4


class WeightTable:
    """Weights by condition and feature. Immutable.

    Args:
        weights: by condition (`always`, or one of `CONDITIONS`) and feature; what is missing is 0.
        features: all that there are, in order.

    Raises:
        InvalidArgumentError: an unknown name, or a weight that is no number from -10,000 to 10,000.
    """

    __slots__ = ("_features", "_rows")

    def __init__(self, weights: Mapping[str, Mapping[str, float]], features: Sequence[str]) -> None:
        if not isinstance(weights, Mapping):
            raise invalid("weights", weights, "a dict of dicts of numbers")
        self._features: Final = tuple(features)
        self._rows: Final = {name: self._row(name, weights.get(name, {})) for name in (ALWAYS, *CONDITIONS)}
        for name in weights:
            if name not in self._rows:
                raise invalid("weights", name, f"the conditions {ALWAYS} | " + " | ".join(CONDITIONS))

    @property
    def weights(self) -> dict[str, dict[str, float]]:
        """The weights that are not 0."""
        named = {
            condition: {name: float(value) for name, value in zip(self._features, row, strict=True) if value}
            for condition, row in self._rows.items()
        }
        return {condition: row for condition, row in named.items() if row}

    def rounded(self) -> dict[str, dict[str, float]]:
        """The weights as files hold them, with five decimals."""
        return {
            condition: {name: round(value, 5) for name, value in row.items()}
            for condition, row in self.weights.items()
        }

    def row(self, conditions: Sequence[Condition] = ()) -> NDArray[np.float32]:
        """The weights for one question, in the order of the features.

        Raises:
            InvalidArgumentError: an unknown condition.
        """
        row: NDArray[np.float32] = self._rows[ALWAYS].copy()
        for position, name in enumerate(as_texts(conditions, "conditions")):
            row += self._rows[CONDITIONS[as_choice(name, f"conditions[{position}]", CONDITIONS)]]
        return row

    def _row(self, condition: str, weights: Any) -> NDArray[np.float32]:
        if not isinstance(weights, Mapping):
            raise invalid(f"weights[{condition}]", weights, "a dict from features to numbers")
        row = np.zeros(len(self._features), np.float32)
        for name, value in weights.items():
            if name not in self._features:
                raise invalid(f"weights[{condition}]", name, "the features " + " | ".join(self._features))
            number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            if not number or not abs(value) <= _LARGEST:  # NaN is refused too
                raise invalid(
                    f"weights[{condition}][{name}]", value, f"a number from -{_LARGEST:g} to {_LARGEST:g}"
                )
            row[self._features.index(name)] = value
        return row
