"""The weights in the bytes of an ONNX model, to be read and written where they lie, without the `onnx` package."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .protobuf import integers, messages

__all__ = ["weights_in"]

# Numbers of fields in onnx.proto.
_GRAPH: Final = 7  # of ModelProto
_INITIALIZER: Final = 5  # of GraphProto
_SHAPE, _TYPE, _FLOATS, _NAME, _RAW = 1, 2, 4, 8, 9  # of TensorProto
_TYPES: Final[dict[int, str]] = {1: "<f4", 3: "<i1"}
_FLOAT: Final = 1


def weights_in(model: bytearray) -> dict[str, NDArray[Any]]:
    """Every tensor of float32 or int8 that the file holds in binary form, by name. Writing to one changes the model.

    Others, such as those of whole numbers or in files of their own, are left out.

    Raises:
        ValueError: the bytes are no such message, or a tensor has fewer or more bytes than its shape says.
    """
    found: dict[str, NDArray[Any]] = {}
    for graph in messages(memoryview(model), _GRAPH):
        for tensor in messages(graph, _INITIALIZER):
            kind = (integers(tensor, _TYPE) or [0])[-1]
            raw = list(messages(tensor, _RAW)) or (list(messages(tensor, _FLOATS)) if kind == _FLOAT else [])
            if kind not in _TYPES or len(raw) != 1:
                continue
            name = bytes(next(messages(tensor, _NAME), b"")).decode()
            shape = integers(tensor, _SHAPE)
            if len(raw[0]) != prod(shape) * np.dtype(_TYPES[kind]).itemsize:
                raise ValueError(f"tensor {name!r} of shape {shape} has {len(raw[0])} bytes")
            found[name] = np.frombuffer(raw[0], _TYPES[kind]).reshape(shape)
    return found
