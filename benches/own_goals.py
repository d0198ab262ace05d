"""Figures that need no other store: bulk loads, durable inserts, consolidation, threads. Prints one JSON object.

PEERS_HOME=... python benches/own_goals.py --harness DIR --size S
"""

from __future__ import annotations

import argparse
import importlib
import json
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import memspan

MICROS = 1000  # the workload's times are milliseconds
USER = "u0"
DURABLE_INSERTS = 200
SEARCH_SECONDS = 1.5
ROUNDS = 5
WRITTEN = 2000  # new rows, of which every search looks at all: as many before a round as in it


def columns(work: Any) -> dict[str, Any]:
    """The first user's records as a caller holds them."""
    start, end = work.urange(0)
    return {
        "ids": [str(i) for i in range(start, end)],
        "ats": work.ts[start:end] * MICROS,
        "texts": work.texts[start:end],
        "embeddings": work.emb[start:end],
        "tags": [[f"t{tag}" for tag in tags] for tags in work.tags[start:end]],
    }


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def filled(data: dict[str, Any]) -> memspan.Index:
    index = memspan.Index(data["embeddings"].shape[1], analyzer="simple", auto_consolidate=False)
    index.add_many(user=USER, **data)
    return index


def bulk(data: dict[str, Any]) -> dict[str, Any]:
    """`add_many` into an empty index, then `consolidate`."""
    builds, upkeep = [], []
    for _ in range(3):
        seconds, index = timed(lambda: filled(data))
        builds.append(seconds)
        upkeep.append(timed(lambda index=index: index.consolidate(user=USER, force=True))[0])
    return {
        "build_s": median(builds),
        "add_many_per_s": len(data["ids"]) / median(builds),
        "consolidate_s": median(upkeep),
    }


def records(data: dict[str, Any], count: int) -> list[memspan.Record]:
    start = datetime(2024, 1, 1, tzinfo=timezone.utc)
    return [
        memspan.Record(
            id=data["ids"][i],
            user=USER,
            text=data["texts"][i],
            at=start + timedelta(seconds=i),
            tags=tuple(data["tags"][i]),
            embedding=data["embeddings"][i],
        )
        for i in range(count)
    ]


def durable(data: dict[str, Any]) -> dict[str, Any]:
    """One record a commit through `Memory`, its vector given, in turns with a bare commit of the same bytes."""
    dim = data["embeddings"].shape[1]
    with tempfile.TemporaryDirectory() as directory:
        bare = sqlite3.connect(f"{directory}/bare.db", isolation_level=None)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute(
            "CREATE TABLE record (id TEXT PRIMARY KEY, text TEXT, at INTEGER, embedding BLOB) STRICT"
        )
        ours, theirs = [], []
        with memspan.Memory(
            f"{directory}/agent.memspan", memspan.HashEmbedder(dim), analyzer="simple"
        ) as memory:
            for i, record in enumerate(records(data, DURABLE_INSERTS)):
                row = (record.id, record.text, i, data["embeddings"][i].tobytes())
                ours.append(timed(lambda record=record: memory.add_records([record]))[0])
                theirs.append(
                    timed(lambda row=row: bare.execute("INSERT INTO record VALUES (?, ?, ?, ?)", row))[0]
                )
        bare.close()
    return {
        "durable_us": median(ours) * 1e6,
        "bare_commit_us": median(theirs) * 1e6,
        "durable_ratio": median(ours) / median(theirs),
    }


def bulk_into_memory(data: dict[str, Any]) -> dict[str, Any]:
    """All records into an empty `Memory`, their vectors given, durable when the call returns."""
    dim, count = data["embeddings"].shape[1], len(data["ids"])
    seconds = []
    for _ in range(3):
        batch = records(data, count)
        with (
            tempfile.TemporaryDirectory() as directory,
            memspan.Memory(
                f"{directory}/agent.memspan", memspan.HashEmbedder(dim), analyzer="simple"
            ) as memory,
        ):
            seconds.append(
                timed(lambda memory=memory, batch=batch: memory.add_records(batch, batch=count))[0]
            )
    return {"memory_bulk_per_s": count / median(seconds)}


def searches_in(index: memspan.Index, queries: np.ndarray, threads: int) -> float:
    """Searches a second of so many threads together."""
    counts = [0] * threads
    stop = time.perf_counter() + SEARCH_SECONDS

    def ask(thread: int) -> None:
        number = thread
        while time.perf_counter() < stop:
            index.search(user=USER, embedding=queries[number % len(queries)], k=10)
            number += 1
        counts[thread] = number - thread

    team = [threading.Thread(target=ask, args=(thread,)) for thread in range(threads)]
    for one in team:
        one.start()
    for one in team:
        one.join()
    return sum(counts) / SEARCH_SECONDS


@contextmanager
def working(work: Callable[[], object]) -> Iterator[None]:
    """Another thread does this again and again."""
    stop = threading.Event()

    def again() -> None:
        while not stop.is_set():
            work()

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def threads(data: dict[str, Any], queries: np.ndarray) -> dict[str, Any]:
    """Dense searches of one user by two threads, by one beside a thread that computes, and by one while another
    adds records to the same user."""
    index = filled(data)
    index.consolidate(user=USER)
    numbers = count()

    def write() -> None:
        number = next(numbers)
        i = number % len(data["ids"])
        index.add(user=USER, id=f"w{number % WRITTEN}", at=number, text=data["texts"][i],
                  embedding=data["embeddings"][i], tags=data["tags"][i])  # fmt: skip

    for _ in range(WRITTEN):
        write()
    one, two, beside, computing = [], [], [], []
    for _ in range(ROUNDS):
        one.append(searches_in(index, queries, 1))
        two.append(searches_in(index, queries, 2))
        with working(lambda: sum(range(1000))):
            computing.append(searches_in(index, queries, 1))
        with working(write):
            beside.append(searches_in(index, queries, 1))
    return {
        "searches_per_s": median(one),
        "two_threads": median(b / a for a, b in zip(one, two, strict=True)),
        "beside_a_writer": median(b / a for a, b in zip(one, beside, strict=True)),
        "beside_one_that_computes": median(b / a for a, b in zip(one, computing, strict=True)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--harness", type=Path, required=True, help="the directory of the harness")
    parser.add_argument("--size", default="S")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.harness))
    work = importlib.import_module("workload").load(arguments.size)
    data = columns(work)
    figures: dict[str, Any] = {"records": work.N} | bulk(data)
    if arguments.size == "S":
        figures |= durable(data) | bulk_into_memory(data) | threads(data, work.q_emb)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
