"""`Lingua`: retention scores of a token classifier in ONNX, such as LLMLingua-2 (LightMem 3.1; extra `onnx`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memspan.base.worker_threads import beside
from memspan.embed.loaded_once import LoadedOnce
from memspan.embed.onnx_files import check_file, require_digests
from memspan.embed.onnx_graph import OnnxGraph, require_packages
from memspan.embed.protocol import check_count, check_text
from memspan.encode.stage import Tools
from memspan.errors import LLMError

from .pieces import Piece
from .scorers import share_out

__all__ = ["Lingua"]

_RETAIN = 1
"""The class "retain" of the logits, l_i in softmax(l_i)_1."""


class Lingua:
    """Scores pieces by P(retain x_i | x) = softmax(l_i)_1, the mean over a piece's tokens.

    Weights are the user's to get: none comes with memspan. The files are read at the first use. Safe to use from
    several threads and tasks at once.

    Args:
        model_path: an ONNX graph with inputs `input_ids` and, or not, `attention_mask` and `token_type_ids`, and an
            output of shape `(batch, tokens, 2)`: the logits of "drop" and "retain".
        tokenizer_path: its tokenizer, in the JSON format of the `tokenizers` package.
        name: for logs; None takes `lingua:` and the file's name.
        max_tokens: the longest input of the model; longer texts are scored in parts.
        model_sha256, tokenizer_sha256: refuse files unless these are their checksums.

    Raises:
        InvalidArgumentError: an argument of the wrong type or value, or a path that is not a file.
        MissingExtraError: onnxruntime or tokenizers is not installed.
        LLMError: at the first use: a file that is damaged or another one, or a graph with other inputs or outputs.
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str],
        tokenizer_path: str | os.PathLike[str],
        *,
        name: str | None = None,
        max_tokens: int = 512,
        model_sha256: str | None = None,
        tokenizer_sha256: str | None = None,
    ) -> None:
        require_packages("Lingua")
        self._paths = (check_file(model_path, "model_path"), check_file(tokenizer_path, "tokenizer_path"))
        self.name = f"lingua:{self._paths[0].name}" if name is None else check_text(name, "name")
        self._max_tokens = check_count(max_tokens, "max_tokens", 8, 32768)
        self._expected = (model_sha256, tokenizer_sha256)
        self._kept: LoadedOnce[None, tuple[OnnxGraph, str]] = LoadedOnce()

    def __repr__(self) -> str:
        return f"Lingua(name={self.name!r})"

    async def score(
        self, texts: Sequence[str], pieces: Sequence[Sequence[Piece]], tools: Tools
    ) -> list[NDArray[np.float64]]:
        """See `Scorer.score`. One text at a time, in a thread."""

        def scores() -> list[NDArray[np.float64]]:
            return [self._of_text(text, of_text) for text, of_text in zip(texts, pieces, strict=True)]

        return await beside(scores)

    def _of_text(self, text: str, pieces: Sequence[Piece]) -> NDArray[np.float64]:
        """Scores of the pieces; a text that does not fit is halved between two pieces."""
        if not pieces:
            return np.empty(0)
        graph, output = self._graph()
        start, end = pieces[0].start, pieces[-1].end
        ids, spans = graph.tokenize_with_spans(text[start:end])
        # A tokenizer that cut the text gave as many tokens as it may.
        if len(ids) >= self._max_tokens and len(pieces) > 1:
            middle = len(pieces) // 2
            return np.concatenate(
                [self._of_text(text, pieces[:middle]), self._of_text(text, pieces[middle:])]
            )
        logits, _ = graph.run(output, [ids])
        chances = _softmax(logits[0].astype(np.float64))[:, _RETAIN]
        moved = [(start + first, start + last) for first, last in spans]
        return share_out(pieces, moved, chances.tolist(), mean=True)

    def _graph(self) -> tuple[OnnxGraph, str]:
        return self._kept.get(None, self._load)

    def _load(self, _: None) -> tuple[OnnxGraph, str]:
        require_digests(f"compressor {self.name!r}", zip(self._paths, self._expected, strict=True), LLMError)
        graph = OnnxGraph(*self._paths, self._max_tokens, LLMError)
        return graph, _logits_of(graph, self._paths[0])


def _logits_of(graph: OnnxGraph, path: Path) -> str:
    for name, shape in graph.outputs.items():
        if len(shape) == 3 and (shape[2] == 2 or not isinstance(shape[2], int)):
            return name
    raise LLMError(f"{path.name}: the graph gives {graph.outputs}; expected one (batch, tokens, 2)")


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
