"""What a consolidation without a model costs, and whether a search waits for it.

python benches/sleep.py --records 100000
python benches/sleep.py --records 100000 --prune 0.05

One user's memory of made facts, of which one in fifty says again what another one says. It is consolidated, again
after one in a hundred is new, and the first is undone. Meanwhile another thread searches the index, a search every
half millisecond; one that takes more than a millisecond is put down to what kept it, as in `stalls.py`. Threads of
Python take turns of 5 ms at the interpreter, whatever they do; here they take turns of 0.1 ms, so that what is left
is what a consolidation holds. Before that it searches alone, and beside a main thread that does something else, hashes:
what the machine does to a search when both cores are busy, it does there too.

With --prune the memory is consolidated once more by a policy of staleness, `decay` over the facts' own time, that sends
this share of them, the oldest, to the cold tier while somebody searches.
"""

from __future__ import annotations

import gc
import hashlib
import json
import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import memspan
from growth_data import DIM, Generator
from machine import describe_machine
from stalls import Long, QueueClock, summary, timed

USER = "u"
REPEATED = 50
NEWS = 100
TURN = 1e-4
PAUSE = 5e-4
OTHER_WORK = 3
START = datetime(2024, 1, 1, tzinfo=timezone.utc)


def facts(count: int) -> tuple[list[memspan.Record], NDArray[np.float32], list[str]]:
    """The facts, and vectors and words to search for."""
    generator = Generator()
    random = np.random.default_rng(5)
    part = generator.part(0, count)
    vectors, texts = part.embeddings, part.texts
    for again in random.choice(np.arange(1, count), count // REPEATED, replace=False):
        first = int(random.integers(again))
        texts[again] = texts[first]
        vectors[again] = vectors[first] + 0.01 * random.standard_normal(DIM, dtype=np.float32)
        vectors[again] /= np.linalg.norm(vectors[again])
    records = [
        memspan.Record(
            id=id_,
            user=USER,
            text=text,
            at=START + timedelta(hours=place),
            kind="semantic",
            sources=(f"t{place}",),
            tags=tuple(tags),
            embedding=vector,
        )
        for place, (id_, text, tags, vector) in enumerate(
            zip(part.ids, texts, part.tags, vectors, strict=True)
        )
    ]
    queries, words, _ = generator.queries()
    return records, queries, words


class Searching:
    """Searches of an index on a thread, timed, until it is stopped."""

    def __init__(self, index: memspan.Index, queries: NDArray[np.float32], words: list[str]) -> None:
        self._index, self._queries, self._words = index, queries, words
        self._stop = threading.Event()
        self.longs: list[Long] = []
        self.taken: list[int] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _run(self) -> None:
        at = 0
        queue, other = QueueClock(), QueueClock(threading.main_thread().native_id)
        while not self._stop.is_set():
            place = at % len(self._words)
            query: dict[str, Any] = {"user": USER, "embedding": self._queries[place], "k": 10}
            if at % 2:
                query["text"] = self._words[place]
            self.taken.append(timed(at, partial(self._index.search, **query), self.longs, queue, other))
            at += 1
            time.sleep(PAUSE)

    def report(self) -> dict[str, Any]:
        causes = Counter(long.cause for long in self.longs)
        return {
            **summary(np.array(self.taken)),
            "over_1_ms_by_cause": {cause: causes[cause] for cause in ("own work", "waiting", "the machine")},
            "longest_wait_us": round(max((long.waited_us for long in self.longs), default=0.0), 1),
            "longest": [asdict(long) for long in sorted(self.longs, key=lambda long: -long.wall_us)[:5]],
        }


def hash_for(seconds: float) -> None:
    """Something that takes the processor, and the interpreter for a moment each millisecond."""
    block = bytes(1 << 20)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        hashlib.sha256(block).digest()


def pruning(memory: memspan.Memory, share: float) -> memspan.StalenessPolicy:
    """A policy by which this share of the memory is too stale: facts are spread evenly over their time, and
    ages end with it."""
    stats = memory.stats(USER)
    first, last = (datetime.fromisoformat(stats[end]) for end in ("first", "last"))
    return memspan.StalenessPolicy(
        name="decay", rate=1.0, unit=last - first, prune_above=1 - math.exp(share - 1)
    )


def measured(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What the work answers, and its seconds, of a clock and of the processor."""
    start, own = time.perf_counter(), time.process_time()
    answer = work()
    return answer, {
        "seconds": round(time.perf_counter() - start, 2),
        "cpu_seconds": round(time.process_time() - own, 2),
    }


@click.command(help=__doc__)
@click.option("--records", type=click.IntRange(1000), default=100_000, show_default=True)
@click.option(
    "--prune",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="The share that a policy of staleness then sends to the cold tier.",
)
def main(records: int, prune: float | None) -> None:
    gc.disable()
    made, queries, words = facts(records + records // NEWS)
    result: dict[str, Any] = {}
    with (
        TemporaryDirectory() as directory,
        memspan.Memory(
            Path(directory, "m.memspan"), memspan.HashEmbedder(dim=DIM), auto_consolidate=False
        ) as memory,
    ):
        memory.add_records(made[:records], batch=5000)
        result["duplicates"] = measured(
            lambda: len(memory._engine.current().duplicates(user=USER, threshold=0.95).pairs)
        )[1]
        report, times = measured(lambda: memory.consolidate(USER))
        result["first"] = {
            **times,
            "merged": report.upkeep.merged,
            "layout_seconds": round(report.seconds, 2),
        }
        memory.add_records(made[records:], batch=5000)
        report, times = measured(lambda: memory.consolidate(USER))
        result["news"] = {**times, "merged": report.upkeep.merged}
        for run in memory.runs(USER):
            undone, times = measured(lambda run=run: memory.undo(run.id))
            result.setdefault("undone", []).append({**times, "restored": undone.restored})
        # All that was merged is made to be news again, so that the same is done while somebody searches.
        sys.setswitchinterval(TURN)
        searching = Searching(memory._engine.current(), queries, words)
        with searching.running():
            time.sleep(1)
        result["searches_alone"] = searching.report()
        searching = Searching(memory._engine.current(), queries, words)
        with searching.running():
            hash_for(seconds=OTHER_WORK)
        result["searches_beside_other_work"] = searching.report()
        searching = Searching(memory._engine.current(), queries, words)
        with searching.running():
            merging = memspan.lifecycle.merging.duplicates.Merging(least=0.951)
            report, times = measured(lambda: memory.consolidate(USER, merge=merging))
        result["while_searching"] = {**times, "merged": report.upkeep.merged}
        result["searches_meanwhile"] = searching.report()
        if prune is not None:
            policy = pruning(memory, prune)
            searching = Searching(memory._engine.current(), queries, words)
            with searching.running():
                report, times = measured(lambda: memory.consolidate(USER, staleness=policy))
            result["pruned"] = {**times, "stale": report.upkeep.stale, "pruned": report.upkeep.pruned}
            result["searches_while_pruning"] = searching.report()
    result["records"] = records
    result["machine"] = describe_machine(None)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
