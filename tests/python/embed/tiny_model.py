"""A transformer-shaped ONNX graph of a few bytes whose vectors can be worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

VOCABULARY = ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "ask", "doc", *"abcdefgh"]
TABLE = np.random.default_rng(7).normal(size=(len(VOCABULARY), 3)).astype(np.float32)
TABLE[1] = 1000.0  # padding that is not masked shows


def write_tokenizer(path: Path, *, padded: bool = False, words: list[str] = VOCABULARY) -> Path:
    """Words are tokens; [CLS] and [SEP] frame a text. `padded` stores settings that must be overruled."""
    ids = {word: position for position, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])]
    )
    if padded:
        tokenizer.enable_padding(length=32, pad_id=ids["[PAD]"], pad_token="[PAD]")
        tokenizer.enable_truncation(3)
    tokenizer.save(str(path))
    return path


def write_model(
    path: Path,
    *,
    table: np.ndarray = TABLE,
    types: bool = True,
    mask: bool = True,
    kind: int = TensorProto.INT64,
    neighbours: bool = False,
    inputs: tuple[str, ...] = (),
    rank: int = 3,
    named_dim: bool = False,
    pooled: bool = False,
) -> Path:
    """Each token's state is its row of `table`.

    Token types add 100 each and the mask's ones nothing, so both must be fed rightly. With `neighbours` the
    largest state of the whole batch is added, as the scale of dynamic quantisation would be. With `pooled`, the
    first token's state is another output, and the first.
    """
    wanted = [
        "input_ids",
        *(["attention_mask"] if mask else []),
        *(["token_type_ids"] if types else []),
        *inputs,
    ]
    feeds = [helper.make_tensor_value_info(name, kind, ["batch", "tokens"]) for name in wanted]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["state0"])]
    constants = [numpy_helper.from_array(table, "table")]
    last = "state0"
    if types:
        constants += [
            numpy_helper.from_array(np.float32(100), "hundred"),
            numpy_helper.from_array(np.int64([2]), "axis"),
        ]
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["types", "hundred"], ["scaled"]),
            helper.make_node("Unsqueeze", ["scaled", "axis"], ["added"]),
            helper.make_node("Add", [last, "added"], ["state1"]),
        ]
        last = "state1"
    if neighbours:
        nodes += [
            helper.make_node("ReduceMax", [last], ["largest"], keepdims=0),
            helper.make_node("Add", [last, "largest"], ["state2"]),
        ]
        last = "state2"
    if rank == 2:
        constants.append(numpy_helper.from_array(np.int64([1]), "reduced"))
        nodes.append(helper.make_node("ReduceSum", [last, "reduced"], ["result"], keepdims=0))
    else:
        nodes.append(helper.make_node("Identity", [last], ["result"]))
    shape = ["batch", "tokens", "width" if named_dim else table.shape[1]][3 - rank :]
    output = helper.make_tensor_value_info("result", TensorProto.FLOAT, shape)
    outputs = [output]
    if pooled:
        constants.append(numpy_helper.from_array(np.int64(0), "place"))
        nodes.append(helper.make_node("Gather", [last, "place"], ["pooled"], axis=1))
        outputs.insert(0, helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ["batch", 3]))
    graph = helper.make_graph(nodes, "tiny", feeds, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))
    return path


def state(*words: str) -> np.ndarray:
    """The states of a text's words, without the frame."""
    return TABLE[[VOCABULARY.index(word) for word in words]]


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)
