"""Read which nodes an ONNX graph has, and make their results outputs, without the `onnx` package.

A model file is a Protocol Buffers message, so that a graph gets more outputs by appending, to the file's bytes, a graph
that consists of nothing but these.
"""

from __future__ import annotations

from typing import Final

from .protobuf import as_field, messages

__all__ = ["node_outputs", "with_outputs"]

# Numbers of fields in onnx.proto.
_GRAPH: Final = 7  # of ModelProto
_NODE: Final = 1  # of GraphProto
_OUTPUT: Final = 12  # of GraphProto
_NAME: Final = 1  # of ValueInfoProto
_RESULT: Final = 2  # of NodeProto
_OPERATOR: Final = 4  # of NodeProto


def node_outputs(model: bytes, operator: str) -> list[str]:
    """The first result of every node of that operator, such as `Softmax`, in the order of the graph.

    Weights are skipped, so that megabytes cost microseconds.

    Raises:
        ValueError: the bytes are no such message.
    """
    wanted = operator.encode()
    found = []
    for graph in messages(memoryview(model), _GRAPH):
        for node in messages(graph, _NODE):
            if any(bytes(name) == wanted for name in messages(node, _OPERATOR)):
                found += [bytes(name).decode() for name in list(messages(node, _RESULT))[:1]]
    return found


def with_outputs(model: bytes, names: list[str]) -> bytes:
    """The model with more outputs: results of its nodes, by name; their types are left to the runtime to infer."""
    outputs = b"".join(as_field(_OUTPUT, as_field(_NAME, name.encode())) for name in names)
    return model + as_field(_GRAPH, outputs) if names else model
