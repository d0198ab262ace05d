"""Evidence recall against the compression ratio, on real text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from memspan.encode.compression.corpus import frequencies_in
from memspan.lifecycle.compression import nominal_fidelity
from memspan.lifecycle.fidelity import Fidelity, fidelity_of
from memspan.lifecycle.shortening import pieces_of, ratios_of, shortened, word_scores
from memspan.records import Record

from .asking import ask_all
from .conversations import Conversation, Embedding, embed
from .outcome import RealOutcome

__all__ = ["RATIOS", "compression"]

RATIOS: Final = (0.8, 0.6, 0.4, 0.2)
_STRATEGIES: Final = ("uniform", "adaptive", "hierarchical")


def compression(
    conversations: Sequence[Conversation],
    embedding: Embedding,
    advance: Callable[[int], object],
    targets: Sequence[float] = RATIOS,
) -> Iterator[RealOutcome]:
    """Every turn in its own words, then by each strategy at each target ratio, embedded and indexed anew."""
    yield RealOutcome("compression", "none", ask_all(conversations, embedding, advance=advance), True)
    for strategy in _STRATEGIES:
        for target in targets:
            reworded: dict[str, list[Record]] = {}
            nominal: list[float] = []
            measured: list[Fidelity] = []
            for one in conversations:
                records, wanted = _compressed(one.records, strategy, target)
                reworded[one.user] = embed(records, embedding)
                nominal += wanted
                measured += [
                    fidelity_of(old.text, new.text, embeddings=(_vector(old), _vector(new)))
                    for old, new in zip(one.records, reworded[one.user], strict=True)
                ]
            values = ask_all(conversations, embedding, reworded=reworded, advance=advance)
            name = f"{strategy}, r* = {target:g}"
            yield RealOutcome("compression", name, values, measured=_summary(nominal, measured))


def _compressed(records: Sequence[Record], strategy: str, target: float) -> tuple[list[Record], list[float]]:
    wanted = ratios_of(records, strategy, target)
    pieces = pieces_of(records)
    texts = [record.text for record in records]
    scores = word_scores(pieces, lambda words: frequencies_in(texts, words))
    short = shortened(records, wanted, pieces, scores)
    changed = [replace(record, text=text) for record, text in zip(records, short, strict=True)]
    return changed, nominal_fidelity(wanted).tolist()


def _vector(record: Record) -> np.ndarray:
    assert record.embedding is not None
    return record.embedding


def _summary(nominal: Sequence[float], measured: Sequence[Fidelity]) -> dict[str, float]:
    return {
        "ratio": float(np.mean([each.ratio for each in measured])),
        "nominal": float(np.mean(nominal)),
        "tokens": float(np.mean([each.tokens for each in measured])),
        "entities": float(np.mean([each.entities for each in measured])),
        "numbers": float(np.mean([each.numbers for each in measured])),
        "agreement": float(np.mean([each.agreement or 0.0 for each in measured])),
    }
