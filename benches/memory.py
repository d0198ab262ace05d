"""What a record takes of memory: with float rows in RAM, and with rows that are used where they lie in a snapshot.

python benches/memory.py 1x10000 100x1000 1x200000

Every figure comes from a process of its own, as the gain of what the system says is resident. `private` is memory that
only the process has; `file` are pages of the snapshot, which the system takes back when it needs them.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

import memspan
from growth_data import DIM, HOUR, QUERIES, Generator, Part

AT_ONCE = 5_000
PASSES = 10


class Resident:
    """Bytes that became resident since this was made."""

    def __init__(self) -> None:
        self._before = self._now()

    @staticmethod
    def _now() -> dict[str, int]:
        gc.collect()
        lines = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
        return {words[0]: int(words[1]) * 1024 for words in lines if words[0].startswith("Rss")}

    def gained(self, records: int) -> dict[str, int]:
        now = self._now()
        private, file = (now[name] - self._before[name] for name in ("RssAnon:", "RssFile:"))
        return {"private": round(private / records), "file": round(file / records)}


def add(index: memspan.Index, user: str, part: Part) -> None:
    ats = np.arange(len(part.ids), dtype=np.int64) * HOUR
    for first in range(0, len(part.ids), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        index.add_many(
            user=user,
            ids=part.ids[some],
            ats=ats[some],
            texts=part.texts[some],
            embeddings=part.embeddings[some],
            tags=part.tags[some],
        )


def counted(index: memspan.Index, records: int) -> dict[str, int]:
    stats = index.stats()
    return {name: round(stats[name] / records) for name in ("bytes", "mapped_bytes")}


def measure_rows_in_ram(users: int, records: int, snapshot: Path, row_format: str) -> dict[str, Any]:
    """The data of the small users is one lot, from which each takes a stretch, so that making it takes no time."""
    part = Generator().part(0, max(records, min(users * records, 20_000)))
    total = users * records
    memspan.Index(DIM)
    resident = Resident()
    index = memspan.Index(DIM, analyzer="simple", row_format=row_format, auto_consolidate=False)
    for user in range(users):
        first = user * 37 * records % (len(part.ids) - records + 1)
        chosen = slice(first, first + records)
        columns = {name: column[chosen] for name, column in vars(part).items()}
        add(index, f"u{user}", Part(**columns))
    result: dict[str, Any] = {"added": resident.gained(total)}
    index.consolidate()
    result["consolidated"] = resident.gained(total) | counted(index, total)
    index.save(snapshot)
    return result


def measure_rows_in_file(users: int, records: int, snapshot: Path) -> dict[str, Any]:
    vectors, words, _ = Generator().queries()
    total = users * records
    memspan.Index(DIM)
    resident = Resident()
    index = memspan.Index.load(snapshot)
    for user in range(users):
        index.search(user=f"u{user}", embedding=vectors[0], text=words[0], k=10)
    result: dict[str, Any] = {"one_search_each": resident.gained(total) | counted(index, total)}
    for number in range(PASSES * QUERIES):
        query = number % QUERIES
        index.search(user=f"u{number % users}", embedding=vectors[query], text=words[query], k=10)
    return result | {f"{PASSES * QUERIES}_searches": resident.gained(total)}


@click.command(help=__doc__)
@click.argument("sizes", nargs=-1, required=True)
@click.option(
    "--row-format", type=click.Choice(["float32", "bfloat16"]), default="float32", help="Of the index."
)
@click.option("--step", type=click.Choice(["ram", "file"]), hidden=True)
@click.option("--snapshot", type=click.Path(path_type=Path), hidden=True)
def main(sizes: tuple[str, ...], row_format: str, step: str | None, snapshot: Path | None) -> None:
    if step is not None and snapshot is not None:
        users, records = map(int, sizes[0].split("x"))
        if step == "ram":
            print(json.dumps(measure_rows_in_ram(users, records, snapshot, row_format)))
        else:
            print(json.dumps(measure_rows_in_file(users, records, snapshot)))
        return
    for size in sizes:
        with TemporaryDirectory() as place:
            results = {}
            for each in ("ram", "file"):
                command = [sys.executable, __file__, size, "--step", each, "--snapshot", f"{place}/index"]
                command += ["--row-format", row_format]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                results[each] = json.loads(done.stdout)
        print(json.dumps({"users x records": size, **results}), flush=True)


if __name__ == "__main__":
    main()
