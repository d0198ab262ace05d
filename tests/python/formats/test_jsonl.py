"""Plain records."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import FormatError
from memspan.formats import Turn, read_turns
from memspan.formats import fields as limits

WriteJson = Callable[..., Path]


def test_every_field_arrives(sample_file: Callable[[str], Path]) -> None:
    path = sample_file("jsonl")
    first, second = read_turns(path)
    assert first == Turn(
        user="mo",
        id="7",
        text="The kiln reaches 1,280 degrees.",
        at=datetime(2024, 2, 3, 2, 5, 6, tzinfo=timezone.utc),
        until=datetime(2025, 1, 1, tzinfo=timezone.utc),
        session="workshop",
        speaker="Mo",
        kind="semantic",
        tags=("kiln", "pottery"),
        images=("a red kiln",),
        metadata={"page": 3, "deep": {"list": [1, 2.5, None]}},
        position=f"{path}:1",
    )
    assert (second.id, second.at, second.kind, second.position) == (None, None, "episodic", f"{path}:2")


def test_a_list_of_records_reads_like_lines(samples: dict[str, str], write_json: WriteJson) -> None:
    records = [json.loads(line) for line in samples["jsonl"].splitlines()]
    turns = list(read_turns(write_json(records, document=True)))
    assert [turn.text for turn in turns] == [record["text"] for record in records]
    assert turns[1].position.endswith("input.json: [1]")


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"txt": "x"}, "got 'txt'; accepted: the fields text, id"),
    ({}, "the field 'text' is missing"),
    ({"text": None}, "text: got null"),
    ({"text": "  "}, "text: got '  '; accepted: text that is not blank"),
    ({"text": "x" * (limits.MAX_TEXT_BYTES + 1)}, "text: got 'a string of 4,194,305 bytes'"),
    ({"text": "x", "id": "\ud800"}, "id: .*lone surrogates"),
    ({"text": "x", "id": ""}, "id: got ''"),
    ({"text": "x", "id": "é" * 257}, "id: got 'a string of 514 bytes'; accepted: at most 512"),
    ({"text": "x", "id": 10**30}, "id: got 1000"),
    ({"text": "x", "user": ["mo"]}, "user: got a list of 1"),
    ({"text": "x", "at": "2024-13-01"}, "at: got '2024-13-01'; accepted: ISO 8601"),
    ({"text": "x", "at": 1.5}, "at: got 1.5"),
    ({"text": "x", "at": 10**18}, "at: got 1000000000000000000"),
    (
        {"text": "x", "at": 1714564800},
        "at: got 1714564800; .*; this reads as seconds: multiply",
    ),
    ({"text": "x", "at": 1714564800123}, "at: got 1714564800123"),
    ({"text": "x", "at": True}, "at: got True"),
    (
        {"text": "x", "at": "2024-01-01", "until": "2024-01-01"},
        "until: got '2024-01-01'; accepted: a time after",
    ),
    ({"text": "x", "kind": "Episodic"}, "kind: got 'Episodic'"),
    ({"text": "x", "kind": {}}, "kind: got an object"),
    ({"text": "x", "tags": ["a", " "]}, r"tags\[1\]: got ' '"),
    ({"text": "x", "tags": ["a", 3]}, r"tags\[1\]: got 3"),
    ({"text": "x", "tags": ["t" * 129]}, r"tags\[0\]: got 'a string of 129 bytes'"),
    ({"text": "x", "tags": ["t"] * 65}, "tags: got a list of 65; accepted: at most 64"),
    ({"text": "x", "images": [1]}, r"images\[0\]: got 1"),
    ({"text": "x", "metadata": {"a": "b" * limits.MAX_GIVEN_METADATA_BYTES}}, "metadata: got '983,0.*bytes'"),
    ({"text": "x", "tags": ["\udfff"]}, r"tags\[0\]: .*lone surrogates"),
    ({"text": "x", "a-b": 1}, "got 'a-b'"),
]


@pytest.mark.parametrize(("record", "reason"), BROKEN)
def test_a_broken_line_is_refused_and_the_lines_before_it_are_not(
    record: dict[str, Any], reason: str
) -> None:
    text = (
        json.dumps({"text": "fine", "user": "mo"})
        + "\n"
        + json.dumps(record | {"user": record.get("user", "mo")})
    )
    turns = read_turns(io.BytesIO(text.encode()), format="jsonl")
    assert next(turns).text == "fine"
    with pytest.raises(FormatError, match=r"^<stdin>:2: ?" + reason):
        next(turns)


def test_half_emoji_are_replaced_in_texts() -> None:
    record = {
        "text": "half \ud83d",
        "images": ["a \ude00 cat"],
        "metadata": {"\udfff": ["\ud83d", {"deep": "\ud800"}], "n": 1, "none": None, "ok": True},
    }
    (turn,) = read_turns(io.BytesIO(json.dumps(record).encode()), format="jsonl", user="mo")
    assert (turn.text, turn.images) == ("half \ufffd", ("a \ufffd cat",))
    assert turn.metadata == {"\ufffd": ["\ufffd", {"deep": "\ufffd"}], "n": 1, "none": None, "ok": True}


def test_metadata_nests_to_the_limit_and_no_deeper(write_json: WriteJson) -> None:
    def nested(depth: int) -> dict[str, Any]:
        metadata: dict[str, Any] = {}
        for _ in range(depth - 1):
            metadata = {"inner": [metadata]} if depth % 2 == 0 else {"inner": metadata}
        return metadata

    (turn,) = read_turns(write_json({"text": "x", "metadata": nested(31)}), user="mo")
    assert turn.metadata == nested(31)
    with pytest.raises(FormatError, match="metadata nested at most 32 deep"):
        list(read_turns(write_json({"text": "x", "metadata": nested(33)}), user="mo"))


def test_reading_is_lazy() -> None:
    class Endless(io.RawIOBase):
        """Serves records for ever; reading ahead without bound would never return."""

        served = 0

        def readline(self, limit: int | None = -1, /) -> bytes:
            self.served += 1
            return b'{"text": "again", "user": "mo"}\n'

        def read(self, size: int = -1, /) -> bytes:
            assert size == 0, "the whole stream was read"
            return b""

    source = Endless()
    turns: Iterator[Turn] = read_turns(source)  # type: ignore[arg-type]
    for _ in range(10):
        next(turns)
    assert source.served <= 11
