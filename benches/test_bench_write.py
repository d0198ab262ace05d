"""How long writing takes: single records, batches, replacement and removal; saving and opening a snapshot."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

import memspan
from episodes import DIM, HOUR, USER, Episodes


def row(episodes: Episodes, number: int) -> dict[str, Any]:
    columns = episodes.columns
    return {
        "at": columns["ats"][number],
        "text": columns["texts"][number],
        "embedding": columns["embeddings"][number],
        "tags": columns["tags"][number],
        "session": columns["sessions"][number],
        "metadata": columns["metadatas"][number],
    }


def test_add(benchmark: Any, episodes: Episodes) -> None:
    """One new record into an index that already holds 10,000."""
    index = episodes.filled()
    rows = [row(episodes, number) for number in range(episodes.count)]
    count = itertools.count()

    def add() -> None:
        number = next(count)
        index.add(user=USER, id=f"new{number}", **rows[number % len(rows)])

    benchmark(add)
    assert len(index) > episodes.count


@pytest.mark.parametrize("eviction", ["oldest", "value"])
def test_add_at_capacity(benchmark: Any, episodes: Episodes, eviction: str) -> None:
    """One new record for which another one has to go."""
    index = episodes.filled()
    index.set_quotas(user=USER, capacities={"episodic": episodes.count}, eviction=eviction)
    rows = [row(episodes, number) for number in range(episodes.count)]
    count = itertools.count()

    def add() -> None:
        number = next(count)
        at = (episodes.count + number) * HOUR
        index.add(user=USER, id=f"new{number}", **{**rows[number % len(rows)], "at": at})

    benchmark(add)
    assert len(index) == episodes.count


def test_upsert(benchmark: Any, episodes: Episodes) -> None:
    """One record that takes the place of another with the same id."""
    index = episodes.filled()
    rows = [row(episodes, number) for number in range(episodes.count)]
    count = itertools.count()

    def upsert() -> None:
        number = next(count)
        index.add(user=USER, id=f"m{number % episodes.count}", **rows[(number * 7) % len(rows)])

    benchmark(upsert)
    assert len(index) == episodes.count


def test_remove_and_add(benchmark: Any, episodes: Episodes) -> None:
    index = episodes.filled()
    rows = [row(episodes, number) for number in range(episodes.count)]
    count = itertools.count()

    def replace() -> None:
        number = next(count) % episodes.count
        index.remove(user=USER, ids=[f"m{number}"])
        index.add(user=USER, id=f"m{number}", **rows[number])

    benchmark(replace)
    assert len(index) == episodes.count


def test_remove(benchmark: Any, episodes: Episodes) -> None:
    """One record out of 10,000 and less; a round stops before the index is empty."""
    index = episodes.filled()
    turn = itertools.count()
    benchmark.pedantic(lambda: index.remove(user=USER, ids=[f"m{next(turn)}"]), rounds=5_000, warmup_rounds=1)
    assert len(index) in (episodes.count - 5_001, episodes.count - 1)


def test_add_for_a_new_user(benchmark: Any, episodes: Episodes) -> None:
    """The first record of a user: what a structure costs before there is anything in it."""
    index = memspan.Index(DIM, analyzer="simple", auto_consolidate=False)
    first = row(episodes, 0)
    count = itertools.count()
    benchmark(lambda: index.add(user=f"u{next(count)}", id="m0", **first))
    assert len(index) == len(index.users())


@pytest.mark.parametrize("count", [10, 100, 1_000])
def test_add_many_to_a_filled_index(benchmark: Any, episodes: Episodes, count: int) -> None:
    """Replaces so many of 10,000 records in one call."""
    index = episodes.filled()
    columns = {name: column[:count] for name, column in episodes.columns.items()}
    benchmark(index.add_many, user=USER, **columns)
    assert len(index) == episodes.count


def test_relate(benchmark: Any) -> None:
    """A relation between tags and its end."""
    index = memspan.Index(DIM, auto_consolidate=False)
    for child in range(200):
        index.relate(user=USER, parent="root", child=f"tag{child}")

    def relate() -> None:
        index.relate(user=USER, parent="tag1", child="tag150")
        index.unrelate(user=USER, parent="tag1", child="tag150")

    benchmark(relate)


def test_consolidate(benchmark: Any, episodes: Episodes) -> None:
    index = episodes.filled()
    benchmark.pedantic(lambda: index.consolidate(user=USER, force=True), rounds=5, warmup_rounds=1)
    assert len(index) == episodes.count


def test_duplicates(benchmark: Any, episodes: Episodes) -> None:
    """All pairs of nearly equal vectors among 10,000, on one thread."""
    index = episodes.filled()
    found = benchmark.pedantic(lambda: index.duplicates(user=USER, threads=1), rounds=5, warmup_rounds=1)
    assert len(found.pairs) == 0


@pytest.mark.parametrize("analyzer", ["simple", "english"])
def test_add_many(benchmark: Any, episodes: Episodes, analyzer: str) -> None:
    """10,000 records in one call into an empty index."""

    def build() -> memspan.Index:
        index = memspan.Index(DIM, analyzer=analyzer, auto_consolidate=False)
        index.add_many(user=USER, **episodes.columns)
        return index

    assert len(benchmark.pedantic(build, rounds=5, warmup_rounds=1)) == episodes.count


def test_save(benchmark: Any, index: memspan.Index, tmp_path: Path) -> None:
    benchmark(index.save, tmp_path / "index.snapshot")
    assert (tmp_path / "index.snapshot").stat().st_size > 0


def test_open(benchmark: Any, index: memspan.Index, episodes: Episodes, tmp_path: Path) -> None:
    """Load a snapshot and answer a first question."""
    index.save(tmp_path / "index.snapshot")

    def open_and_ask() -> memspan.Hits:
        loaded = memspan.Index.load(tmp_path / "index.snapshot")
        return loaded.search(user=USER, embedding=episodes.query_vectors[0], k=10)

    assert len(benchmark(open_and_ask)) == 10


def test_come_back(benchmark: Any, episodes: Episodes, tmp_path: Path) -> None:
    """A search of a user of 100 records who had to leave memory for others."""
    one = {name: column[:100] for name, column in episodes.columns.items()}
    index = memspan.Index(
        DIM, analyzer="simple", auto_consolidate=False, max_resident_bytes=1_000_000, spill_directory=tmp_path
    )
    for user in range(20):
        index.add_many(user=f"u{user}", **one)
    turn = itertools.cycle(range(20))
    query = episodes.query_vectors[0]
    hits = benchmark(lambda: index.search(user=f"u{next(turn)}", embedding=query, k=10))
    assert len(hits) == 10
    assert index.stats()["resident_users"] < 20
