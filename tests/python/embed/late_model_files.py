"""The files of a tiny model for late interaction, whose vectors can be worked out by hand."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS = ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[unused0]", "[unused1]", *"abcdefgh", *".,!?'#"]
RNG = np.random.default_rng(11)
TABLE = RNG.normal(size=(len(WORDS), 3)).astype(np.float32)
MATRIX = RNG.normal(size=(3, 2)).astype(np.float16)


def write_files(
    folder: Path,
    tiny: ModuleType,
    *,
    graph: dict[str, Any] | None = None,
    words: list[str] = WORDS,
    matrix: NDArray[Any] = MATRIX,
) -> tuple[Path, Path, Path]:
    """A graph whose state of a token is its row of `TABLE`, a tokenizer of `words`, and a projection."""
    model = tiny.write_model(folder / "model.onnx", **{"table": TABLE, **(graph or {})})
    tokenizer = tiny.write_tokenizer(folder / "tokenizer.json", padded=True, words=words)
    np.savez(folder / "projection.npz", projection=matrix)
    return model, tokenizer, folder / "projection.npz"


def expected(text: str, table: NDArray[np.float32] = TABLE) -> NDArray[np.float64]:
    """The vectors of length 1 of a text's words, punctuation too."""
    rows = [WORDS.index(word) if word in WORDS else WORDS.index("[UNK]") for word in text.split()]
    states = table[rows].astype(np.float64)
    projected = states / np.linalg.norm(states, axis=1, keepdims=True) @ MATRIX.astype(np.float64)
    return np.asarray(projected / np.linalg.norm(projected, axis=1, keepdims=True))


def expected_bytes(text: str) -> NDArray[np.int8]:
    return np.rint(expected(text) * 127).astype(np.int8)
