"""Products in pieces are those of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from memspan.embed.products import product

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [
        (0, 3, 4),
        (1, 1, 1),
        (43, 4, 1536),
        (385, 4, 1536),
        (100, 384, 96),
        (3, 600, 600),
        (5, 0, 4),
        (5, 4, 0),
    ],
)
def test_it_is_the_product(kind: type, rows: int, inner: int, columns: int) -> None:
    left = RNG.standard_normal((rows, inner)).astype(kind)
    right = RNG.standard_normal((inner, columns)).astype(kind)
    answer = product(left, right)
    assert answer.dtype == kind
    assert answer.shape == (rows, columns)
    exact = left.astype(np.longdouble) @ right.astype(np.longdouble)
    assert np.abs(answer - exact).max(initial=0) <= np.finfo(kind).eps * (inner + 1) * 20
