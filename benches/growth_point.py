"""Measures one point of the growth curves and prints it as one JSON object; `growth.py` starts it for each point.

python benches/growth_point.py --users 1 --records 10000
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

import memspan
from growth_data import DIM, HOUR, QUERIES, Generator
from machine import describe_machine

KINDS = {
    "a": "dense",
    "b": "dense, time range 5 %",
    "c": "BM25, 5 words",
    "d": "dense, tag",
    "e": "fused, time range 5 %",
    "g": "latest 20",
}
PART = 50_000
# What does not fit into the memory of a usual machine is measured with most users away from it.
MOST_RECORDS, LIMIT = 4_000_000, 4 << 30
PASSES = 5


def resident_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no VmRSS")


class Meter:
    """Seconds spent and memory gained by calls, while the data that they are given stays where it is."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.gained = 0

    def __call__(self, call: Callable[[], Any]) -> float:
        gc.collect()
        before, start = resident_bytes(), time.perf_counter()
        call()
        seconds = time.perf_counter() - start
        gc.collect()
        self.seconds += seconds
        self.gained += resident_bytes() - before
        return seconds


def fill(index: memspan.Index, generator: Generator, users: int, records: int, meter: Meter) -> None:
    """Users one after the other; small ones many in one call, because making their data singly takes long."""
    together = max(1, PART // records)
    for first_user in range(0, users, together):
        names = range(first_user, min(users, first_user + together))
        for first in range(0, records, PART):
            count = min(PART, records - first)
            columns = vars(generator.part(first, count * len(names)))
            columns["ats"] = np.tile(np.arange(first, first + count, dtype=np.int64) * HOUR, len(names))
            columns["users"] = [f"u{name}" for name in names for _ in range(count)]
            meter(partial(index.add_many, **columns))


def calls(
    index: memspan.Index, generator: Generator, users: int, records: int
) -> dict[str, Callable[[int], Any]]:
    """For each kind of query a call by query number; the queries go round the users."""
    vectors, words, tags = generator.queries()
    asked = [f"u{number * 7919 % users}" for number in range(QUERIES)]
    width = max(1, records // 20)
    starts = [int(share * (records - width)) for share in np.linspace(0, 1, QUERIES)]
    between = [(start * HOUR, (start + width) * HOUR) for start in starts]
    search, latest = index.search, index.latest
    return {
        "a": lambda i: search(user=asked[i], embedding=vectors[i], k=10),
        "b": lambda i: search(user=asked[i], embedding=vectors[i], between=between[i], k=10),
        "c": lambda i: search(user=asked[i], text=words[i], k=10),
        "d": lambda i: search(user=asked[i], embedding=vectors[i], require_tags=(tags[i],), k=10),
        "e": lambda i: search(user=asked[i], embedding=vectors[i], text=words[i], between=between[i], k=10),
        "g": lambda i: latest(user=asked[i], between=between[i], k=20),
    }


def latency(call: Callable[[int], Any]) -> dict[str, float]:
    """Microseconds: median over passes of each pass's p50 and p99."""
    for number in range(20):
        call(number)
    passes = np.empty((PASSES, QUERIES))
    gc.disable()
    for one in passes:
        for number in range(QUERIES):
            start = time.perf_counter_ns()
            call(number)
            one[number] = time.perf_counter_ns() - start
    gc.enable()
    p50, p99 = (float(np.median(np.percentile(passes, share, axis=1))) / 1000 for share in (50, 99))
    return {"p50_us": round(p50, 2), "p99_us": round(p99, 2)}


def recall(index: memspan.Index, generator: Generator, users: int) -> float:
    """Share of the exact top 10 that dense searches find, by score."""
    vectors, _, _ = generator.queries()
    shares = []
    for number in range(100):
        user = f"u{number * 7919 % users}"
        exact = index.search(user=user, embedding=vectors[number], k=10, exact=True)
        found = index.search(user=user, embedding=vectors[number], k=10)
        if len(exact):
            least = exact.scores[-1] - 1e-5
            shares.append(sum(score >= least for score in found.scores) / len(exact))
    return round(float(np.mean(shares)), 4)


@click.command(help="Measure latency and memory of an index with so many users of so many records each.")
@click.option("--users", type=click.IntRange(1), default=1, show_default=True)
@click.option("--records", type=click.IntRange(1), default=10_000, show_default=True)
@click.option("--date", default=None)
def main(users: int, records: int, date: str | None) -> None:
    generator, meter = Generator(), Meter()
    memspan.Index(DIM, auto_consolidate=False)
    limit = LIMIT if users * records > MOST_RECORDS else None
    index = memspan.Index(DIM, analyzer="simple", max_resident_bytes=limit, auto_consolidate=False)
    fill(index, generator, users, records, meter)
    add_s = meter.seconds
    consolidate_s = round(meter(index.consolidate), 3)
    point = {
        "users": users,
        "records": records,
        "max_resident_bytes": limit,
        "add_s": round(add_s, 3),
        "consolidate_s": consolidate_s,
        "resident_bytes_a_record": round(meter.gained / (users * records), 1),
        "counted_bytes_a_record": round(index.stats()["bytes"] / (users * records), 1),
        "recall": recall(index, generator, users),
        "kinds": {kind: latency(call) for kind, call in calls(index, generator, users, records).items()},
        "machine": describe_machine(date),
    }
    print(json.dumps(point))


if __name__ == "__main__":
    main()
