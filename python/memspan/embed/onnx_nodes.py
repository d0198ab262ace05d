"""Read which nodes an ONNX graph has, and make their results outputs, without the `onnx` package.

A model file is a Protocol Buffers message. Two facts of that format suffice: a reader skips what it does not know by
its length, and two messages written one after the other read as one whose parts are merged. So a graph gets more
outputs by appending, to the file's bytes, a graph that consists of nothing but these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["node_outputs", "with_outputs"]

# Numbers of fields in onnx.proto.
_GRAPH: Final = 7  # of ModelProto
_NODE: Final = 1  # of GraphProto
_OUTPUT: Final = 12  # of GraphProto
_NAME: Final = 1  # of ValueInfoProto
_RESULT: Final = 2  # of NodeProto
_OPERATOR: Final = 4  # of NodeProto
_BYTES: Final = 2  # the wire type of texts and messages
_FIXED: Final = {1: 8, 5: 4}
_MOST_VARINT: Final = 10


def node_outputs(model: bytes, operator: str) -> list[str]:
    """The first result of every node of that operator, such as `Softmax`, in the order of the graph.

    Weights are skipped, so that megabytes cost microseconds.

    Raises:
        ValueError: the bytes are no such message.
    """
    view = memoryview(model)
    wanted = operator.encode()
    found = []
    for graph in _messages(view, _GRAPH):
        for node in _messages(graph, _NODE):
            if any(bytes(name) == wanted for name in _messages(node, _OPERATOR)):
                found += [bytes(name).decode() for name in list(_messages(node, _RESULT))[:1]]
    return found


def with_outputs(model: bytes, names: list[str]) -> bytes:
    """The model with more outputs: results of its nodes, by name; their types are left to the runtime to infer."""
    outputs = b"".join(_message(_OUTPUT, _message(_NAME, name.encode())) for name in names)
    return model + _message(_GRAPH, outputs) if names else model


def _messages(view: memoryview, wanted: int) -> Iterator[memoryview]:
    """The contents of the fields of that number that hold bytes."""
    place = 0
    while place < len(view):
        tag, place = _varint(view, place)
        kind = tag & 7
        if kind == _BYTES:
            size, place = _varint(view, place)
            if place + size > len(view):
                raise ValueError("a field ends after its message")
            if tag >> 3 == wanted:
                yield view[place : place + size]
            place += size
        elif kind == 0:
            _, place = _varint(view, place)
        elif kind in _FIXED:
            place += _FIXED[kind]
        else:
            raise ValueError(f"a field of unknown kind {kind}")
    if place > len(view):
        raise ValueError("a field ends after its message")


def _varint(view: memoryview, place: int) -> tuple[int, int]:
    value = 0
    for count in range(_MOST_VARINT):
        if place + count >= len(view):
            raise ValueError("a number ends after its message")
        byte = view[place + count]
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value, place + count + 1
    raise ValueError("a number of more than 64 bits")


def _message(number: int, content: bytes) -> bytes:
    size, out = len(content), bytearray([number << 3 | _BYTES])
    while size >= 0x80:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    out.append(size)
    return bytes(out) + content
