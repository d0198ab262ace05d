"""What compression really left of a text, measured (store-compress-staleness, 3.3 and limitation "idealized
compression": the paper only models it)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from memspan import _core
from memspan.encode.compression.pieces import split_pieces
from memspan.encode.kept_words import names_in, numbers_in
from memspan.encode.tags.entities import find_names_in
from memspan.encode.tags.words import WordReader

__all__ = ["Fidelity", "fidelity_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """Shares of a text that its compressed form still has, each 0-1; 1 where there was nothing to lose."""

    ratio: float
    """Words that remain; larger than what was asked for where names, numbers, dates and negations are many."""
    tokens: float
    """Evidence-bearing tokens: distinct stems, stop words left out."""
    entities: float
    """Names."""
    numbers: float
    agreement: float | None = None
    """Cosine of the embeddings before and after; `None` when they were not compared."""

    @property
    def mean(self) -> float:
        """Of all that was measured, the ratio left out."""
        known = [self.tokens, self.entities, self.numbers]
        if self.agreement is not None:
            known.append(self.agreement)
        return sum(known) / len(known)

    def to_dict(self) -> dict[str, Any]:
        """For metadata, rounded."""
        return {name: round(value, 4) for name, value in asdict(self).items() if value is not None}


def fidelity_of(
    original: str,
    compressed: str,
    *,
    entities: Iterable[str] = (),
    embeddings: tuple[ArrayLike, ArrayLike] | None = None,
) -> Fidelity:
    """Compare a text with what compression made of it. O(n).

    Args:
        entities: names that the text is known to hold; those told by their capitals are added.
        embeddings: of the text before and after, of one embedder.
    """
    words = len(split_pieces(original))
    stems = set(_core.analyze(original, "english"))
    names = names_in({name for name in {*entities, *_names(original)} if name}, original)
    numbers = numbers_in([original])
    return Fidelity(
        ratio=_share(len(split_pieces(compressed)), words),
        tokens=_share(len(stems & set(_core.analyze(compressed, "english"))), len(stems)),
        entities=_share(len(names_in(names, compressed)), len(names)),
        numbers=_share(len(numbers & numbers_in([compressed])), len(numbers)),
        agreement=None if embeddings is None else _cosine(*embeddings),
    )


def _names(text: str) -> set[str]:
    return {name.text for name in find_names_in([WordReader().read(text)], frozenset())}


def _share(kept: int, had: int) -> float:
    return min(1.0, kept / had) if had else 1.0


def _cosine(before: ArrayLike, after: ArrayLike) -> float:
    first, second = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(np.clip(first @ second / lengths, -1.0, 1.0)) if lengths else 0.0
