"""kill -9 while records move between memory and the cold tier: each is in one of them, and only there."""

from __future__ import annotations

import multiprocessing
import random
from pathlib import Path

import pytest
from children import run_and_kill
from quota_writers import write_until_killed

from memspan import Memory


def check(path: Path, rounds: int, seed: int) -> None:
    multiprocessing.get_context("forkserver").set_forkserver_preload(["memspan.memory"])
    chance = random.Random(seed)
    known: set[str] = set()
    evicted = 0
    for round_ in range(rounds):
        done, pending = run_and_kill(write_until_killed, path, round_, 0.05 + chance.random() * 0.2)
        known |= {id_ for ids in done for id_ in ids}
        begun = set(pending or ())
        with Memory(path, "hash:16") as memory:
            with memory._engine.store.reading() as reader:
                live, cold = set(reader.ids("ana")), set(reader.cold.ids("ana"))
                texts = {record.id: record.text for page in reader.scan("ana", 500) for record in page}
                texts |= {
                    id_: each.record.text for id_, each in reader.cold.fetch("ana", sorted(cold)).items()
                }
            assert not live & cold
            found = live | cold
            assert known <= found <= known | begun
            # An add is there as a whole or not at all.
            assert found - known in (set(), begun)
            assert texts == {id_: f"text of {id_}" for id_ in found}
            known, evicted = found, len(cold)
            # Killed while it saved, it leaves a snapshot that is not believed.
            assert [problem for problem in memory.verify() if not problem.startswith("snapshot ")] == []
            quotas = memory.quotas()
            if quotas is not None:
                memory.add(
                    [{"id": f"check-{round_}", "text": f"text of check-{round_}", "at": 0}], user="ana"
                )
                known.add(f"check-{round_}")
                assert memory.stats("ana")["kinds"]["episodic"] <= (quotas.capacities["episodic"] or 0)
    assert evicted


def test_kill_at_random_moments(path: Path) -> None:
    check(path, 8, 0)


@pytest.mark.slow
def test_kill_at_random_moments_for_long(path: Path) -> None:
    # Every round reads all records that are there: several stores, each of which stays small.
    for seed in range(1, 5):
        check(path.with_name(f"store-{seed}"), 25, seed)
