"""How much sentences attend to one another inside a transformer (LightMem 3.1, C.1; extra `onnx`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from memspan.embed.loaded_once import LoadedOnce
from memspan.embed.models import require_model
from memspan.embed.onnx_files import check_file, require_digests
from memspan.embed.onnx_graph import OnnxGraph, require_packages
from memspan.embed.protocol import check_count
from memspan.embed.registry import DEFAULT_MODEL, get_spec
from memspan.errors import EmbedderError

__all__ = ["Attention", "OnnxAttention", "room_for", "sentence_attention"]

_ENDS: Final = 3
"""Tokens at either end of a sequence that are masked: attention sinks (C.1)."""
_UPPER: Final = 3
"""The upper one of so many parts of the layers is looked at: 8 to 11 of twelve, as in the paper."""


class Attention(Protocol):
    """Tells how much each sentence of a sequence attends to each."""

    def between(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Shape (n, n), row i from sentence i to all, not negative; blocks without tokens are 0.

        Raises:
            MemspanError: the model failed.
        """


class OnnxAttention:
    """Attention of an encoder in ONNX, of its upper layers, averaged over heads and layers.

    The graph is the one that makes embeddings, or a compressor's: the results of its Softmax nodes become outputs
    when it is loaded, in memory. All sentences are one sequence; when they do not fit, the longest are cut. Loaded at
    the first use; safe to use from several threads, and the same sentences give the same values. O(tokens^2).

    Args:
        model_path, tokenizer_path: as for `OnnxEmbedder`; a Softmax of shape `(batch, heads, tokens, tokens)` a layer.
        max_tokens: the longest input of the model, special tokens included.
        model_sha256, tokenizer_sha256: refuse files unless these are their checksums.
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str],
        tokenizer_path: str | os.PathLike[str],
        *,
        max_tokens: int = 512,
        model_sha256: str | None = None,
        tokenizer_sha256: str | None = None,
    ) -> None:
        require_packages("OnnxAttention")
        self._paths = (check_file(model_path, "model_path"), check_file(tokenizer_path, "tokenizer_path"))
        self._max_tokens = check_count(max_tokens, "max_tokens", 16, 32768)
        self._expected = (model_sha256, tokenizer_sha256)
        self._kept: LoadedOnce[None, tuple[OnnxGraph, list[str]]] = LoadedOnce()

    @classmethod
    def from_registry(cls, name: str = DEFAULT_MODEL) -> OnnxAttention:
        """Of a known model whose files are on this machine.

        Raises:
            InvalidArgumentError: no known model has that name.
            MissingExtraError, ModelNotFoundError: as for `OnnxEmbedder.from_registry`.
        """
        require_packages("OnnxAttention")
        spec = get_spec(name)
        files = require_model(name)
        return cls(
            files.model,
            files.tokenizer,
            max_tokens=spec.max_tokens,
            model_sha256=spec.model.sha256,
            tokenizer_sha256=spec.tokenizer.sha256,
        )

    def __repr__(self) -> str:
        return f"OnnxAttention({self._paths[0].name!r})"

    def between(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """See `Attention.between`."""
        graph, layers = self._graph()
        tokens = [graph.tokenize_bare(sentence) for sentence in sentences]
        frame = graph.tokenize("")
        first, last = frame[:1], frame[1:]
        room = room_for([len(ids) for ids in tokens], self._max_tokens - len(frame))
        ids, owners = list(first), [-1] * len(first)
        for position, (of_sentence, most) in enumerate(zip(tokens, room, strict=True)):
            ids += of_sentence[:most]
            owners += [position] * min(most, len(of_sentence))
        ids, owners = ids + last, owners + [-1] * len(last)
        values, _ = graph.run_many(layers, [ids])
        return sentence_attention([layer[0] for layer in values], owners, len(sentences))

    def _graph(self) -> tuple[OnnxGraph, list[str]]:
        return self._kept.get(None, self._load)

    def _load(self, _: None) -> tuple[OnnxGraph, list[str]]:
        require_digests(
            f"attention of {self._paths[0]}", zip(self._paths, self._expected, strict=True), EmbedderError
        )
        graph = OnnxGraph(*self._paths, self._max_tokens, EmbedderError, "Softmax")
        return graph, _upper_layers(graph, self._paths[0])


def _upper_layers(graph: OnnxGraph, path: Path) -> list[str]:
    shapes = graph.outputs
    layers = [name for name in graph.node_outputs if len(shapes[name]) in (0, 4)]
    if not layers:
        raise EmbedderError(f"{path.name}: the graph has no Softmax of shape (batch, heads, tokens, tokens)")
    return layers[-max(1, len(layers) // _UPPER) :]


def room_for(lengths: Sequence[int], total: int) -> list[int]:
    """How many tokens each sentence may have so that all are at most `total`: short ones all theirs, the others
    equally many; 0 for some where there are more sentences than tokens. O(n log n)."""
    room = [0] * len(lengths)
    left = total
    for done, position in enumerate(sorted(range(len(lengths)), key=lambda i: (lengths[i], i))):
        room[position] = min(lengths[position], left // (len(lengths) - done))
        left -= room[position]
    return room


def sentence_attention(
    layers: Sequence[NDArray[np.float32]], owners: Sequence[int], sentences: int
) -> NDArray[np.float64]:
    """Attention between sentences from that between tokens (C.1).

    The first and the last three tokens are masked and each token's remaining attention brought to sum 1; then the mean
    over the token pairs of two sentences, and over heads and layers.

    Args:
        layers: of one sequence, each of shape (heads, tokens, tokens).
        owners: the sentence of each token; negative for special tokens.

    Returns:
        Shape (sentences, sentences).
    """
    ends = len(owners) - _ENDS
    seen = np.array([owner >= 0 and _ENDS <= place < ends for place, owner in enumerate(owners)], dtype=bool)
    member = np.zeros((sentences, len(owners)))
    for place, owner in enumerate(owners):
        if seen[place]:
            member[owner, place] = 1
    sizes = member.sum(axis=1)
    mean = member / np.maximum(sizes, 1)[:, None]
    total = np.zeros((sentences, sentences))
    for layer in layers:
        weights = layer.mean(axis=0, dtype=np.float64) * seen[None, :]
        sums = weights.sum(axis=1, keepdims=True)
        np.divide(weights, sums, out=weights, where=sums > 0)
        total += mean @ weights @ mean.T
    return np.asarray(total / max(1, len(layers)))
