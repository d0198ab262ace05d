"""Files and streams: encodings, sizes, syntax, what counts as JSON Lines."""

from __future__ import annotations

import gzip
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import FormatError, InvalidArgumentError
from memspan.formats import detect, read_turns, source

LINE = b'{"text": "one", "user": "mo"}\n'
BOM = b"\xef\xbb\xbf"
AT_LEAST = "accepted: JSON or JSON Lines, at least"


def texts(data: bytes, **options: Any) -> list[str]:
    return [turn.text for turn in read_turns(io.BytesIO(data), **options)]


def test_paths_and_streams_give_the_same_turns(sample_file: Callable[[str], Path]) -> None:
    path = sample_file("locomo")
    expected = [turn.text for turn in read_turns(path)]
    assert [turn.text for turn in read_turns(os.fspath(path))] == expected
    with open(path, "rb") as binary, open(path, encoding="utf-8") as text:
        assert [turn.text for turn in read_turns(binary)] == expected
        assert [turn.text for turn in read_turns(text)] == expected
        assert not binary.closed
        assert not text.closed
    assert [turn.text for turn in read_turns(io.StringIO(path.read_text()))] == expected


def test_a_mark_blank_lines_and_windows_line_ends_are_no_matter() -> None:
    assert texts(BOM + LINE + b"\r\n   \n\n" + LINE.replace(b"\n", b"\r\n") + LINE.rstrip()) == ["one"] * 3
    assert texts(BOM + json.dumps([json.loads(LINE)], indent=2).encode()) == ["one"]
    assert texts(b'{"text": "a\xe2\x80\xa8b", "user": "mo"}\n') == ["a\u2028b"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (LINE + b'{"text": "\xff", "user": "mo"}', "<stdin>:2: not UTF-8: .*0xff"),
        (b'{"text": "\xff", "user": "mo"}\n' + LINE, "<stdin>:1: not UTF-8"),
        (b'[\n{"text": "a"},\n{"text": "\xe9"}\n]', "<stdin>:3: not UTF-8: .*0xe9"),
        (LINE.decode().encode("utf-16"), "<stdin>:1: not UTF-8, but UTF-16; accepted"),
        (gzip.compress(LINE, mtime=0), "<stdin>: compressed by gzip; accepted"),
        (b"PK\x03\x04\x14\x00", "<stdin>: a ZIP archive; accepted"),
        (LINE + b'{"text": "two"\n' + LINE, "<stdin>:2: not JSON: .*column"),
        (b'{"text": "two"\n' + LINE, "<stdin>:1: not JSON"),
        (b'{"text": "two",}\n' + LINE, "<stdin>:1: not JSON"),
        (b'[\n{"text": "a"},\n{"text" "b"}\n]', "<stdin>:3: not JSON"),
        (b'[\n{"text": "a"}\n', "<stdin>:3: not JSON"),
        (LINE + b'{"text": NaN}', "<stdin>:2: not JSON: NaN"),
        (LINE + b'{"text": "x", "at": -Infinity}', "<stdin>:2: not JSON: -Infinity"),
        (LINE + b'{"text": "x", "at": 1e999}', "<stdin>:2: not JSON: .*too large"),
        (LINE + b"[" * 200_000, "<stdin>:2: JSON nested too deeply"),
        (b"[" * 200_000 + b"]" * 200_000, "<stdin>:1: JSON nested too deeply"),
        (b"[\n" * 200_000, "<stdin>:1: JSON nested too deeply"),
        (b"just words\n", f"<stdin>:1: not JSON: .*{AT_LEAST}"),
        (b"user,text\nana,hi\n", f"<stdin>:1: not JSON: .*{AT_LEAST}"),
        (b"12/05/2024, 09:13 - Ana: hi\n", f"<stdin>:1: not JSON: .*{AT_LEAST}"),
        (b"[12/05/2024, 09:13:00] Ana: hi\n[12/05/2024, 09:14:00] Bo: yes\n", f"<stdin>:1: .*{AT_LEAST}"),
        (LINE + LINE[:-1] + LINE, "<stdin>:2: not JSON: Extra data"),
        (LINE + b"7", "<stdin>:2: got 7; accepted: an object"),
        (b"", "<stdin>: empty"),
        (b" \n\n", "<stdin>: empty"),
        (b"[]", "of no known format"),
        (b"7", "of no known format: got 7; accepted: locomo: "),
        (b'{"note": 1}', "of no known format: got an object with 'note'; accepted"),
        (b'[{"title": 1, "mapping": {}}]', "got a list of objects with 'title', 'mapping'; accepted"),
        (
            json.dumps(dict.fromkeys("abcdefgh", 1)).encode(),
            "with 'a', 'b', 'c', 'd', 'e', 'f', ...; accepted",
        ),
        (b'{"type": "header", "format": "memspan-export"}', "`memspan load`"),
        (b'{"text": "a", "role": "user", "content": "b"}', "could be any of chat, jsonl"),
    ],
)
def test_what_cannot_be_read_is_named_by_line(data: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        texts(data, user="mo")


@pytest.mark.parametrize("broken", [b'{"text": "two"', b"[\n{]", b'[{"text"]', b"["])
def test_broken_json_is_not_taken_for_a_text(broken: bytes) -> None:
    with pytest.raises(FormatError, match="not JSON") as refused:
        texts(broken, user="mo")
    assert AT_LEAST not in str(refused.value)


def test_long_integers_do_not_get_through() -> None:
    with pytest.raises(FormatError, match="<stdin>:2: "):
        texts(LINE + b'{"text": "x", "at": ' + b"9" * 50_000 + b"}", user="mo")


def test_an_empty_file_of_a_named_format_has_no_turns() -> None:
    assert texts(b"", format="jsonl") == []
    assert texts(b"[]", format="locomo") == []


def test_sizes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 40)
    assert texts(LINE * 5) == ["one"] * 5
    with pytest.raises(FormatError, match="<stdin>:2: the line is longer than the 40 bytes"):
        texts(LINE + b'{"text": "' + b"x" * 40 + b'"}')
    with pytest.raises(FormatError, match="<stdin>: larger than the 40 bytes"):
        texts(b"[\n" + LINE + b" " * 20 + b"]")


def test_a_text_stream_with_broken_text_is_refused() -> None:
    broken = b'{"text": "\xff", "user": "mo"}\n'
    for errors in ("strict", "surrogateescape"):
        with pytest.raises(FormatError, match="not UTF-8"):
            list(read_turns(io.TextIOWrapper(io.BytesIO(broken), encoding="utf-8", errors=errors)))


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"none\.json: cannot be read: No such file"):
        list(read_turns(tmp_path / "none.json"))
    with pytest.raises(FormatError, match="cannot be read"):
        list(read_turns(tmp_path))
    with pytest.raises(FormatError, match=r"none\.json"):
        detect(tmp_path / "none.json")


def closed_stream() -> io.BytesIO:
    stream = io.BytesIO(LINE)
    stream.close()
    return stream


@pytest.mark.parametrize("wrong", [None, 3, b"bytes", ["x"], "nul\0.json", closed_stream()])
def test_a_source_of_another_type_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="source: got"):
        list(read_turns(wrong))


@pytest.mark.parametrize("wrong", [3, "", " ", "x" * 513, "\ud800"])
def test_a_user_that_no_record_can_have_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="user: got"):
        read_turns(io.BytesIO(LINE), user=wrong)


@pytest.mark.parametrize("wrong", ["LoCoMo", "", 3, ["chat"]])
def test_an_unknown_format_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"format: got .*accepted: locomo, realtalk"):
        read_turns(io.BytesIO(LINE), format=wrong)


def test_a_raw_stream_that_gives_a_little_at_a_time_is_read_to_its_end() -> None:
    class Drip(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size, 7) if size else size)

    document = json.dumps([json.loads(LINE)] * 3, indent=1).encode()
    assert [turn.text for turn in read_turns(Drip(document))] == ["one"] * 3
