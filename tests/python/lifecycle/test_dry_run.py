"""A dry run plans what a real run does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory, Quotas, Record, StalenessPolicy
from memspan.remember.capacity import quotas as keeping
from memspan.reports.consolidation import UpkeepReport

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
TEA = "Ana drinks green tea in the morning."
PRUNING = StalenessPolicy(name="decay", prune_above=0.85)
SHARES = {"episodic": 0.25, "semantic": 0.5, "procedural": 0.25}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.memspan", "hash:64", auto_consolidate=False) as opened:
        yield opened


def fact(id_: str, text: str = TEA, day: float = 0, **fields: Any) -> Record:
    return Record(id=id_, user="ana", text=text, at=START + day * DAY, kind="semantic", **fields)


def planned(report: UpkeepReport) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for plan in report.planned:
        found.setdefault(plan.action, []).extend(sorted(plan.records))
    return {action: sorted(ids) for action, ids in found.items()}


def counts(report: UpkeepReport) -> tuple[int, ...]:
    return report.expired, report.evicted, report.pruned, report.stale, report.merged, report.learnt


def both(memory: Memory, **options: Any) -> tuple[dict[str, list[str]], UpkeepReport]:
    """What was planned, and the report of what then was done, which is the same."""
    there = set(memory._engine.current().ids(user="ana"))
    dry = memory.consolidate("ana", dry_run=True, **options).upkeep
    assert set(memory._engine.current().ids(user="ana")) == there
    done = memory.consolidate("ana", **options).upkeep
    assert dry is not None
    assert done is not None
    assert counts(dry) == counts(done)
    return planned(dry), done


def shrink(memory: Memory, monkeypatch: pytest.MonkeyPatch, capacity: int, eviction: str) -> None:
    """Set quotas and crash before they are kept to."""
    with monkeypatch.context() as patch:
        patch.setattr(keeping, "enforce", lambda engine, user: 0)
        memory.set_quotas(Quotas(capacity=capacity, shares=SHARES, eviction=eviction), user="ana")


def evicted(memory: Memory) -> list[str]:
    return sorted(one.record.id for one in memory.evicted(user="ana"))


def test_what_is_pruned_is_not_merged(memory: Memory) -> None:
    memory.add_records([fact("a"), fact("b"), fact("c", day=100), fact("d", "Ana has a saw.", 100)])
    plan, _ = both(memory, staleness=PRUNING)
    assert plan == {"prune": ["a", "b"]}


def test_what_is_left_is_merged(memory: Memory) -> None:
    memory.add_records([fact("a"), fact("b", day=100), fact("c", day=100), fact("d", day=100)])
    plan, _ = both(memory, staleness=PRUNING)
    assert plan == {"prune": ["a"], "merge": ["c", "d"]}


def test_what_expires_is_neither_pruned_nor_merged(memory: Memory) -> None:
    memory.add_records([fact("b", day=100), fact("new", "Ana has a saw.", 100)])
    memory.add_records([fact("a", expires_at=datetime.now(timezone.utc) + timedelta(seconds=0.1))])
    time.sleep(0.15)
    plan, _ = both(memory, staleness=PRUNING)
    assert plan == {"expire": ["a"]}


def test_the_oldest_are_named(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add_records([fact(f"f{n}", f"Ana has boat {n}.", 5 if n == 0 else 1 + n // 3) for n in range(9)])
    memory.pin(user="ana", ids=["f2"])
    memory.retire(user="ana", ids=["f8"])
    shrink(memory, monkeypatch, 8, "oldest")
    plan, done = both(memory)
    assert len(plan["evict"]) == done.evicted == 5
    assert plan["evict"] == evicted(memory)


def test_of_one_time_those_are_named_that_go(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add_records([fact(f"f{n}", f"Ana has boat {n}.") for n in range(6, 12)])
    shrink(memory, monkeypatch, 8, "oldest")
    plan, done = both(memory)
    assert len(plan["evict"]) == done.evicted == 2
    assert plan["evict"] == evicted(memory)


def test_by_value_those_that_are_retired_are_named(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add_records([fact(f"f{n}", f"Ana has boat {n}.", n) for n in range(9)])
    for id_ in ("f7", "f3"):
        memory.retire(user="ana", ids=[id_])
    shrink(memory, monkeypatch, 12, "value")
    plan, done = both(memory)
    assert done.evicted == 3
    assert plan["evict"] == ["f3", "f7"]
    assert set(plan["evict"]) < set(evicted(memory))


def test_only_those_that_certainly_go_are_named(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add_records([fact(f"f{n}", f"Ana has boat {n}.", n) for n in range(9)])
    memory.retire(user="ana", ids=["f7"])
    memory.retire(user="ana", ids=["f1", "f2", "f3"])
    shrink(memory, monkeypatch, 14, "value")
    dry = memory.consolidate("ana", dry_run=True).upkeep
    assert dry is not None
    assert (dry.evicted, planned(dry)) == (2, {"evict": ["f7"]})
    memory.consolidate("ana")
    assert len(evicted(memory)) == 2
    assert "f7" in evicted(memory)


@pytest.mark.parametrize("cold", [False, True])
def test_versions_go_with_what_expires(memory: Memory, cold: bool) -> None:
    soon = datetime.now(timezone.utc) + timedelta(seconds=0.2)
    memory.add_records([fact("a", "Ana lives in Bergen.")])
    memory.add_records([fact("a", "Ana lives in Rome.", expires_at=soon)])
    (version, _) = memory.history(user="ana", id="a").versions  # type: ignore[union-attr]
    if cold:
        memory.set_quotas(Quotas(capacity=4, shares=SHARES))
        memory.add_records([fact("b", day=1, pinned=True), fact("c", "Ben has a boat.", day=1, pinned=True)])
        assert {one.id for one in memory.evicted("ana")} == {"a", version.record.id}
    time.sleep(0.22)
    plan, done = both(memory)
    assert plan == {"expire": sorted(["a", version.record.id])}
    assert done.expired == 2


def test_what_expires_makes_room(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    soon = datetime.now(timezone.utc) + timedelta(seconds=0.3)
    memory.add_records(
        [fact(f"f{n}", f"Ana has boat {n}.", n, expires_at=soon if n < 3 else None) for n in range(9)]
    )
    shrink(memory, monkeypatch, 8, "oldest")
    time.sleep(0.35)
    plan, done = both(memory)
    assert plan == {"expire": ["f0", "f1", "f2"], "evict": ["f3", "f4"]}
    assert evicted(memory) == ["f3", "f4"]
    assert done.evicted == 2


def test_what_makes_room_is_not_merged(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add_records(
        [fact("a"), fact("b", day=1), fact("c", "Ana has a saw.", 2), fact("d", day=3), fact("e", day=3)]
    )
    shrink(memory, monkeypatch, 6, "oldest")
    plan, _ = both(memory)
    assert plan == {"evict": ["a", "b"], "merge": ["e"]}


def test_procedures_are_learnt_of_what_is_left(memory: Memory) -> None:
    for day in (0, 0.1, 0.2, 100):
        calls = [
            {"id": "1", "type": "function", "function": {"name": name, "arguments": "{}"}}
            for name in ("build", "test", "deploy")
        ]
        memory.add(
            [
                {"role": "user", "content": "Ship it."},
                {"role": "assistant", "content": "", "tool_calls": calls},
            ],
            user="ana",
            session=f"s{day}",
            at=START + day * DAY,
        )
    assert memory.consolidate("ana", dry_run=True).upkeep.learnt == 1  # type: ignore[union-attr]
    plan, done = both(memory, staleness=PRUNING)
    assert done.learnt == 0
    assert "learn" not in plan


def test_what_was_planned_before_costs_a_plan_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    class Counted(UpkeepReport):
        def __new__(cls, *values: Any, **fields: Any) -> Counted:
            made.append(len(fields.get("planned", ())))
            return super().__new__(cls, *values, **fields)

        def _replace(self, **fields: Any) -> Counted:
            return Counted(**{**self._asdict(), **fields})

    monkeypatch.setattr("memspan.lifecycle.upkeep.UpkeepReport", Counted)
    memory.add_records(
        Record(id="m1", user=f"user {number}", text=TEA, at=START, expires_at=START + DAY)
        for number in range(40)
    )
    assert len(memory.consolidate(dry_run=True).upkeep.planned) == 40
    assert max(made) == 40
    assert sum(made) <= 200
