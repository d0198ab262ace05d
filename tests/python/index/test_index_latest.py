"""`latest`: the timeline alone."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from datetime import datetime, timezone

import pytest
from index_helpers import DIM

import memspan


def numbered() -> memspan.Index:
    index = memspan.Index(DIM)
    for number in (5, 1, 9, 3, 7):
        index.add(user="ana", id=f"m{number}", at=number)
    return index


def test_newest_first() -> None:
    assert numbered().latest(user="ana", k=3).ids == ["m9", "m7", "m5"]
    assert numbered().latest(user="ana").ats.tolist() == [9, 7, 5, 3, 1]


def test_hits_are_a_sequence_of_hits() -> None:
    hits = numbered().latest(user="ana", k=2)
    assert len(hits) == 2
    assert [hit.id for hit in hits] == hits.ids == [hits[0].id, hits[-1].id]
    assert hits[0].at == datetime(1970, 1, 1, 0, 0, 0, 9, tzinfo=timezone.utc)
    assert str(hits.scores.dtype) == "float32"
    assert str(hits.ats.dtype) == "int64"
    assert [hit.id for hit in hits[1:]] == ["m7"]
    assert isinstance(hits, Sequence)
    assert [hit.id for hit in reversed(hits)] == ["m7", "m9"]
    with pytest.raises(IndexError):
        hits[2]


def test_ids_of_any_length_and_script_come_back() -> None:
    ids = ["abcdefghijklmnopqrstuvwxyz0123456789"[:size] for size in range(1, 37)]
    for size in range(1, 20):  # what is not ASCII at any place
        ids += [
            "x" * place + letter + "x" * (size - 1 - place) for place in range(size) for letter in "é\x80語🦊"
        ]
    index = memspan.Index(DIM)
    for number, name in enumerate(ids):
        index.add(user="ana", id=name, at=number)
    assert index.latest(user="ana", k=1000).ids == ids[::-1]
    assert [hit.id for hit in index.latest(user="ana", k=60)] == ids[::-1][:60]


def test_hits_outlive_their_index() -> None:
    hits = numbered().search(user="ana", explain=True)
    gc.collect()
    assert hits[0].id == "m9"
    assert hits[0].explanation is not None


def test_equal_times_by_id() -> None:
    index = memspan.Index(DIM)
    for key in ("b", "c", "a"):
        index.add(user="ana", id=key, at=0)
    assert index.latest(user="ana").ids == ["c", "b", "a"]
    assert index.latest(user="ana", k=2).ids == ["c", "b"]


def test_intervals_are_closed_open_and_merged() -> None:
    index = numbered()
    assert index.latest(user="ana", between=(3, 7)).ids == ["m5", "m3"]
    assert index.latest(user="ana", between=[(3, 7)]).ids == ["m5", "m3"]
    assert index.latest(user="ana", between=[(3, 6), (5, 8), (5, 8), (1, 1)]).ids == ["m7", "m5", "m3"]
    assert index.latest(user="ana", between=[(9, None), (None, 2)]).ids == ["m9", "m1"]
    assert index.latest(user="ana", between=(None, None)).ids == ["m9", "m7", "m5", "m3", "m1"]
    assert index.latest(user="ana", between=(4, 5)).ids == []
    assert index.latest(user="ana", k=1, between=[(9, 10), (1, 4)]).ids == ["m9"]


def test_kinds(index: memspan.Index) -> None:
    assert index.latest(user="ana").ids == ["job", "tent", "camp"]
    assert index.latest(user="ana", kinds=["vault"]).ids == ["pin"]
    assert index.latest(user="ana", kinds=["vault", "semantic"]).ids == ["pin", "job"]
    assert index.latest(user="ana", kinds=["resource"]).ids == []
