"""Many users of whom few are active, in an index whose memory is limited: what they cost, and what coming back costs.

python benches/residency.py --users 100000 --records 100 --limit-mb 1024

Every user holds the same few thousand records in another order, because making ten million takes longer than
indexing them. Files of about 2 kB a record are needed in `--directory`, twice that with `--save`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import memspan
from growth_data import DIM, HOUR, Generator
from growth_point import resident_bytes
from machine import describe_machine

POOL = 20_000
USERS_AT_A_TIME = 100
ACTIVE = 500
SEARCHES = 20_000


def private_bytes() -> int:
    """What the process has written to: memory that the system cannot take back, as it can pages of a mapped file."""
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Private_Dirty"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/smaps_rollup has no Private_Dirty")


def fill(index: memspan.Index, users: int, records: int) -> NDArray[np.float32]:
    """Returns the vectors of the records that all users share."""
    part = Generator().part(0, POOL)
    ats = np.tile(np.arange(records, dtype=np.int64) * HOUR, USERS_AT_A_TIME)
    for first in range(0, users, USERS_AT_A_TIME):
        names = range(first, min(users, first + USERS_AT_A_TIME))
        chosen = [(name * 37 + number) % POOL for name in names for number in range(records)]
        index.add_many(
            users=[f"user {name}" for name in names for _ in range(records)],
            ids=[part.ids[number] for number in chosen],
            ats=ats[: len(chosen)],
            texts=[part.texts[number] for number in chosen],
            embeddings=part.embeddings[chosen],
            tags=[part.tags[number] for number in chosen],
        )
    return part.embeddings


def microseconds(
    index: memspan.Index, users: list[int], records: int, vectors: NDArray[np.float32]
) -> dict[str, float]:
    """Of a dense search of each user in turn, who must find the record that is asked for."""
    taken = np.empty(len(users))
    for position, user in enumerate(users):
        number = (user * 37 + position % records) % POOL
        start = time.perf_counter_ns()
        ids = index.search(user=f"user {user}", embedding=vectors[number], k=10).ids
        taken[position] = time.perf_counter_ns() - start
        if ids[0] != f"m{number}":
            raise RuntimeError(f"user {user} found {ids[0]}, not m{number}")
    p50, p99 = np.percentile(taken, [50, 99]) / 1000
    return {"p50": round(float(p50), 1), "p99": round(float(p99), 1)}


@contextmanager
def seconds(result: dict[str, Any], name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    result[name] = round(time.perf_counter() - start, 3)


def searches(
    index: memspan.Index, users: int, records: int, vectors: NDArray[np.float32]
) -> dict[str, dict[str, float]]:
    random = np.random.default_rng(5)
    measure: Callable[[Any], dict[str, float]] = lambda asked: microseconds(  # noqa: E731
        index, [int(user) for user in asked], records, vectors
    )
    active = random.choice(users, min(users, ACTIVE), replace=False)
    measure(active)
    mixed = np.where(
        random.random(SEARCHES) < 0.99, random.choice(active, SEARCHES), random.integers(0, users, SEARCHES)
    )
    return {
        "active": measure(np.tile(active, 4)),
        "one_in_a_hundred_away": measure(mixed),
        "anybody": measure(random.integers(0, users, SEARCHES // 4)),
    }


@click.command(help=__doc__)
@click.option("--users", type=click.IntRange(USERS_AT_A_TIME), default=100_000, show_default=True)
@click.option("--records", type=click.IntRange(1), default=100, show_default=True)
@click.option("--limit-mb", type=click.IntRange(1), default=1024, show_default=True)
@click.option("--directory", type=click.Path(path_type=Path, exists=True), default=None)
@click.option("--save/--no-save", default=True, show_default=True)
def main(users: int, records: int, limit_mb: int, directory: Path | None, save: bool) -> None:
    limit = limit_mb << 20
    result: dict[str, Any] = {"users": users, "records_a_user": records, "dim": DIM, "limit_mb": limit_mb}
    with TemporaryDirectory(dir=directory) as place:
        index = memspan.Index(DIM, analyzer="simple", max_resident_bytes=limit, spill_directory=place)
        before, private_before = resident_bytes(), private_bytes()
        with seconds(result, "fill_s"):
            vectors = fill(index, users, records)
        result["records_a_second"] = round(users * records / result["fill_s"])
        result["resident_mb"] = (resident_bytes() - before) >> 20
        result["resident_users"] = index.stats()["resident_users"]
        result["search_us"] = searches(index, users, records, vectors)
        # Users have left and come back by now, anybody of them.
        result["resident_mb_after_searches"] = (resident_bytes() - before) >> 20
        result["private_mb_after_searches"] = (private_bytes() - private_before) >> 20
        if save:
            snapshot = Path(place) / "index"
            with seconds(result, "save_s"):
                index.save(snapshot)
            result["snapshot_bytes_a_record"] = round(snapshot.stat().st_size / (users * records))
            del index
            with seconds(result, "open_s"):
                index = memspan.Index.load(snapshot, max_resident_bytes=limit, spill_directory=place)
            with seconds(result, "first_answer_s"):
                index.search(user="user 1", embedding=vectors[0], k=10)
            result["search_us_from_the_snapshot"] = searches(index, users, records, vectors)
            result["resident_mb_from_the_snapshot"] = (resident_bytes() - before) >> 20
            result["private_mb_from_the_snapshot"] = (private_bytes() - private_before) >> 20
    print(json.dumps({**result, "machine": describe_machine(None)}))


if __name__ == "__main__":
    main()
