"""A transformer in ONNX with its tokenizer: from texts to token ids, from token ids to the graph's output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memspan.embed.onnx_bytes.nodes import node_outputs, with_outputs
from memspan.embed.weight_delta import WeightDelta
from memspan.errors import MemspanError, missing_extra

__all__ = ["OnnxGraph", "require_packages"]

_PACKAGES = ("onnxruntime", "tokenizers")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_INTEGERS: dict[str, type[np.signedinteger[Any]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_PAD_TOKENS = ("[PAD]", "<pad>")
# Tokenizing is linear in the text, also where the result is cut: what no usual text of max_tokens exceeds
# is cut before, so that a text of megabytes costs milliseconds.
_CHARS_PER_TOKEN = 64
# On the CPU an addition and a normalisation take half as long as the node that onnxruntime makes of the two.
_SLOWER_TOGETHER = ("SkipLayerNormFusion",)


def require_packages(purpose: str) -> None:
    """Raise `MissingExtraError` unless the packages that run a model are installed; imports none of them."""
    for package in _PACKAGES:
        if find_spec(package) is None:
            raise missing_extra(package, purpose, "onnx")


class OnnxGraph:
    """A loaded graph. Safe to use from several threads at once; `run` holds no lock and releases the GIL.

    Each run uses one thread: texts in parallel use the cores better than one text spread over them.

    Args:
        model_path: a graph that takes `input_ids` and, or not, `attention_mask` and `token_type_ids`.
        tokenizer_path: a tokenizer in the JSON format of the `tokenizers` package.
        max_tokens: texts are cut to this many tokens, the special ones included.
        error: the class of what is raised when a file cannot be loaded, the graph has other inputs, or it fails.
        operator: make the results of all nodes of this operator, such as `Softmax`, outputs too: `node_outputs`.
        delta: a file with changes of its weights: `WeightDelta`.
    """

    def __init__(
        self,
        model_path: Path,
        tokenizer_path: Path,
        max_tokens: int,
        error: type[MemspanError],
        operator: str | None = None,
        delta: Path | None = None,
    ) -> None:
        self._name = model_path.name
        self._error = error
        self._max_chars = max_tokens * _CHARS_PER_TOKEN
        self._tokenizer = self._loading(
            "tokenizer", tokenizer_path, lambda: _tokenizer(tokenizer_path, max_tokens)
        )
        self._session, self.node_outputs = self._loading(
            "model", model_path, lambda: _changed_session(model_path, operator, delta)
        )
        self._types = self._input_types()
        known = (self._tokenizer.token_to_id(token) for token in _PAD_TOKENS)
        self._pad = next((token_id for token_id in known if token_id is not None), 0)

    @property
    def outputs(self) -> dict[str, list[Any]]:
        """The shape of each output: numbers, or names where a length is not fixed."""
        return {item.name: item.shape for item in self._session.get_outputs()}

    def token_output(self) -> tuple[str, int | None]:
        """The name of the output that has a vector a token, and their length, or None where it is not fixed.

        Raises:
            MemspanError: no output has the shape `(batch, tokens, length)`; of the class `error`.
        """
        for name, shape in self.outputs.items():
            if len(shape) == 3:
                return name, shape[2] if isinstance(shape[2], int) else None
        raise self._error(f"{self._name}: the graph gives {self.outputs}; expected one (batch, tokens, dim)")

    def tokenize(self, text: str) -> list[int]:
        """Token ids of a text, special tokens included, at most `max_tokens`."""
        # Encoded one by one: a batch would start the tokenizer's own threads, which do not survive a fork.
        ids: list[int] = self._tokenizer.encode(text[: self._max_chars]).ids
        return ids

    def tokenize_pair(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """Token ids of two texts together and, for each, which text it is of; the longer one is cut first."""
        encoded = self._tokenizer.encode(first[: self._max_chars], second[: self._max_chars])
        return encoded.ids, encoded.type_ids

    def tokenize_bare(self, text: str, limit: int | None = None) -> list[int]:
        """Token ids of a text without the special ones, at most `limit`, or `max_tokens`."""
        most = self._max_chars if limit is None else min(limit * _CHARS_PER_TOKEN, self._max_chars)
        ids: list[int] = self._tokenizer.encode(text[:most], add_special_tokens=False).ids
        return ids[:limit]

    def token_id(self, token: str) -> int | None:
        """The id of a token, such as `[CLS]`; None if the tokenizer has no such token."""
        found: int | None = self._tokenizer.token_to_id(token)
        return found

    def tokenize_with_spans(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Token ids of a text, and from where to where in it each token stands; special tokens stand nowhere."""
        encoded = self._tokenizer.encode(text[: self._max_chars])
        return encoded.ids, encoded.offsets

    def run(
        self, output: str, batch: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """An output for tokenized texts, and the mask of its tokens, shape `(len(batch), longest)`.

        The batch is padded to its longest text and the padding masked; without `types` all are 0.
        """
        (values,), mask = self.run_many([output], batch, types)
        return values, mask

    def run_many(
        self,
        outputs: Sequence[str],
        batch: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]] | None = None,
    ) -> tuple[list[NDArray[np.float32]], NDArray[np.int64]]:
        """Several outputs of one run; otherwise as `run`."""
        ids = np.full((len(batch), max(map(len, batch))), self._pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        kinds = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
            if types is not None:
                kinds[row, : len(tokens)] = types[row]
        arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
        feed = {name: arrays[name].astype(kind, copy=False) for name, kind in self._types.items()}
        try:
            values = self._session.run(list(outputs), feed)
        except Exception as error:
            raise self._error(f"{self._name}: running the model failed ({error})") from error
        return [np.asarray(each, dtype=np.float32) for each in values], mask

    def _loading(self, what: str, path: Path, load: Callable[[], Any]) -> Any:
        try:
            return load()
        except Exception as error:
            raise self._error(f"{what} {path}: cannot be loaded ({error})") from error

    def _input_types(self) -> dict[str, type[np.signedinteger[Any]]]:
        found = {item.name: item.type for item in self._session.get_inputs()}
        if (
            "input_ids" not in found
            or not set(found) <= set(_INPUTS)
            or not set(found.values()) <= set(_INTEGERS)
        ):
            raise self._error(
                f"{self._name}: the graph takes {found}; accepted: integer tensors input_ids and, "
                "optionally, attention_mask and token_type_ids"
            )
        return {name: _INTEGERS[kind] for name, kind in found.items()}


def _tokenizer(path: Path, max_tokens: int) -> Any:
    tokenizers: Any = import_module("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _changed_session(path: Path, operator: str | None, delta: Path | None) -> tuple[Any, tuple[str, ...]]:
    """A session of the model with what was asked for, and the names of the outputs that it got."""
    if operator is None and delta is None:
        return _session(path), ()
    model = path.read_bytes()
    if delta is not None:
        model = WeightDelta.load(delta).applied_to(model)
    names = [] if operator is None else node_outputs(model, operator)
    return _session(path, with_outputs(model, names)), tuple(names)


def _session(path: Path, model: bytes | None = None) -> Any:
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised; printing them too would only be noise
    if model is not None:  # weights beside the file are found by the name of its folder
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", str(path.parent)
        )
    return onnxruntime.InferenceSession(
        str(path) if model is None else model,
        options,
        providers=["CPUExecutionProvider"],
        disabled_optimizers=_SLOWER_TOGETHER,
    )
