"""Tags that only records carry which are not believed any more are none of today's names."""

from __future__ import annotations

from typing import Any

import pytest

import memspan


def an_index() -> memspan.Index:
    index = memspan.Index(dim=2)
    ended: dict[str, Any] = {"user": "ana", "recorded_at": 0, "retired_at": 10}
    index.add(**ended, id="old", at=0, text="a boat", tags=["boat", "sea", "port"], speaker="Bo")
    index.add(user="ana", id="new", at=1, text="the sea", tags=["sea"], speaker="Al", recorded_at=0)
    index.relate(user="ana", parent="place", child="port")
    return index


def counts(index: memspan.Index, **options: Any) -> dict[str, int]:
    return {tag.name: tag.records for tag in index.tags(user="ana", **options)}


def test_names_of_today_and_of_then():
    index = an_index()
    assert counts(index) == {"place": 0, "port": 0, "sea": 1}
    assert counts(index, retired=True) == {"boat": 1, "place": 0, "port": 1, "sea": 2}
    assert index.names(user="ana") == (["Al"], ["place", "port", "sea"])
    assert index.names(user="ana", retired=True) == (["Al", "Bo"], ["boat", "place", "port", "sea"])


def test_a_tag_comes_back_with_its_record():
    index = an_index()
    index.add(user="ana", id="old", at=0, text="a boat", tags=["boat"], recorded_at=0)
    assert counts(index) == {"boat": 1, "place": 0, "port": 0, "sea": 1}
    index.remove(user="ana", ids=["old"])
    assert counts(index) == {"place": 0, "port": 0, "sea": 1}
    assert counts(index, retired=True) == counts(index)


def test_a_tag_of_then_lifts_in_searches_of_then():
    index = an_index()
    index.add(user="ana", id="other", at=2, text="something", recorded_at=0)
    hits = index.search(user="ana", tags=["boat"], views=["symbolic"], as_of=5, k=3)
    assert hits[0].id == "old"
    assert "old" not in [hit.id for hit in index.search(user="ana", tags=["boat"], views=["symbolic"], k=3)]


@pytest.mark.parametrize("method", ["auto", "exact", "hnsw"])
def test_tags_of_then_take_no_places_of_todays(method: str):
    index = an_index()
    assert index.route(user="ana", embedding=[1, 0], method=method) == []
    for n in range(40):
        tags = [f"then {n}", "both"] if n % 2 else [f"then {n}"]
        index.add(
            user="ana", id=f"then{n}", at=3, tags=tags, recorded_at=0, retired_at=10, embedding=[1, n / 99]
        )
    index.add(user="ana", id="now", at=4, tags=["both", "now"], recorded_at=0, embedding=[0, 1])
    assert [tag for tag, _ in index.route(user="ana", embedding=[1, 0], k=1, method=method)] == ["both"]
    assert [tag for tag, _ in index.route(user="ana", embedding=[1, 0], method=method)] == ["both", "now"]
    index.relate(user="ana", parent="place", child="then 0")
    assert [tag for tag, _ in index.route(user="ana", embedding=[1, 0], k=1, method=method)] == ["then_0"]


def test_searches_are_routed_to_tags_of_their_time():
    index = an_index()
    index.add(user="ana", id="then", at=3, tags=["boat"], recorded_at=0, retired_at=10, embedding=[1, 0])
    index.add(user="ana", id="now", at=4, tags=["rope"], recorded_at=0, embedding=[1, 1])

    def first(**options: Any) -> tuple[str, list[str]]:
        hits = index.search(
            user="ana", embedding=[1, 0], route=1, views=["symbolic"], k=1, explain=True, **options
        )
        assert hits.explanation is not None
        return hits[0].id, [tag for tag, _ in hits.explanation["routed"]]

    assert first() == ("now", ["rope"])
    assert first(as_of=5) == ("then", ["boat"])
    assert first(valid_at=5)[1] == ["boat"]
