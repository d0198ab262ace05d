"""A user who grows for a long time: does any search wait for a consolidation?

python benches/stalls.py --records 200000

One thread adds, erases and searches in turns while the index consolidates by itself on another. Only the searches are
timed. Between them a loop that touches nothing shared is timed too: what the machine does to that, it does to searches.
"""

from __future__ import annotations

import gc
import json
import time
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import memspan
from growth_data import DIM, HOUR, Generator
from machine import describe_machine

PART = 20_000
MICROSECONDS = 1000


def idle_loop() -> int:
    """Nanoseconds of some twenty microseconds of work."""
    start = time.perf_counter_ns()
    total = 0
    for number in range(400):
        total += number
    return time.perf_counter_ns() - start


def summary(taken: NDArray[np.int64]) -> dict[str, Any]:
    p50, p99, p9999 = np.percentile(taken, [50, 99, 99.99]) / MICROSECONDS
    return {
        "count": len(taken),
        "p50_us": round(float(p50), 1),
        "p99_us": round(float(p99), 1),
        "p99.99_us": round(float(p9999), 1),
        "longest_us": round(float(taken.max()) / MICROSECONDS, 1),
        "over_1_ms": int((taken > 1000 * MICROSECONDS).sum()),
    }


def grow(
    index: memspan.Index, records: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[dict[str, float]]]:
    """Times of the searches, times of the idle loop, and how both were in each part."""
    random = np.random.default_rng(1)
    generator = Generator()
    vectors, words, _ = generator.queries()
    searches, loops, drift = [], [], []
    for first in range(0, records, PART):
        part = generator.part(first, min(PART, records - first))
        begin = len(searches)
        for position, id_ in enumerate(part.ids):
            index.add(
                user="u",
                id=id_,
                at=int(part.ats[position]),
                text=part.texts[position],
                embedding=part.embeddings[position],
                tags=part.tags[position],
            )
            if position % 10 == 9:
                index.remove(user="u", ids=[f"m{int(random.integers(first + position))}"])
            question = position % len(words)
            start = time.perf_counter_ns()
            if position % 2:
                index.search(user="u", embedding=vectors[question], k=10)
            else:
                since = (first + position) * HOUR * 0.9
                index.search(
                    user="u",
                    embedding=vectors[question],
                    text=words[question],
                    between=(int(since), None),
                    k=10,
                )
            searches.append(time.perf_counter_ns() - start)
            loops.append(idle_loop())
        now = np.array(searches[begin:])
        drift.append(
            {
                "records": first + len(part.ids),
                "dense_p50_us": round(float(np.median(now[1::2])) / MICROSECONDS, 1),
                "fused_p50_us": round(float(np.median(now[::2])) / MICROSECONDS, 1),
                "longest_us": round(float(now.max()) / MICROSECONDS, 1),
                "longest_at": first + int(now.argmax()),
            }
        )
    return np.array(searches), np.array(loops), drift


@click.command(help=__doc__)
@click.option("--records", type=click.IntRange(1000), default=200_000, show_default=True)
@click.option("--auto/--no-auto", default=True, show_default=True)
def main(records: int, auto: bool) -> None:
    index = memspan.Index(DIM, analyzer="simple", auto_consolidate=auto)
    gc.disable()
    searches, loops, drift = grow(index, records)
    print(
        json.dumps(
            {
                "searches": summary(searches),
                "idle_loop": summary(loops),
                "consolidations": index.auto_consolidations().done,
                "drift": drift,
                "machine": describe_machine(None),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
