"""A BERT encoder in torch made of a known model's file, whose weights are quantised, with changes of low rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from memspan.embed.weight_delta import WeightDelta

HEADS = 12
PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "inner": "intermediate.dense",
    "outer": "output.dense",
}


def float_weights(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Every weight as floats by its name in BERT, matrices as (in, out); and the names of matrices in the file."""
    graph = onnx.load(str(path)).graph
    tensors = {each.name: numpy_helper.to_array(each) for each in graph.initializer}

    def dequantised(name: str) -> np.ndarray:
        return tensors[f"{name}_quantized"].astype(np.float32) * tensors[f"{name}_scale"]

    weights = {name: values for name, values in tensors.items() if values.dtype == np.float32 and values.ndim}
    names = {}
    for table in ("word", "position", "token_type"):
        name = f"embeddings.{table}_embeddings.weight"
        shifted = tensors[f"{name}_quantized"].astype(np.float32) - tensors[f"{name}_zero_point"]
        weights[name] = shifted * tensors[f"{name}_scale"]
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            place = node.output[0].split("/MatMul")[0].strip("/").replace("/", ".")
            names[place] = node.input[1].removesuffix("_quantized")
            weights[place] = dequantised(names[place])
    return weights, names


class Linear(nn.Module):
    def __init__(self, weight: np.ndarray, bias: np.ndarray, rank: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.tensor(weight.T.copy()))
        self.register_buffer("bias", torch.tensor(bias))
        self.rank = rank
        if rank:
            self.down = nn.Parameter(torch.randn(weight.shape[0], rank) / weight.shape[0] ** 0.5)
            self.up = nn.Parameter(torch.zeros(rank, weight.shape[1]))
            self.shift = nn.Parameter(torch.zeros(weight.shape[1]))

    def forward(self, x: Tensor) -> Tensor:
        if not self.rank:
            return functional.linear(x, self.weight, self.bias)
        return functional.linear(x, self.weight, self.bias + self.shift) + (x @ self.down) @ self.up * SCALE


class Norm(nn.Module):
    def __init__(self, weight: np.ndarray, bias: np.ndarray, tuned: bool) -> None:
        super().__init__()
        self.register_buffer("weight", torch.tensor(weight))
        self.register_buffer("bias", torch.tensor(bias))
        self.weight_shift = nn.Parameter(torch.zeros(len(weight)), requires_grad=tuned)
        self.bias_shift = nn.Parameter(torch.zeros(len(bias)), requires_grad=tuned)

    def forward(self, x: Tensor) -> Tensor:
        return functional.layer_norm(
            x, x.shape[-1:], self.weight + self.weight_shift, self.bias + self.bias_shift, 1e-12
        )


class Layer(nn.Module):
    def __init__(
        self, weights: dict[str, np.ndarray], number: int, rank: int, parts: Sequence[str], drop: float
    ) -> None:
        super().__init__()
        self.drop = drop
        self.place = f"encoder.layer.{number}."
        for part, name in PARTS.items():
            place = self.place + name
            own = rank if part in parts else 0
            setattr(self, part, Linear(weights[place], weights[f"{place}.bias"], own))
        self.norms = nn.ModuleList(
            Norm(
                weights[f"{self.place}{name}.LayerNorm.weight"],
                weights[f"{self.place}{name}.LayerNorm.bias"],
                rank > 0,
            )
            for name in ("attention.output", "output")
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, tokens, width = x.shape

        def heads(values: Tensor) -> Tensor:
            return values.view(batch, tokens, HEADS, -1).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            heads(self.query(x)), heads(self.key(x)), heads(self.value(x)), attn_mask=mask[:, None, None, :]
        )
        mixed = self.attended(mixed.transpose(1, 2).reshape(batch, tokens, width))
        x = self.norms[0](functional.dropout(mixed, self.drop, self.training) + x)
        return self.norms[1](
            functional.dropout(self.outer(functional.gelu(self.inner(x))), self.drop, self.training) + x
        )


SCALE = 2.0  # of what the matrices of low rank say, so that one rate of learning suits all


class QuestionEncoder(nn.Module):
    """Tokenised questions as vectors: one of length 1 a question, or the states of all its tokens. Layers from `first`
    on can be tuned, in the given parts."""

    def __init__(self, path: Path, *, first: int, rank: int, parts: Sequence[str], drop: float) -> None:
        super().__init__()
        weights, self.names = float_weights(path)
        self.words = torch.tensor(weights["embeddings.word_embeddings.weight"])
        self.rest = torch.tensor(weights["embeddings.position_embeddings.weight"])
        self.rest = self.rest + torch.tensor(weights["embeddings.token_type_embeddings.weight"][0])
        self.norm = Norm(weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"], False)
        self.layers = nn.ModuleList(
            Layer(weights, number, rank if number >= first else 0, parts, drop) for number in range(12)
        )

    def forward(self, batch: Sequence[Sequence[int]]) -> Tensor:
        return functional.normalize(self.states(batch)[:, 0], dim=1)

    def states(self, batch: Sequence[Sequence[int]]) -> Tensor:
        """What the last layer says of each token, shape (questions, longest, width)."""
        longest = max(map(len, batch))
        ids = torch.zeros(len(batch), longest, dtype=torch.long)
        mask = torch.zeros(len(batch), longest, dtype=torch.bool)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = True
        x = self.norm(self.words[ids] + self.rest[:longest])
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def tuned(self) -> Iterator[tuple[str, nn.Parameter]]:
        """What learns: matrices, whose names end with `down` and `up`, and shifts."""
        return ((name, value) for name, value in self.named_parameters() if value.requires_grad)

    def delta(self) -> WeightDelta:
        """What was learned, under the names of the model's file."""
        arrays = {}
        for layer in self.layers:
            for part, name in PARTS.items():
                linear, place = getattr(layer, part), layer.place + name
                if linear.rank:
                    arrays[f"{self.names[place]}.down"] = linear.down * SCALE
                    arrays[f"{self.names[place]}.up"] = linear.up
                    arrays[f"{place}.bias.shift"] = linear.shift
            for norm, name in zip(layer.norms, ("attention.output", "output"), strict=True):
                if norm.weight_shift.requires_grad:
                    arrays[f"{layer.place}{name}.LayerNorm.weight.shift"] = norm.weight_shift
                    arrays[f"{layer.place}{name}.LayerNorm.bias.shift"] = norm.bias_shift
        return WeightDelta({name: value.detach().numpy() for name, value in arrays.items()})
