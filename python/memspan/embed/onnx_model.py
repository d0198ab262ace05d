"""An embedding model in ONNX: from texts to token ids, from token ids to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memspan.embed.onnx_graph import OnnxGraph
from memspan.embed.registry import Pooling
from memspan.errors import EmbedderError

__all__ = ["OnnxModel"]


class OnnxModel:
    """A loaded model. Safe to use from several threads at once; `run` holds no lock and releases the GIL.

    Args:
        model_path: an ONNX graph that takes `input_ids` and `attention_mask` (and `token_type_ids` or not)
            and has an output of shape `(batch, tokens, dim)`.
        tokenizer_path: a tokenizer in the JSON format of the `tokenizers` package.
        pooling: how the vector is made of the tokens' outputs.
        max_tokens: texts are cut to this many tokens, the special ones included.
        delta: a file with changes of its weights: `WeightDelta`.

    Raises:
        EmbedderError: a file that cannot be loaded, or a graph with other inputs or outputs.
    """

    def __init__(
        self,
        model_path: Path,
        tokenizer_path: Path,
        pooling: Pooling,
        max_tokens: int,
        delta: Path | None = None,
    ) -> None:
        self._pooling = pooling
        self._graph = OnnxGraph(model_path, tokenizer_path, max_tokens, EmbedderError, delta=delta)
        self._output, width = self._graph.token_output()
        self.dim = int(self.run(self.tokenize(["dimension"])).shape[1]) if width is None else width

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens included, at most `max_tokens`."""
        return [self._graph.tokenize(text) for text in texts]

    def run(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Vectors of tokenized texts, shape `(len(batch), dim)`, of length 1.

        The batch is padded to its longest text and the padding masked.

        Raises:
            EmbedderError: the graph failed.
        """
        states, mask = self._graph.run(self._output, batch)
        return _normalise(_pool(states, mask, self._pooling))


def _pool(states: NDArray[np.float32], mask: NDArray[np.int64], pooling: Pooling) -> NDArray[np.float32]:
    if pooling == "cls":
        first: NDArray[np.float32] = states[:, 0]
        return first
    weights = mask.astype(np.float32)[:, :, None]
    total = (states * weights).sum(axis=1)
    return np.asarray(total / weights.sum(axis=1), dtype=np.float32)


def _normalise(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to length 1; a zero row stays zero, for `validate_vectors` to report."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled = np.zeros_like(vectors)
    np.divide(vectors, lengths, out=scaled, where=lengths != 0)
    return scaled
