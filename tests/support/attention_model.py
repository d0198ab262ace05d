"""A transformer's attention in an ONNX graph of a few kilobytes, a token classifier, and their tokenizer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

__all__ = ["WORDS", "write_attention_model", "write_classifier", "write_words"]

WORDS = ["[CLS]", "[PAD]", "[SEP]", "[UNK]", *"abcdefghij"]
"""The vocabulary; a token's id is its place."""
_TOKENS = len(WORDS)
_HEADS = 2
_WIDTH = 4


def write_words(path: Path) -> Path:
    """A tokenizer whose tokens are the words; [CLS] and [SEP] frame a text."""
    ids = {word: place for place, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 2)]
    )
    tokenizer.save(str(path))
    return path


def write_attention_model(path: Path, *, layers: int = 2, seed: int = 3) -> Path:
    """`layers` times softmax(Q K^T) over random keys and queries of two heads; the result is the last one's sum.

    Results of the softmaxes are called `attention0`, `attention1`, ...
    """
    random = np.random.default_rng(seed)
    constants = []
    nodes = []
    for layer in range(layers):
        for name in ("queries", "keys"):
            table = random.normal(size=(_TOKENS, _HEADS, _WIDTH)).astype(np.float32)
            constants.append(numpy_helper.from_array(table, f"{name}{layer}"))
            nodes.append(helper.make_node("Gather", [f"{name}{layer}", "input_ids"], [f"{name}_of{layer}"]))
        nodes += [
            helper.make_node("Transpose", [f"queries_of{layer}"], [f"q{layer}"], perm=[0, 2, 1, 3]),
            helper.make_node("Transpose", [f"keys_of{layer}"], [f"k{layer}"], perm=[0, 2, 3, 1]),
            helper.make_node("MatMul", [f"q{layer}", f"k{layer}"], [f"scores{layer}"]),
            helper.make_node("Softmax", [f"scores{layer}"], [f"attention{layer}"], axis=-1),
        ]
    nodes.append(helper.make_node("ReduceMean", [f"attention{layers - 1}"], ["result"], axes=[1], keepdims=0))
    return _saved(path, nodes, constants, ["batch", "tokens", "tokens_"])


def write_classifier(path: Path, retain: dict[int, float], *, classes: int = 2) -> Path:
    """Logits (0, x) for every token, x by its id from `retain`, 0 for the others."""
    table = np.zeros((_TOKENS, classes), dtype=np.float32)
    for token, logit in retain.items():
        table[token, 1] = logit
    nodes = [helper.make_node("Gather", ["logits", "input_ids"], ["result"])]
    return _saved(path, nodes, [numpy_helper.from_array(table, "logits")], ["batch", "tokens", classes])


def _saved(path: Path, nodes: list, constants: list, shape: list) -> Path:
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])
    result = helper.make_tensor_value_info("result", TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "tiny", [ids], [result], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))
    return path
