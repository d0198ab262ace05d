"""How long one search takes, by view and by filter, in 10,000 episodes of one user."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import memspan
from episodes import HOUR, USER, Episodes
from memspan.ranking import default_ranker

Ask = Callable[[Episodes, int], dict[str, Any]]


def dense(episodes: Episodes, number: int) -> dict[str, Any]:
    return {"embedding": episodes.query_vectors[number]}


def words(episodes: Episodes, number: int) -> dict[str, Any]:
    return {"text": episodes.query_texts[number]}


def hybrid(episodes: Episodes, number: int) -> dict[str, Any]:
    return dense(episodes, number) | words(episodes, number)


def month(episodes: Episodes, number: int) -> dict[str, Any]:
    start = number * 40 * HOUR
    return {"between": (start, start + 500 * HOUR)}


VIEWS: dict[str, Ask] = {
    "semantic": dense,
    "semantic exact": lambda episodes, number: dense(episodes, number) | {"exact": True},
    "lexical": words,
    "symbolic": lambda episodes, number: {"tags": [f"topic_{number % 64}", "area_3"]},
    "semantic + lexical": hybrid,
    "all three": lambda episodes, number: hybrid(episodes, number) | {"tags": [f"topic_{number % 64}"]},
}
FILTERS: dict[str, Ask] = {
    "none": lambda episodes, number: {},
    "between 5 %": month,
    "require_tags": lambda episodes, number: {"require_tags": [f"topic_{number % 64}"]},
    "where": lambda episodes, number: {"where": {"place": f"p{number % 7}", "turn": {"$gte": 10}}},
    "exclude 100": lambda episodes, number: {"exclude": [f"m{i}" for i in range(number, number + 100)]},
    "kinds": lambda episodes, number: {"kinds": ["episodic", "semantic"]},
    "neighbors 2": lambda episodes, number: {"neighbors": 2},
    "explain": lambda episodes, number: {"explain": True},
}


def ask(benchmark: Any, index: memspan.Index, queries: list[dict[str, Any]]) -> None:
    turn = itertools.cycle(queries)
    hits = benchmark(lambda: index.search(user=USER, k=10, **next(turn)))
    assert len(hits) == 10


def some_time(episodes: Episodes, number: int) -> dict[str, Any]:
    """A twentieth of the user's time."""
    start = episodes.count * number // 211
    return {"between": (start * HOUR, (start + episodes.count // 20) * HOUR)}


# The kinds of query that stores are compared in (peers.py).
KINDS: dict[str, Ask] = {
    "a dense": dense,
    "b dense, time range": lambda episodes, number: dense(episodes, number) | some_time(episodes, number),
    "c words": words,
    "d dense, tag": lambda episodes, number: (
        dense(episodes, number) | {"require_tags": [f"topic_{number % 64}"]}
    ),
    "e fused, time range": lambda episodes, number: hybrid(episodes, number) | some_time(episodes, number),
}


@pytest.mark.parametrize("kind", KINDS)
def test_search_by_kind(benchmark: Any, sized: tuple[memspan.Index, Episodes], kind: str) -> None:
    index, episodes = sized
    turn = itertools.cycle([KINDS[kind](episodes, number) for number in range(200)])
    hits = benchmark(lambda: index.search(user=USER, k=10, **next(turn)))
    assert 0 < len(hits) <= 10


def test_latest_by_size(benchmark: Any, sized: tuple[memspan.Index, Episodes]) -> None:
    index, episodes = sized
    turn = itertools.cycle([some_time(episodes, number)["between"] for number in range(200)])
    hits = benchmark(lambda: index.latest(user=USER, k=20, between=next(turn)))
    assert len(hits) == 20


@pytest.mark.parametrize("view", VIEWS)
def test_search_by_view(benchmark: Any, index: memspan.Index, episodes: Episodes, view: str) -> None:
    ask(benchmark, index, [VIEWS[view](episodes, number) for number in range(200)])


@pytest.mark.parametrize("name", FILTERS)
def test_hybrid_search_by_filter(benchmark: Any, index: memspan.Index, episodes: Episodes, name: str) -> None:
    queries = [hybrid(episodes, number) | FILTERS[name](episodes, number) for number in range(200)]
    ask(benchmark, index, queries)


def test_learned_search(benchmark: Any, sized: tuple[memspan.Index, Episodes]) -> None:
    """Both views, neighbours and features of all candidates, and the packaged weights with their net."""
    index, episodes = sized
    ranking = default_ranker().ranking()
    asked = [hybrid(episodes, number) | {"fusion": "learned", "ranking": ranking} for number in range(200)]
    ask(benchmark, index, asked)


WANTED: dict[str, Callable[[int], Any]] = {
    "equal": lambda number: number,
    "one of three": lambda number: {"$in": [number, number + 1, number + 2]},
    "range": lambda number: {"$gte": number, "$lt": number + 100},
}


@pytest.mark.parametrize("wanted", WANTED)
def test_search_by_metadata(benchmark: Any, episodes: Episodes, wanted: str) -> None:
    """Where no two records have the same metadata."""
    index = episodes.filled()
    numbers = [{"number": number} for number in range(episodes.count)]
    index.add_many(user=USER, **episodes.columns | {"metadatas": numbers})
    queries = [
        dense(episodes, number) | {"where": {"number": WANTED[wanted](number * 40)}} for number in range(200)
    ]
    turn = itertools.cycle(queries)
    hits = benchmark(lambda: index.search(user=USER, k=10, **next(turn)))
    assert 0 < len(hits) <= 10


@pytest.mark.parametrize("axis", ["as_of", "valid_at"])
def test_search_of_another_time(benchmark: Any, episodes: Episodes, axis: str) -> None:
    """What was believed, or true, half-way, when three records in ten were believed for an hour only."""
    index = episodes.filled()
    columns = {name: column for name, column in episodes.columns.items() if name != "ids"}
    for first in range(3):
        some = {name: column[first::10] for name, column in episodes.columns.items()}
        index.add_many(
            user=USER, recorded_ats=some["ats"], retired_ats=[at + HOUR for at in some["ats"]], **some
        )
    others = [number for number in range(episodes.count) if number % 10 >= 3]
    some = {name: [column[number] for number in others] for name, column in columns.items()}
    index.add_many(user=USER, ids=[f"m{i}" for i in others], recorded_ats=some["ats"], **some)
    moment = episodes.columns["ats"][episodes.count // 2]
    ask(benchmark, index, [hybrid(episodes, number) | {axis: moment} for number in range(200)])


@pytest.mark.parametrize("k", [1, 100, 1000])
def test_hybrid_search_by_k(benchmark: Any, index: memspan.Index, episodes: Episodes, k: int) -> None:
    turn = itertools.cycle(range(200))
    hits = benchmark(lambda: index.search(user=USER, k=k, **hybrid(episodes, next(turn))))
    assert len(hits) == k


def test_latest(benchmark: Any, index: memspan.Index, episodes: Episodes) -> None:
    turn = itertools.cycle([month(episodes, number)["between"] for number in range(200)])
    hits = benchmark(lambda: index.latest(user=USER, k=20, between=next(turn)))
    assert len(hits) == 20


@pytest.mark.parametrize("threads", [1, 0])
def test_search_many(benchmark: Any, index: memspan.Index, episodes: Episodes, threads: int) -> None:
    """200 hybrid queries in one call; `threads=0` uses every core."""
    queries = [memspan.Query(user=USER, k=10, **hybrid(episodes, number)) for number in range(200)]
    answers = benchmark(index.search_many, queries, threads=threads)
    assert [len(hits) for hits in answers] == [10] * 200


def test_search_many_dense(benchmark: Any, sized: tuple[memspan.Index, Episodes]) -> None:
    """200 dense queries of one user in one call, on every core."""
    index, episodes = sized
    queries = [memspan.Query(user=USER, k=10, embedding=vector) for vector in episodes.query_vectors]
    answers = benchmark(index.search_many, queries, threads=0)
    assert [len(hits) for hits in answers] == [10] * 200


def test_read_hits(benchmark: Any, index: memspan.Index, episodes: Episodes) -> None:
    """Ids, scores, times and views of ten hits, which are made when they are asked for."""

    def read() -> list[tuple[Any, ...]]:
        hits = index.search(user=USER, k=10, **hybrid(episodes, 0))
        return [(hit.id, hit.score, hit.at, hit.views) for hit in hits]

    assert len(benchmark(read)) == 10


def test_locate(benchmark: Any, index: memspan.Index) -> None:
    turn = itertools.cycle(range(10_000))
    assert benchmark(lambda: index.locate(user=USER, id=f"m{next(turn)}")) is not None


@pytest.mark.parametrize("depth", [1, 2])
def test_expand(benchmark: Any, index: memspan.Index, depth: int) -> None:
    """From two areas down to their eight topics each."""
    found = benchmark(lambda: index.expand(user=USER, tags=["area_1", "area_2"], depth=depth))
    assert len(found) == 18


def test_stats(benchmark: Any, index: memspan.Index) -> None:
    assert benchmark(lambda: index.stats(user=USER))["records"] == 10_000


def test_route(benchmark: Any, index: memspan.Index, episodes: Episodes) -> None:
    turn = itertools.cycle(range(200))
    found = benchmark(lambda: index.route(user=USER, embedding=episodes.query_vectors[next(turn)], k=5))
    assert len(found) == 5
