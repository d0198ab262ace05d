"""Reranking on this machine's CPU with a cross-encoder in ONNX (extra `onnx`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memspan.base.cores import available_cores
from memspan.embed.in_threads import run_each
from memspan.embed.loaded_once import LoadedOnce
from memspan.embed.models import require_model
from memspan.embed.onnx_files import check_file, require_digests
from memspan.embed.onnx_graph import OnnxGraph, require_packages
from memspan.embed.protocol import check_count, check_text, check_texts
from memspan.embed.registry import DEFAULT_RERANKER, RERANKERS, RerankerSpec, get_spec, unknown_model
from memspan.errors import RerankerError

__all__ = ["OnnxReranker"]


class OnnxReranker:
    """A cross-encoder run by onnxruntime, CPU only. Calls may come from several threads.

    Files are read at the first use, so making one is cheap. Every pair of question and passage runs through the
    model alone and `threads` pairs run at once: a score then depends on nothing but its pair (with dynamic int8
    quantisation others in the batch move it by up to .6), nothing is padded, and batches would be no faster: 10.5
    against 12 ms for a pair of 45 tokens.

    Args:
        model_path: an ONNX graph with inputs `input_ids`, `attention_mask` and, or not, `token_type_ids`, and one
            output of shape `(batch, 1)` or `(batch,)`: the log odds that the passage answers the question.
        tokenizer_path: a tokenizer in the JSON format of the `tokenizers` package that knows how to join two texts.
        name: None takes `onnx:` and the file's name.
        max_tokens: a pair is cut to this many tokens, the longer text first; 16..32768.
        threads: pairs run at once; None for all cores this process may use.
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
        max_tokens: int = 256,
        threads: int | None = None,
        model_sha256: str | None = None,
        tokenizer_sha256: str | None = None,
    ) -> None:
        require_packages("OnnxReranker")
        self._paths = (check_file(model_path, "model_path"), check_file(tokenizer_path, "tokenizer_path"))
        self.name = f"onnx:{self._paths[0].name}" if name is None else check_text(name, "name")
        self._max_tokens = check_count(max_tokens, "max_tokens", 16, 32768)
        self._threads = available_cores() if threads is None else check_count(threads, "threads", 1, 1024)
        self._expected = (model_sha256, tokenizer_sha256)
        self._pairs: LoadedOnce[None, _Pairs] = LoadedOnce()

    @classmethod
    def from_registry(cls, name: str = DEFAULT_RERANKER, *, threads: int | None = None) -> OnnxReranker:
        """A known reranker whose files are on this machine; their sha256 is checked on loading.

        Raises:
            InvalidArgumentError: no known reranker has that name.
            MissingExtraError: onnxruntime or tokenizers is not installed.
            ModelNotFoundError: the files are not here; the message names the command that gets them.
        """
        require_packages("OnnxReranker")
        spec = get_spec(name)
        if not isinstance(spec, RerankerSpec):
            raise unknown_model(name, RERANKERS)
        files = require_model(name)
        return cls(
            files.model,
            files.tokenizer,
            name=spec.name,
            max_tokens=spec.max_tokens,
            threads=threads,
            model_sha256=spec.model.sha256,
            tokenizer_sha256=spec.tokenizer.sha256,
        )

    def __repr__(self) -> str:
        return f"OnnxReranker(name={self.name!r}, threads={self._threads})"

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Score passages, `threads` at once. See `Reranker.score`."""
        check_text(question, "question")
        checked = check_texts(passages, "passages")
        pairs = self._pairs.get(None, self._load)
        scores = np.empty(len(checked), dtype=np.float32)

        def run(position: int) -> None:
            scores[position] = pairs.score(question, checked[position])

        longest_first = sorted(range(len(checked)), key=lambda position: -len(checked[position]))
        run_each(run, longest_first, self._threads, "memspan-rerank")
        return scores

    def _load(self, _: None) -> _Pairs:
        require_digests(
            f"reranker {self.name!r}", zip(self._paths, self._expected, strict=True), RerankerError
        )
        return _Pairs(*self._paths, self._max_tokens)


class _Pairs:
    """A loaded cross-encoder. Safe to use from several threads at once."""

    def __init__(self, model_path: Path, tokenizer_path: Path, max_tokens: int) -> None:
        self._graph = OnnxGraph(model_path, tokenizer_path, max_tokens, RerankerError)
        outputs = self._graph.outputs
        fitting = [
            name for name, shape in outputs.items() if len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)
        ]
        if len(fitting) != 1:
            raise RerankerError(f"{model_path.name}: the graph gives {outputs}; expected one (batch, 1)")
        self._output = fitting[0]

    def score(self, question: str, passage: str) -> float:
        ids, types = self._graph.tokenize_pair(question, passage)
        values, _ = self._graph.run(self._output, [ids], [types])
        return float(values.reshape(-1)[0])
