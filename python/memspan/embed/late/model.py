"""A model for late interaction in ONNX: from a text to the vectors of its tokens."""

from __future__ import annotations

import string
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.embed.onnx_graph import OnnxGraph
from memspan.errors import EmbedderError

from .projection import Projection, to_bytes

__all__ = ["FRAME_TOKENS", "LateModel"]

FRAME_TOKENS: Final = 3
"""Tokens that are put around a text: [CLS] and a marker before it, [SEP] behind."""

_BEFORE: Final = 2
_FIRST, _LAST = "[CLS]", "[SEP]"
_QUESTION, _DOCUMENT = "[unused0]", "[unused1]"


class LateModel:
    """A loaded model, with the markers of ColBERT (Khattab and Zaharia, SIGIR 2020): a token of its own says whether
    a text is a question or a document. Safe to use from several threads at once; holds no lock.

    Every text runs alone, so that its vectors depend on nothing else.

    Args:
        model_path: an ONNX graph with an output of shape `(batch, tokens, width)`; others are ignored.
        tokenizer_path: a tokenizer in the JSON format of the `tokenizers` package, with the tokens `[CLS]`, `[SEP]`,
            `[unused0]` (marks a question) and `[unused1]` (marks a document).
        projection: makes the vectors of the graph's output.
        max_tokens: most tokens of a text that are looked at, those around it not counted.
        delta: a file with changes of its weights: `WeightDelta`.

    Raises:
        EmbedderError: a file that cannot be loaded, a graph with other inputs or outputs, a tokenizer without these
            tokens, or a projection of another width.
    """

    def __init__(
        self,
        model_path: Path,
        tokenizer_path: Path,
        projection: Projection,
        max_tokens: int,
        delta: Path | None = None,
    ) -> None:
        self._name = model_path.name
        self._projection = projection
        self._graph = OnnxGraph(model_path, tokenizer_path, max_tokens, EmbedderError, delta=delta)
        self._first, self._last, self._question, self._document = (
            self._known(token, tokenizer_path) for token in (_FIRST, _LAST, _QUESTION, _DOCUMENT)
        )
        self._punctuation = frozenset(map(self._graph.token_id, string.punctuation)) - {None}
        self._output, width = self._graph.token_output()
        if width is not None:
            self._require_width(width)

    def document(self, text: str, max_tokens: int, max_vectors: int) -> NDArray[np.int8]:
        """Vectors of a document's tokens, without punctuation.

        Args:
            text: of it, the first `max_tokens` tokens are looked at.
            max_tokens: at most that of the model.
            max_vectors: the first so many of them get a vector.

        Returns:
            Shape `(n, dim)`, `n` from 0 to `max_vectors`.

        Raises:
            EmbedderError: the graph failed, or its output has no direction.
        """
        tokens = self._graph.tokenize_bare(text, max_tokens)
        kept = [place for place, token in enumerate(tokens) if token not in self._punctuation]
        return to_bytes(self._directions(self._document, tokens, kept[:max_vectors]))

    def question(self, text: str, max_tokens: int) -> NDArray[np.float32]:
        """Vectors of length 1 of a question's first `max_tokens` tokens, shape `(n, dim)`; otherwise as `document`."""
        tokens = self._graph.tokenize_bare(text, max_tokens)
        return self._directions(self._question, tokens, range(len(tokens))).astype(np.float32)

    def _directions(self, marker: int, tokens: list[int], kept: Sequence[int]) -> NDArray[np.float64]:
        """The vectors of the tokens at the places `kept`."""
        if not kept:
            return np.empty((0, self._projection.dim))
        states, _ = self._graph.run(self._output, [[self._first, marker, *tokens, self._last]])
        self._require_width(states.shape[2])
        try:
            return self._projection.directions(states[0, _BEFORE + np.asarray(kept)])
        except ValueError as error:
            raise EmbedderError(f"{self._name}: {error}") from error

    def _known(self, token: str, tokenizer_path: Path) -> int:
        found = self._graph.token_id(token)
        if found is None:
            raise EmbedderError(f"tokenizer {tokenizer_path}: has no token {token}")
        return found

    def _require_width(self, width: int) -> None:
        if width != self._projection.width:
            raise EmbedderError(
                f"{self._name}: the graph gives {width} numbers a token; the projection takes {self._projection.width}"
            )
