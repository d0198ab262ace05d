"""The data sets themselves, where they are: in $MEMSPAN_DATA, or in ../shared/data beside the project."""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from memspan.formats import Turn, detect, read_turns

DATA = Path(os.environ.get("MEMSPAN_DATA") or Path(__file__).parents[4] / "shared" / "data")


def data_files(pattern: str) -> list[Path]:
    files = sorted(DATA.glob(pattern))
    if not files:
        pytest.skip(f"no {pattern} in '{DATA}'; set MEMSPAN_DATA to the folder with the data sets")
    return files


def read_checked(path: Path, format: str) -> list[Turn]:
    """The turns of a file, which have an id each, are in order within their sessions, and are all there."""
    assert detect(path) == format
    turns = list(read_turns(path))
    assert turns
    assert len({(turn.user, turn.id) for turn in turns}) == len(turns)
    for one, next_one in pairwise(turns):
        if (one.user, one.session) == (next_one.user, next_one.session):
            assert one.at is not None
            assert next_one.at is not None
            assert one.at < next_one.at
    return turns


def test_locomo() -> None:
    for path in data_files("locomo/*.json"):
        turns = read_checked(path, "locomo")
        assert all(turn.id == turn.metadata["turn_id"] for turn in turns)
        if path.name == "locomo5.json":
            assert len(turns) == 2760
            assert set(Counter(turn.user for turn in turns)) == {
                "conv-26",
                "conv-30",
                "conv-41",
                "conv-42",
                "conv-43",
            }
            assert sum(len(turn.images) for turn in turns) == 602
            third = next(turn for turn in turns if (turn.user, turn.id) == ("conv-26", "D1:3"))
            assert str(third.at) == "2023-05-08 13:56:02+00:00"


def test_realtalk() -> None:
    for path in data_files("realtalk/Chat_*.json"):
        turns = read_checked(path, "realtalk")
        assert {turn.user for turn in turns} == {path.stem}
        assert len({turn.speaker for turn in turns}) == 2


@pytest.mark.parametrize("size", ["100K", "500K"])
def test_beam(size: str) -> None:
    for path in data_files(f"beam/{size}/*/chat.json"):
        turns = read_checked(path, "beam")
        assert {turn.user for turn in turns} == {f"{size}-{path.parent.name}"}
        assert {turn.speaker for turn in turns} == {"user", "assistant"}
        assert not any("->-> " in turn.text[-12:] for turn in turns)


def test_halumem() -> None:
    for path in data_files("halumem/*.jsonl"):
        assert {turn.speaker for turn in read_checked(path, "halumem")} == {"user", "assistant"}


def test_longmemeval() -> None:
    for path in data_files("longmemeval/*.json"):
        for turn in read_checked(path, "longmemeval"):
            assert turn.id is not None
            assert turn.id.startswith(f"{turn.session}:")
