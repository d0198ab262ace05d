"""Embedding on this machine's CPU with a transformer model in ONNX (extra `onnx`)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from memspan.base.cores import available_cores
from memspan.embed.batching import plan_batches
from memspan.embed.in_threads import run_each
from memspan.embed.loaded_once import LoadedOnce
from memspan.embed.models import require_model
from memspan.embed.onnx_files import check_file, digest, packaged, require_digests
from memspan.embed.onnx_graph import require_packages
from memspan.embed.onnx_model import OnnxModel
from memspan.embed.protocol import check_count, check_dim, check_text, check_texts, validate_vectors
from memspan.embed.registry import DEFAULT_MODEL, MODELS, EmbeddingSpec, Pooling, get_spec, unknown_model
from memspan.errors import EmbedderError, invalid

__all__ = ["OnnxEmbedder"]

_WINDOW = 4096
_BATCH_CELLS = 1 << 14


class OnnxEmbedder:
    """A sentence embedding model run by onnxruntime, CPU only. Vectors have length 1.

    Files are read at the first use, so making one is cheap. Calls may come from several threads.

    By default every text runs through the model alone and `threads` texts run at once, so that a vector
    depends on nothing but its text: graphs with dynamic int8 quantisation scale activations over the whole
    batch, and there the same text moves by up to .014 in cosine with its neighbours. Float graphs
    do not, and may gain from a larger `batch_texts`.

    Args:
        model_path: an ONNX graph with inputs `input_ids`, `attention_mask` and, or not, `token_type_ids`,
            and an output of shape `(batch, tokens, dim)`. Weights kept outside the file are loaded but not
            covered by the checksum.
        tokenizer_path: a tokenizer in the JSON format of the `tokenizers` package.
        name: recorded in the store; None takes `onnx:` and the file's name.
        pooling: `"cls"`, the first token's output, or `"mean"`, the average over the text's tokens.
        query_prefix: put before every question.
        document_prefix: put before every document.
        max_tokens: texts are cut to this many tokens, prefix and special tokens included; 8..32768. At most
            64 characters a token are looked at.
        threads: texts or batches run at once; None for all cores this process may use.
        batch_texts: most texts in one run of the model.
        dim: length of the vectors, when it should be known without loading the model; checked on loading.
        question_delta: a file of `WeightDelta`: what tuning changed in the weights for questions. Documents go
            through the model as it is, so that this is no part of the checksum: what was stored stays.
        tuned_prefix: put before every question in place of `query_prefix`, where `question_delta` was learned
            from questions with it; None: `query_prefix`. No part of the checksum either.
        model_sha256: refuse the graph unless this is its sha256; likewise `tokenizer_sha256`.

    Raises:
        InvalidArgumentError: an argument of the wrong type or value, or a path that is not a file.
        MissingExtraError: onnxruntime or tokenizers is not installed.
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str],
        tokenizer_path: str | os.PathLike[str],
        *,
        name: str | None = None,
        pooling: Pooling = "cls",
        query_prefix: str = "",
        document_prefix: str = "",
        max_tokens: int = 512,
        threads: int | None = None,
        batch_texts: int = 1,
        dim: int | None = None,
        question_delta: str | os.PathLike[str] | None = None,
        tuned_prefix: str | None = None,
        model_sha256: str | None = None,
        tokenizer_sha256: str | None = None,
    ) -> None:
        require_packages("OnnxEmbedder")
        if pooling not in get_args(Pooling):
            raise invalid("pooling", pooling, " or ".join(map(repr, get_args(Pooling))))
        self._model_path = check_file(model_path, "model_path")
        self._tokenizer_path = check_file(tokenizer_path, "tokenizer_path")
        self.name = f"onnx:{self._model_path.name}" if name is None else check_text(name, "name")
        self._pooling: Pooling = pooling
        self._query_prefix = check_text(query_prefix, "query_prefix")
        self._document_prefix = check_text(document_prefix, "document_prefix")
        self._max_tokens = check_count(max_tokens, "max_tokens", 8, 32768)
        self._threads = available_cores() if threads is None else check_count(threads, "threads", 1, 1024)
        self._batch_texts = check_count(batch_texts, "batch_texts", 1, 4096)
        self._dim = None if dim is None else check_dim(dim)
        self._expected = (model_sha256, tokenizer_sha256)
        self._question_delta = (
            None if question_delta is None else check_file(question_delta, "question_delta")
        )
        if tuned_prefix is not None and question_delta is None:
            raise invalid("tuned_prefix", tuned_prefix, "None without question_delta")
        self._asked_with = (
            self._query_prefix if tuned_prefix is None else check_text(tuned_prefix, "tuned_prefix")
        )
        self._models: LoadedOnce[Path | None, OnnxModel] = LoadedOnce()  # as it is, and changed for questions
        self._checksum: str | None = None

    @classmethod
    def from_registry(
        cls, name: str = DEFAULT_MODEL, *, threads: int | None = None, batch_texts: int = 1
    ) -> OnnxEmbedder:
        """An embedder for a known model whose files are on this machine; their sha256 is checked on loading.

        Raises:
            InvalidArgumentError: no known model has that name.
            MissingExtraError: onnxruntime or tokenizers is not installed.
            ModelNotFoundError: the files are not here; the message names the command that gets them.
        """
        require_packages("OnnxEmbedder")
        spec = get_spec(name)
        if not isinstance(spec, EmbeddingSpec):
            raise unknown_model(name, MODELS)
        files = require_model(name)
        return cls(
            files.model,
            files.tokenizer,
            name=spec.name,
            pooling=spec.pooling,
            query_prefix=spec.query_prefix,
            document_prefix=spec.document_prefix,
            max_tokens=spec.max_tokens,
            threads=threads,
            batch_texts=batch_texts,
            dim=spec.dim,
            question_delta=None if spec.question_delta is None else packaged(spec.question_delta),
            tuned_prefix=spec.tuned_prefix,
            model_sha256=spec.model.sha256,
            tokenizer_sha256=spec.tokenizer.sha256,
        )

    def __repr__(self) -> str:
        return f"OnnxEmbedder(name={self.name!r}, threads={self._threads})"

    @property
    def dim(self) -> int:
        """Length of the vectors; loads the model unless it was given."""
        return self._models.get(None, self._load).dim if self._dim is None else self._dim

    @property
    def checksum(self) -> str:
        """sha256 over both files' sha256 and everything else that decides the vector of a document."""
        if self._checksum is None:
            model, tokenizer = self._expected
            described = {
                "model": model or digest(self._model_path, EmbedderError),
                "tokenizer": tokenizer or digest(self._tokenizer_path, EmbedderError),
                "pooling": self._pooling,
                "query_prefix": self._query_prefix,
                "document_prefix": self._document_prefix,
                "max_tokens": self._max_tokens,
            }
            self._checksum = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
        return self._checksum

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, `threads` at once. See `Embedder.embed_documents`."""
        checked = check_texts(texts)
        if not checked:
            return np.empty((0, self.dim), dtype=np.float32)
        model = self._models.get(None, self._load)
        vectors = np.empty((len(checked), model.dim), dtype=np.float32)
        for start in range(0, len(checked), _WINDOW):
            window = [self._document_prefix + text for text in checked[start : start + _WINDOW]]
            self._embed(model, window, vectors[start : start + len(window)])
        return validate_vectors(vectors, model.dim, len(checked), self.name)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one question, with its prefix, in the calling thread. See `Embedder.embed_query`."""
        model = self._models.get(self._question_delta, self._load)
        tokens = model.tokenize([self._asked_with + check_text(text, "text")])
        vector: NDArray[np.float32] = validate_vectors(model.run(tokens), model.dim, 1, self.name)[0]
        return vector

    def _embed(self, model: OnnxModel, texts: list[str], out: NDArray[np.float32]) -> None:
        tokens = model.tokenize(texts)
        batches = plan_batches([len(ids) for ids in tokens], self._batch_texts, _BATCH_CELLS)

        def run(batch: list[int]) -> None:
            out[batch] = model.run([tokens[position] for position in batch])

        run_each(run, batches, self._threads, "memspan-embed")

    def _load(self, delta: Path | None) -> OnnxModel:
        paths = (self._model_path, self._tokenizer_path)
        require_digests(f"embedder {self.name!r}", zip(paths, self._expected, strict=True), EmbedderError)
        model = OnnxModel(*paths, self._pooling, self._max_tokens, delta)
        if self._dim not in (None, model.dim):
            raise EmbedderError(
                f"embedder {self.name!r}: the model gives {model.dim} dimensions, not {self._dim}"
            )
        return model
