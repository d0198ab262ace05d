"""A reader beside a writer and beside consolidations: does any of its searches wait?

    python benches/stalls_beside.py --records 100000

As stalls.py, but who searches does nothing else: one thread adds records, and erases one for every ten, at a steady
pace; another one searches all the time; the index consolidates by itself on a third. On two cores the three share what
there is, so that most of what takes long does so in the scheduler's queue: causes are told apart as in stalls.py.
Before, when nothing else is done, a loop that only reads the clock tells how often the machine itself stands still.
"""

from __future__ import annotations

import gc
import json
import threading
import time
from collections import Counter
from dataclasses import asdict
from functools import partial
from typing import Any

import click
import numpy as np

import memspan
from growth_data import DIM, HOUR, Generator
from machine import describe_machine
from stalls import LONG, PART, Long, QueueClock, summary, timed, write
from stalls_page import CAUSES

CONTROL_SECONDS = 20.0


class Writer(threading.Thread):
    """Adds and erases records until there are so many.

    Args:
        pause: seconds between two records.
    """

    def __init__(self, index: memspan.Index, records: int, pause: float) -> None:
        super().__init__()
        self._index, self._pause = index, pause
        # Made before anybody searches: what Python computes holds the interpreter's lock for 5 ms at a time.
        generator = Generator()
        self._parts = [generator.part(first, min(PART, records - first)) for first in range(0, records, PART)]
        self.written = 0

    def run(self) -> None:
        random = np.random.default_rng(1)
        for part in self._parts:
            first = self.written
            for position in range(len(part.ids)):
                write(self._index, part, first, position, random)
                self.written = first + position + 1
                time.sleep(self._pause)


def standstills(seconds: float) -> int:
    """How often a loop that only reads the clock takes more than a millisecond to come round."""
    count = 0
    end = time.perf_counter_ns() + int(seconds * 1e9)
    last = time.perf_counter_ns()
    while last < end:
        now = time.perf_counter_ns()
        count += now - last > LONG
        last = now
    return count


@click.command(help=__doc__)
@click.option("--records", type=click.IntRange(1000), default=100_000, show_default=True)
@click.option(
    "--pause-us", type=click.IntRange(0), default=100, show_default=True, help="Between two records."
)
def main(records: int, pause_us: int) -> None:
    index = memspan.Index(DIM, analyzer="simple")
    gc.disable()
    machine_alone = standstills(CONTROL_SECONDS)
    vectors, words, _ = Generator().queries()
    writer = Writer(index, records, pause_us / 1e6)
    writer.start()
    queue, other = QueueClock(), QueueClock(writer.native_id)
    longs: list[Long] = []
    taken: list[int] = []
    while writer.is_alive():
        at = writer.written
        question = len(taken) % len(words)
        query: dict[str, Any] = {"user": "u", "embedding": vectors[question], "k": 10}
        if len(taken) % 2 == 0:
            query |= {"text": words[question], "between": (int(at * HOUR * 0.9), None)}
        taken.append(timed(at, partial(index.search, **query), longs, queue, other))
    causes = Counter(long.cause for long in longs)
    waits = sorted((long.waited_us for long in longs if long.cause == "waiting"), reverse=True)
    report = {
        "machine_alone": {"over_1_ms": machine_alone, "seconds": CONTROL_SECONDS},
        "searches": summary(np.array(taken)),
        "over_1_ms_by_cause": {cause: causes[cause] for cause in CAUSES},
        "longest_waits_us": [round(wait) for wait in waits[:10]],
        "over_1_ms": [{**asdict(long), "cause": long.cause} for long in longs],
        "records": writer.written,
        "consolidations": index.auto_consolidations().done,
        "machine": describe_machine(None),
    }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
