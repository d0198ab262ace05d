"""Late interaction on this machine's CPU with a transformer model in ONNX (extra `onnx`)."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memspan.base.cores import available_cores
from memspan.embed.in_threads import run_each
from memspan.embed.loaded_once import LoadedOnce
from memspan.embed.models import require_model
from memspan.embed.onnx_files import check_file, digest, packaged, require_digests
from memspan.embed.onnx_graph import require_packages
from memspan.embed.protocol import check_count, check_dim, check_text, check_texts
from memspan.embed.registry import DEFAULT_TOKEN_MODEL, TOKEN_MODELS, TokenModelSpec, get_spec, unknown_model
from memspan.errors import EmbedderError

from .model import FRAME_TOKENS, LateModel
from .projection import Projection
from .protocol import MAX_TOKEN_VECTORS, validate_document_tokens, validate_query_tokens

__all__ = ["OnnxTokenEmbedder"]

_WINDOW = 4096


class OnnxTokenEmbedder:
    """A model for late interaction run by onnxruntime, CPU only: `TokenEmbedder`.

    Files are read at the first use, so making one is cheap. Calls may come from several threads. Every text runs
    through the model alone and `threads` texts run at once, so that its vectors depend on nothing but the text:
    graphs with dynamic int8 quantisation scale activations over the whole batch.

    Args:
        model_path: an ONNX graph with inputs `input_ids` and, or not, `attention_mask` and `token_type_ids`, and an
            output of shape `(batch, tokens, width)`. Weights kept outside the file are loaded but not covered by the
            checksum.
        tokenizer_path: a tokenizer in the JSON format of the `tokenizers` package, with the tokens `[CLS]`, `[SEP]`,
            `[unused0]` (marks a question) and `[unused1]` (marks a document).
        projection_path: a file in NumPy's `.npz` format with an array `projection` of shape `(width, dim)`, floats.
        name: recorded in the store; None takes `onnx:` and the file's name.
        max_tokens: documents are cut to this many tokens, the three around a text included; 4..512. At most
            64 characters a token are looked at.
        max_question_tokens: likewise for questions; 4..67.
        max_vectors: the first so many tokens of a document that are no punctuation get a vector; 1..64.
        threads: texts run at once; None for all cores this process may use.
        dim: length of the vectors, when it should be known without reading the projection; checked on loading.
        question_delta: a file of `WeightDelta`: what tuning changed in the weights for questions. Documents go
            through the model as it is, so that this is no part of the checksum: what was stored stays.
        model_sha256: refuse the graph unless this is its sha256; likewise `tokenizer_sha256`.

    Raises:
        InvalidArgumentError: an argument of the wrong type or value, or a path that is not a file.
        MissingExtraError: onnxruntime or tokenizers is not installed.
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str],
        tokenizer_path: str | os.PathLike[str],
        projection_path: str | os.PathLike[str],
        *,
        name: str | None = None,
        max_tokens: int = 96,
        max_question_tokens: int = 63,
        max_vectors: int = MAX_TOKEN_VECTORS,
        threads: int | None = None,
        dim: int | None = None,
        question_delta: str | os.PathLike[str] | None = None,
        model_sha256: str | None = None,
        tokenizer_sha256: str | None = None,
    ) -> None:
        require_packages("OnnxTokenEmbedder")
        self._model_path = check_file(model_path, "model_path")
        self._tokenizer_path = check_file(tokenizer_path, "tokenizer_path")
        self._projection_path = check_file(projection_path, "projection_path")
        self.name = f"onnx:{self._model_path.name}" if name is None else check_text(name, "name")
        self._max_tokens = check_count(max_tokens, "max_tokens", FRAME_TOKENS + 1, 512)
        self._max_question_tokens = check_count(
            max_question_tokens, "max_question_tokens", FRAME_TOKENS + 1, FRAME_TOKENS + MAX_TOKEN_VECTORS
        )
        self._max_vectors = check_count(max_vectors, "max_vectors", 1, MAX_TOKEN_VECTORS)
        self._threads = available_cores() if threads is None else check_count(threads, "threads", 1, 1024)
        self._dim = None if dim is None else check_dim(dim)
        self._expected = (model_sha256, tokenizer_sha256)
        self._lock = threading.Lock()
        self._projection: Projection | None = None
        self._question_delta = (
            None if question_delta is None else check_file(question_delta, "question_delta")
        )
        self._models: LoadedOnce[Path | None, LateModel] = LoadedOnce()  # as it is, and changed for questions
        self._checksum: str | None = None

    @classmethod
    def from_registry(
        cls, name: str = DEFAULT_TOKEN_MODEL, *, threads: int | None = None
    ) -> OnnxTokenEmbedder:
        """An embedder for a known model whose files are on this machine; their sha256 is checked on loading.

        Raises:
            InvalidArgumentError: no known model for late interaction has that name.
            MissingExtraError: onnxruntime or tokenizers is not installed.
            ModelNotFoundError: the files are not here; the message names the command that gets them.
        """
        require_packages("OnnxTokenEmbedder")
        spec = get_spec(name)
        if not isinstance(spec, TokenModelSpec):
            raise unknown_model(name, TOKEN_MODELS)
        files = require_model(name)
        return cls(
            files.model,
            files.tokenizer,
            packaged(spec.projection),
            name=spec.name,
            max_tokens=spec.max_tokens,
            max_question_tokens=spec.max_question_tokens,
            max_vectors=spec.max_vectors,
            threads=threads,
            dim=spec.dim,
            question_delta=None if spec.question_delta is None else packaged(spec.question_delta),
            model_sha256=spec.model.sha256,
            tokenizer_sha256=spec.tokenizer.sha256,
        )

    def __repr__(self) -> str:
        return f"OnnxTokenEmbedder(name={self.name!r}, threads={self._threads})"

    @property
    def dim(self) -> int:
        """Length of the vectors; reads the projection unless it was given."""
        if self._dim is None:
            with self._lock:
                return self._projected().dim
        return self._dim

    @property
    def checksum(self) -> str:
        """sha256 over the files' sha256 and everything else that decides the vectors of a document."""
        if self._checksum is None:
            model, tokenizer = self._expected
            described = {
                "model": model or digest(self._model_path, EmbedderError),
                "tokenizer": tokenizer or digest(self._tokenizer_path, EmbedderError),
                "projection": digest(self._projection_path, EmbedderError),
                "max_tokens": self._max_tokens,
                "max_vectors": self._max_vectors,
            }
            self._checksum = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
        return self._checksum

    def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.int8]]:
        """Embed the tokens of texts, `threads` texts at once. See `TokenEmbedder.embed_documents`."""
        checked = check_texts(texts)
        if not checked:
            return []
        model = self._models.get(None, self._load)
        found: dict[int, NDArray[np.int8]] = {}

        def run(position: int) -> None:
            found[position] = model.document(
                checked[position], self._max_tokens - FRAME_TOKENS, self._max_vectors
            )

        for start in range(0, len(checked), _WINDOW):
            window = range(start, min(start + _WINDOW, len(checked)))
            longest_first = sorted(window, key=lambda position: -len(checked[position]))
            run_each(run, longest_first, self._threads, "memspan-embed")
        vectors = [found[position] for position in range(len(checked))]
        return validate_document_tokens(vectors, self.dim, len(checked), self.name)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed the tokens of one question in the calling thread. See `TokenEmbedder.embed_query`."""
        checked = check_text(text, "text")
        model = self._models.get(self._question_delta, self._load)
        vectors = model.question(checked, self._max_question_tokens - FRAME_TOKENS)
        return validate_query_tokens(vectors, self.dim, self.name)

    def _load(self, delta: Path | None) -> LateModel:
        paths = (self._model_path, self._tokenizer_path)
        require_digests(
            f"token embedder {self.name!r}", zip(paths, self._expected, strict=True), EmbedderError
        )
        most = max(self._max_tokens, self._max_question_tokens)
        return LateModel(*paths, self._projected(), most, delta)

    def _projected(self) -> Projection:
        """The projection; called with the lock held."""
        if self._projection is None:
            projection = Projection.load(self._projection_path)
            if self._dim not in (None, projection.dim):
                raise EmbedderError(
                    f"token embedder {self.name!r}: the projection gives {projection.dim} dimensions, not {self._dim}"
                )
            self._projection = projection
        return self._projection
