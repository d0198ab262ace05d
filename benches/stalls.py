"""A user who grows for a long time: does any search wait for a consolidation?

python benches/stalls.py --records 200000 --write benches/results/stalls.md

One thread adds, erases and searches in turns while the index consolidates by itself on another. Only the searches are
timed. One that takes more than a millisecond is put down to what kept it: its own work, if it used the processor for
so long; else the machine, if most of the rest went by in the scheduler's queue, where a thread stands that could run
and has no core (this one, or the one that it waits for), or if it never gave the processor up by itself; else waiting,
for a lock or for memory. A loop that touches nothing shared is timed between the searches: what the machine does to
that, it does to searches.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import memspan
from growth_data import DIM, HOUR, Generator, Part
from machine import describe_machine
from stalls_page import CAUSES, page

PART = 20_000
MICROSECONDS = 1000
LONG = 1_000_000  # nanoseconds


@dataclass(frozen=True)
class Long:
    """A search that took more than a millisecond."""

    at: int
    wall_us: float
    own_us: float
    queued_us: float
    other_queued_us: float
    voluntary: int
    involuntary: int
    faults: int

    @property
    def cause(self) -> str:
        """What kept it."""
        if self.own_us * MICROSECONDS > LONG:
            return "own work"
        by_machine = self.queued_us + self.other_queued_us
        return "waiting" if self.voluntary and self.waited_us > by_machine else "the machine"

    @property
    def waited_us(self) -> float:
        """For what others held while they were at work."""
        return max(0.0, self.wall_us - self.own_us - self.queued_us - self.other_queued_us)


class QueueClock:
    """For how long a thread has stood in the scheduler's queue so far, in nanoseconds; always 0 where that is not told,
    and what it was when the thread ended.

    Args:
        thread: the native number of a thread of this process; by default of the one that makes the clock.
    """

    def __init__(self, thread: int | None = None) -> None:
        number = threading.get_native_id() if thread is None else thread
        self._file: FileIO | None = None
        self._last = 0
        with suppress(OSError):
            self._file = FileIO(f"/proc/self/task/{number}/schedstat")

    def __call__(self) -> int:
        if self._file is not None:
            with suppress(ProcessLookupError):
                self._last = int(os.pread(self._file.fileno(), 100, 0).split()[1])
        return self._last


def timed(
    at: int,
    work: Callable[[], object],
    longs: list[Long],
    queue: Callable[[], int],
    other_queue: Callable[[], int] = lambda: 0,
) -> int:
    """Nanoseconds that the work takes; if they are many, why is noted.

    Args:
        queue: the clock of this thread.
        other_queue: that of the one it may wait for.
    """
    before = resource.getrusage(resource.RUSAGE_THREAD)
    queued, other = queue(), other_queue()
    own = time.thread_time_ns()
    start = time.perf_counter_ns()
    work()
    wall = time.perf_counter_ns() - start
    if wall > LONG:
        own = time.thread_time_ns() - own
        queued, other = queue() - queued, other_queue() - other
        after = resource.getrusage(resource.RUSAGE_THREAD)
        longs.append(
            Long(
                at,
                round(wall / MICROSECONDS, 1),
                round(own / MICROSECONDS, 1),
                round(queued / MICROSECONDS, 1),
                round(other / MICROSECONDS, 1),
                after.ru_nvcsw - before.ru_nvcsw,
                after.ru_nivcsw - before.ru_nivcsw,
                after.ru_minflt - before.ru_minflt,
            )
        )
    return wall


def stolen_ticks() -> int | None:
    """Of all processors, since the machine started; None where that is not told."""
    try:
        return int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8])
    except (OSError, IndexError, ValueError):
        return None


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
        "over_1_ms": int((taken > LONG).sum()),
    }


def write(index: memspan.Index, part: Part, first: int, position: int, random: np.random.Generator) -> None:
    """Add the next record, and with every tenth erase one that was added before."""
    index.add(
        user="u",
        id=part.ids[position],
        at=int(part.ats[position]),
        text=part.texts[position],
        embedding=part.embeddings[position],
        tags=part.tags[position],
    )
    if position % 10 == 9:
        index.remove(user="u", ids=[f"m{int(random.integers(first + position))}"])


def grow(
    index: memspan.Index, records: int, longs: list[Long]
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[dict[str, float]]]:
    """Times of the searches, times of the idle loop, and how both were in each part."""
    random = np.random.default_rng(1)
    generator = Generator()
    vectors, words, _ = generator.queries()
    searches, loops, drift = [], [], []
    queue = QueueClock()
    for first in range(0, records, PART):
        part = generator.part(first, min(PART, records - first))
        begin = len(searches)
        for position in range(len(part.ids)):
            write(index, part, first, position, random)
            question = position % len(words)
            query: dict[str, Any] = {"user": "u", "embedding": vectors[question], "k": 10}
            if position % 2 == 0:
                since = (first + position) * HOUR * 0.9
                query |= {"text": words[question], "between": (int(since), None)}
            searches.append(timed(first + position, partial(index.search, **query), longs, queue))
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
@click.option(
    "--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the page of results there, too."
)
def main(records: int, auto: bool, write: Path | None) -> None:
    index = memspan.Index(DIM, analyzer="simple", auto_consolidate=auto)
    gc.disable()
    longs: list[Long] = []
    stolen = stolen_ticks()
    searches, loops, drift = grow(index, records, longs)
    if stolen is not None:
        stolen = (stolen_ticks() or stolen) - stolen
    causes = Counter(long.cause for long in longs)
    report = {
        "searches": summary(searches),
        "over_1_ms_by_cause": {cause: causes[cause] for cause in CAUSES},
        "over_1_ms": [{**asdict(long), "cause": long.cause} for long in longs],
        "stolen_ticks": stolen,
        "idle_loop": summary(loops),
        "consolidations": index.auto_consolidations().done,
        "drift": drift,
        "machine": describe_machine(None),
    }
    print(json.dumps(report, indent=1))
    if write is not None:
        write.write_text(page(report, f"python benches/stalls.py --records {records}"), encoding="utf-8")


if __name__ == "__main__":
    main()
