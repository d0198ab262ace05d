"""A transformer encoder in ONNX and its tokenizer: from texts to token ids, from token ids to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memspan.embed.registry import Pooling
from memspan.errors import EmbedderError, missing_extra

__all__ = ["OnnxModel", "require_packages"]

_PACKAGES = ("onnxruntime", "tokenizers")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_INTEGERS: dict[str, type[np.signedinteger[Any]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_PAD_TOKENS = ("[PAD]", "<pad>")
# Tokenizing is linear in the text, also where the result is cut: what no usual text of max_tokens exceeds
# is cut before, so that a text of megabytes costs milliseconds.
_CHARS_PER_TOKEN = 64


def require_packages() -> None:
    """Raise `MissingExtraError` unless the packages that run a model are installed; imports none of them."""
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise missing_extra(package, "OnnxEmbedder", "onnx")


class OnnxModel:
    """A loaded model. Safe to use from several threads at once; `run` holds no lock and releases the GIL.

    Each run uses one thread: texts in parallel use the cores better than one text spread over them.

    Args:
        model_path: an ONNX graph that takes `input_ids` and `attention_mask` (and `token_type_ids` or not)
            and has an output of shape `(batch, tokens, dim)`.
        tokenizer_path: a tokenizer in the JSON format of the `tokenizers` package.
        pooling: how the vector is made of the tokens' outputs.
        max_tokens: texts are cut to this many tokens, the special ones included.

    Raises:
        EmbedderError: a file that cannot be loaded, or a graph with other inputs or outputs.
    """

    def __init__(self, model_path: Path, tokenizer_path: Path, pooling: Pooling, max_tokens: int) -> None:
        require_packages()
        self._pooling = pooling
        self._max_chars = max_tokens * _CHARS_PER_TOKEN
        self._model_path = model_path
        self._tokenizer = _load_tokenizer(tokenizer_path, max_tokens)
        self._session = _load_session(model_path)
        self._types = self._input_types()
        self._output, width = self._token_output()
        self._pad = self._pad_id()
        self.dim = width if isinstance(width, int) else int(self.run(self.tokenize(["dimension"])).shape[1])

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens included, at most `max_tokens`."""
        # Encoded one by one: a batch would start the tokenizer's own threads, which do not survive a fork.
        return [self._tokenizer.encode(text[: self._max_chars]).ids for text in texts]

    def run(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Vectors of tokenized texts, shape `(len(batch), dim)`, of length 1.

        The batch is padded to its longest text and the padding masked.

        Raises:
            EmbedderError: the graph failed.
        """
        ids = np.full((len(batch), max(map(len, batch))), self._pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: arrays[name].astype(kind, copy=False) for name, kind in self._types.items()}
        try:
            states = self._session.run([self._output], feed)[0]
        except Exception as error:
            raise EmbedderError(f"{self._model_path.name}: running the model failed ({error})") from error
        return _normalise(_pool(np.asarray(states, dtype=np.float32), mask, self._pooling))

    def _input_types(self) -> dict[str, type[np.signedinteger[Any]]]:
        found = {item.name: item.type for item in self._session.get_inputs()}
        if (
            "input_ids" not in found
            or not set(found) <= set(_INPUTS)
            or not set(found.values()) <= set(_INTEGERS)
        ):
            raise EmbedderError(
                f"{self._model_path.name}: the graph takes {found}; accepted: integer tensors input_ids and, "
                "optionally, attention_mask and token_type_ids"
            )
        return {name: _INTEGERS[kind] for name, kind in found.items()}

    def _token_output(self) -> tuple[str, Any]:
        outputs = {item.name: item.shape for item in self._session.get_outputs()}
        for name, shape in outputs.items():
            if len(shape) == 3:
                return name, shape[2]
        raise EmbedderError(
            f"{self._model_path.name}: the graph gives {outputs}; expected one (batch, tokens, dim)"
        )

    def _pad_id(self) -> int:
        known = (self._tokenizer.token_to_id(token) for token in _PAD_TOKENS)
        return next((token_id for token_id in known if token_id is not None), 0)


def _load_tokenizer(path: Path, max_tokens: int) -> Any:
    tokenizers: Any = import_module("tokenizers")
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_tokens)
    except Exception as error:
        raise EmbedderError(f"tokenizer {path}: cannot be loaded ({error})") from error
    return tokenizer


def _load_session(path: Path) -> Any:
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised; printing them too would only be noise
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EmbedderError(f"model {path}: cannot be loaded ({error})") from error


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
