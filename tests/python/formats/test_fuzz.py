"""Files broken at random: whatever happens to them, reading raises nothing but FormatError."""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan.errors import FormatError
from memspan.formats import FORMATS, detect, read_turns

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(
        ["", "\ud800", "role", "content", "2024-01-01", "1:56 pm on 8 May, 2023", 10**30, -1, 1e308]
    )
)
junk = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def read_all(data: bytes, format: str | None) -> None:
    for user in (None, "ana"):
        with contextlib.suppress(FormatError):
            for turn in read_turns(io.BytesIO(data), format=format, user=user):
                for name in (turn.user, turn.text, turn.session or "-", turn.id or "-", turn.speaker or "-"):
                    name.encode("utf-8")
                json.dumps(dict(turn.metadata), allow_nan=False)
    with contextlib.suppress(FormatError):
        detect(data)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path] + [place for key, child in children for place in places(child, (*path, key))]


@pytest.mark.parametrize("name", list(FORMATS))
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_values_replaced_and_removed(samples: dict[str, str], name: str, data: st.DataObject) -> None:
    text = samples[name]
    values = (
        [json.loads(line) for line in text.splitlines()]
        if name in ("halumem", "chat", "claude-code", "codex", "jsonl")
        else json.loads(text)
    )
    for _ in range(data.draw(st.integers(1, 3))):
        *path, key = data.draw(st.sampled_from(places(values)[1:] or [(0,)]))
        holder = values
        for step in path:
            holder = holder[step]
        if not holder:
            break
        if data.draw(st.booleans()):
            holder[key] = data.draw(junk)
        else:
            del holder[key]
        if not values:
            break
    as_lines = isinstance(values, list) and data.draw(st.booleans())
    encoded = (
        "\n".join(map(json.dumps, values))
        if as_lines
        else json.dumps(values, indent=data.draw(st.sampled_from([None, 1])))
    )
    read_all(encoded.encode(), data.draw(st.sampled_from([name, None])))


@pytest.mark.parametrize("name", list(FORMATS))
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_bytes_changed(samples: dict[str, str], name: str, data: st.DataObject) -> None:
    raw = bytearray(samples[name].encode())
    for _ in range(data.draw(st.integers(1, 8))):
        start = data.draw(st.integers(0, len(raw)))
        end = start + data.draw(st.integers(0, 30))
        raw[start:end] = data.draw(
            st.binary(max_size=4) | st.sampled_from([b"\n", b'"', b"{", b"]", b",", b"NaN", b"\\"])
        )
    read_all(bytes(raw), data.draw(st.sampled_from([name, None])))


@pytest.mark.parametrize("format", list(FORMATS))
@given(value=junk)
@settings(max_examples=50, deadline=None)
def test_any_json(format: str, value: Any) -> None:
    read_all(json.dumps(value).encode(), format)


@given(data=st.binary())
@settings(deadline=None)
def test_any_bytes(data: bytes) -> None:
    read_all(data, None)
