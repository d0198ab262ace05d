"""Long histories: records come, change and go while slots are used again and again; the oracle still agrees."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native import arguments, assert_same_contents, columns, fields
from oracle import Oracle
from oracle_views import Rec
from ranking import assert_same_ranking
from strategies import DIM, KINDS, QUERY_VECTORS, SESSIONS, TAGS, TIMES, VECTORS, WORDS

import memspan

IDS = [f"m{number}" for number in range(60)]


def draw_record(rng: random.Random) -> Rec:
    return Rec(
        id=rng.choice(IDS),
        at=rng.choice(TIMES),
        text=" ".join(rng.choices(WORDS, k=rng.randrange(7))),
        embedding=rng.choice([None, *VECTORS]),
        tags=tuple(rng.sample(TAGS, rng.randrange(4))),
        kind=rng.choice(KINDS),
        session=rng.choice([None, *SESSIONS]),
        metadata={"a": rng.randrange(5)},
    )


def draw_query(rng: random.Random) -> dict[str, Any]:
    query: dict[str, Any] = {
        "k": rng.choice((3, 20, 100)),
        "fusion": rng.choice(("rrf", "union", "weighted")),
    }
    query["embedding"] = rng.choice(QUERY_VECTORS)
    if rng.random() < 0.7:
        query["text"] = " ".join(rng.sample(WORDS, 2))
    if rng.random() < 0.4:
        query |= {"tags": rng.sample(TAGS, 2), "neighbors": rng.randrange(3)}
    if rng.random() < 0.4:
        query["where"] = {"a": {"$gte": rng.randrange(5)}}
    if rng.random() < 0.3:
        query["require_tags"] = [rng.choice(TAGS)]
    return query


def step(rng: random.Random, index: memspan.Index, oracle: Oracle, user: str) -> None:
    """One write: mostly upserts, some batches and removals."""
    luck = rng.random()
    if luck < 0.6:
        rec = draw_record(rng)
        index.add(user=user, **fields(rec))
        oracle.add(user, rec)
    elif luck < 0.7:
        batch = {rec.id: replace(rec, embedding=rng.choice(VECTORS)) for rec in map(draw_record, [rng] * 20)}
        index.add_many(**columns([(user, rec) for rec in batch.values()], DIM))
        for rec in batch.values():
            oracle.add(user, rec)
    else:
        ids = rng.sample(IDS, rng.randrange(12))
        assert index.remove(user=user, ids=ids) == oracle.remove(user, ids)


@pytest.mark.parametrize("seed", range(3))
def test_a_long_history(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    index, oracle = memspan.Index(DIM, analyzer="simple"), Oracle()
    most_dead = 0
    for turn in range(400):
        for user in ("ana", "ben"):
            step(rng, index, oracle, user)
        most_dead = max(most_dead, index.stats(user="ana")["dead_slots"])
        if turn % 10 == 0:
            assert_same_contents(index, oracle, ("ana", "ben"))
            for user in ("ana", "ben"):
                query = draw_query(rng)
                hits = index.search(user=user, **arguments(query))
                assert_same_ranking(hits, oracle.search(user=user, **query), query["k"])
                embedding = np.array(query["embedding"], np.float32)
                expected = [score for _, score in oracle.route(user, query["embedding"], 6)]
                found = [score for _, score in index.route(user=user, embedding=embedding, k=6)]
                assert found == pytest.approx(expected, abs=1e-5)
        if turn % 150 == 149:
            index.save(tmp_path / "index.snapshot")
            index = memspan.Index.load(tmp_path / "index.snapshot")
    assert most_dead >= 20, "the history was too calm to recycle slots"
