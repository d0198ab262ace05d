"""Many threads on one index: searches of one user during writes to other users, and to the same one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
from native import assert_same_contents
from oracle import Oracle
from oracle_views import Rec
from ranking import assert_same_bits
from strategies import DIM, VECTORS, WORDS

import memspan

TOLD = 60
WRITERS = ("ben", "cleo", "dan")


def rec(number: int) -> Rec:
    return Rec(
        id=f"m{number}",
        at=1000 * number,
        text=f"{WORDS[number % len(WORDS)]} {WORDS[number % 3]}",
        embedding=VECTORS[number % len(VECTORS)],
        tags=(f"tag_{number % 5}",),
    )


def write(index: memspan.Index, user: str, record: Rec) -> None:
    index.add(
        user=user,
        id=record.id,
        at=record.at,
        text=record.text,
        embedding=np.array(record.embedding, np.float32),
        tags=record.tags,
    )


def ask(index: memspan.Index, user: str, k: int = 20) -> memspan.Hits:
    query = np.array(VECTORS[0], np.float32)
    return index.search(user=user, text="kite lamp", embedding=query, tags=["tag_1"], k=k)


def run_together(*jobs: Callable[[], None]) -> None:
    """Start all jobs at one instant, each on a thread of its own, and raise what any of them raised."""
    barrier = Barrier(len(jobs))

    def start(job: Callable[[], None]) -> None:
        barrier.wait()
        job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(start, job) for job in jobs]:
            done.result()


def test_answers_do_not_change_while_others_are_written_to() -> None:
    index, oracle = memspan.Index(DIM, analyzer="simple"), Oracle()
    for number in range(TOLD):
        write(index, "ana", rec(number))
        oracle.add("ana", rec(number))
    before = ask(index, "ana")

    def search() -> None:
        for _ in range(200):
            assert_same_bits(ask(index, "ana"), before)

    def rewrite(user: str) -> Callable[[], None]:
        def job() -> None:
            for turn in range(4):
                for number in range(TOLD):
                    write(index, user, rec(number))
                    index.relate(user=user, parent="root", child=f"tag_{number % 5}")
                index.forget(user=user) if turn < 3 else index.remove(user=user, ids=["m0", "m1"])

        return job

    run_together(search, search, *map(rewrite, WRITERS))
    for user in WRITERS:
        for number in range(2, TOLD):
            oracle.add(user, rec(number))
        oracle.users[user].edges = {("root", f"tag_{number}") for number in range(5)}
    assert_same_contents(index, oracle, ("ana", *WRITERS))
    assert_same_bits(ask(index, "ana"), before)


def test_searches_see_whole_records_of_a_batch() -> None:
    """An upsert never shows a record twice or not at all, nor a mixture of its old and its new version."""
    index = memspan.Index(DIM, analyzer="simple")
    batch = [rec(number) for number in range(TOLD)]

    def add_batch(at: int) -> None:
        index.add_many(
            user="ana",
            ids=[record.id for record in batch],
            ats=[at] * TOLD,
            texts=["kite"] * TOLD,
            embeddings=np.array([record.embedding for record in batch], np.float32),
        )

    add_batch(0)

    def search() -> None:
        for _ in range(300):
            hits = ask(index, "ana", k=100)
            assert len(set(hits.ids)) == len(hits) == TOLD
            # A batch becomes visible some records at a time, each of them whole.
            assert int(hits.ats.max()) - int(hits.ats.min()) <= 1

    def rewrite() -> None:
        for turn in range(1, 60):
            add_batch(turn)

    run_together(search, search, rewrite)


def test_snapshots_of_a_moving_index_are_whole(tmp_path: Path) -> None:
    """Saving while users are written to gives a file that loads, with what was added up to some record."""
    index = memspan.Index(DIM)
    order = [f"m{turn}_{i}" for turn in range(30) for i in range(10)]

    def fill() -> None:
        for turn in range(30):
            index.add_many(user="ana", ids=order[10 * turn : 10 * turn + 10], ats=[turn] * 10)

    def save() -> None:
        for turn in range(10):
            index.save(tmp_path / f"{turn}.snapshot")

    run_together(fill, save)
    for turn in range(10):
        loaded = memspan.Index.load(tmp_path / f"{turn}.snapshot")
        assert sorted(loaded.latest(user="ana", k=len(order)).ids) == sorted(order[: len(loaded)])
