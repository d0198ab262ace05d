"""What quotas and counting cost: inserts at capacity and below it, and searches that count and that do not.

    python benches/quotas.py --records 100000

Inserts alternate between indexes that differ in nothing but their quotas, so that load on the machine meets all alike.
"""

from __future__ import annotations

import os
import sys
import time
from statistics import median

import click
import numpy as np
from numpy.typing import NDArray

import memspan

DIM = 384
WORDS = 25


def texts_of(count: int, seed: int) -> list[str]:
    ranks = np.minimum(np.random.default_rng(seed).zipf(1.3, size=(count, WORDS)), 20_000)
    return [" ".join(f"w{rank}" for rank in row) for row in ranks]


def rows_of(count: int, seed: int) -> NDArray[np.float32]:
    """Embeddings around 300 centres."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(9).normal(size=(300, DIM))
    noise = 0.4 * random.normal(size=(count, DIM))
    return (centres[random.integers(0, 300, count)] + noise).astype(np.float32)


def filled(records: int, quota: int | None, eviction: str, tracks: bool = False) -> memspan.Index:
    index = memspan.Index(DIM, auto_consolidate=False, track_uses=tracks)
    if quota is not None:
        index.set_quotas(user=None, capacities={"episodic": quota}, eviction=eviction)
    rows = rows_of(records, 0)
    index.add_many(
        user="ana",
        ids=[f"r{number}" for number in range(records)],
        ats=np.arange(records) * 10**6,
        texts=texts_of(records, 1),
        embeddings=rows,
        sessions=[f"s{number // 20}" for number in range(records)],
    )
    index.consolidate(user="ana", force=True)
    return index


def inserts(records: int, count: int) -> None:
    """Inserts into five indexes in turn, each round in another order, so that none always follows the same one.

    The first half is not counted: until the first sweep an index at capacity takes new slots.
    """
    cases = {
        "below, no quotas": filled(records, None, "value"),
        "below, oldest": filled(records, 10**9, "oldest"),
        "below, by value": filled(records, 10**9, "value"),
        "full, oldest": filled(records, records, "oldest"),
        "full, by value": filled(records, records, "value"),
    }
    texts = texts_of(count, 2)
    rows = rows_of(count, 3)
    taken: dict[str, list[float]] = {name: [] for name in cases}

    def add(index: memspan.Index, number: int) -> None:
        at = (records + number) * 10**6
        session = f"s{(records + number) // 20}"
        index.add(
            user="ana", id=f"n{number}", at=at, text=texts[number], embedding=rows[number], session=session
        )

    order = list(cases.items())
    for number in range(count):
        for name, index in order:
            start = time.perf_counter()
            add(index, number)
            taken[name].append(time.perf_counter() - start)
        order.append(order.pop(0))
    print(
        f"{'insert, us':18s} {'median':>8s} {'mean':>8s} {'p99':>8s}   (mean without the slowest thousandth)"
    )
    for name in cases:
        times = np.sort(taken[name][count // 2 :]) * 1e6
        usual = times[: len(times) - len(times) // 1000]
        print(
            f"{name:18s} {np.median(times):8.2f} {np.mean(usual):8.2f} {times[int(0.99 * len(times))]:8.2f}"
        )


def searches(records: int, count: int) -> None:
    index = filled(records, None, "value", tracks=True)
    rows = rows_of(64, 4)
    texts = texts_of(64, 5)
    taken: dict[bool, list[float]] = {True: [], False: []}

    def search(number: int, track: bool) -> None:
        place = number % 64
        words = " ".join(texts[place].split()[:6])
        index.search(user="ana", embedding=rows[place], text=words, k=10, track=track)

    # Whole rounds, so that no search comes right after one for the same words.
    for turn in range(count // 64):
        for track in (turn % 2 == 0, turn % 2 == 1):
            for number in range(64):
                start = time.perf_counter()
                search(number, track)
                taken[track].append(time.perf_counter() - start)
    for track in (False, True):
        print(f"search {'counts' if track else 'does not count':18s} {median(taken[track]) * 1e6:7.1f} us")


@click.command()
@click.option("--records", default=100_000, show_default=True)
@click.option("--inserts", "insert_count", default=30_000, show_default=True)
@click.option("--searches", "search_count", default=4_000, show_default=True)
def main(records: int, insert_count: int, search_count: int) -> None:
    print(f"{records} records of {DIM} dimensions and {WORDS} words; {sys.platform}, {os.cpu_count()} cores")
    searches(records, search_count)
    inserts(records, insert_count)


if __name__ == "__main__":
    main()
