"""Replies kept on disk: a line that was cut off costs no other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memspan.evaluate.reading.kept import Kept


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "replies.jsonl"


def values(path: Path) -> dict[str, object]:
    kept = Kept(path)
    return {key: kept.get(key) for key in "abc"}


@pytest.mark.parametrize("end", ["", "\n", '\n{"key": "b", "val', "\n[]\n1", '\n{"key": [], "value": 1}'])
def test_what_comes_after_a_cut_begins_a_line_of_its_own(path: Path, end: str) -> None:
    path.write_text('{"key": "a", "value": 1}' + end)
    Kept(path).put("c", 3)
    assert values(path) == {"a": 1, "b": None, "c": 3}


def test_a_full_disk_costs_the_line_that_it_cut_off(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, write = Kept(path), os.write
    kept.put("a", 1)

    def half(handle: int, data: bytes) -> int:
        if len(data) > 5:
            return write(handle, data[:5])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "write", half)
        with pytest.raises(OSError, match="No space left"):
            kept.put("b", 2)
    kept.put("c", 3)
    assert values(path) == {"a": 1, "b": None, "c": 3}


def test_a_line_written_in_parts_is_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with monkeypatch.context() as slow:
        slow.setattr(os, "write", lambda handle, data: write(handle, data[:7]))
        kept = Kept(path)
        kept.put("a", "é" * 100)
        kept.put("b", None)
    assert values(path) == {"a": "é" * 100, "b": None, "c": None}
