"""Staleness as a step of sleep."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory, Record, StalenessPolicy
from memspan.errors import InvalidArgumentError
from memspan.lifecycle import pruning
from memspan.lifecycle.undo.journal import Journal

from .surveys import survey_of
from .test_undo import rows

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
PRUNING = StalenessPolicy(name="decay", prune_above=0.85)


def record(id_: str, days: int, **fields: Any) -> Record:
    return Record(id=id_, user="ana", text=f"text {id_}", at=START + timedelta(days=days), **fields)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.memspan", "hash:16", auto_consolidate=False) as memory:
        memory.add_records(
            [
                record("old", 0),
                record("older", -1, kind="semantic"),
                record("pinned", 0, pinned=True),
                record("held", 0, held=True),
                record("pointer", 0, kind="resource"),
                record("retired", 0, retired_at=START + timedelta(days=1)),
                record("new", 100),
            ]
        )
        yield memory


def ids(memory: Memory) -> set[str]:
    return set(memory._engine.current().ids(user="ana"))


def test_what_is_too_stale_goes_to_the_cold_tier_and_undo_brings_it_back(memory: Memory):
    before, there = rows(Path(memory._engine.store.path)), ids(memory)
    report = memory.consolidate("ana", staleness=PRUNING).upkeep
    assert (report.pruned, report.stale, report.finished) == (2, 5, True)
    assert report.tracked_staleness == pytest.approx(report.true_staleness)
    assert {each.record.id for each in memory.evicted(user="ana")} == {"old", "older"}
    assert ids(memory) == there - {"old", "older"}
    assert {entry.action for entry in memory.audit(user="ana")} >= {"prune", "evict"}
    (run,) = report.runs
    assert memory.undo(run) == (run, 2, 0, (), ())
    assert rows(Path(memory._engine.store.path)) == before
    assert ids(memory) == there
    assert memory.verify() == []


def test_a_dry_run_tells_and_changes_nothing(memory: Memory):
    there = ids(memory)
    report = memory.user("ana").consolidate(staleness=PRUNING, dry_run=True).upkeep
    assert (report.pruned, report.runs) == (2, ())
    planned = sorted(plan.records for plan in report.planned if plan.action == "prune")
    assert planned == [("old",), ("older",)]
    assert ids(memory) == there
    assert memory.evicted(user="ana") == []


def test_a_policy_that_does_not_prune_only_counts(memory: Memory):
    report = memory.consolidate("ana", staleness="validity").upkeep
    assert (report.stale, report.pruned, report.tracked_staleness) == (0, 0, 0)
    assert report.true_staleness > 0.5
    assert report.runs == ()


def test_without_a_policy_what_was_ended_counts(memory: Memory):
    report = memory.consolidate("ana").upkeep
    assert (report.stale, report.pruned, report.tracked_staleness, report.true_staleness) == (
        1,
        0,
        None,
        None,
    )


def test_what_was_used_since_the_survey_stays(memory: Memory):
    policy = StalenessPolicy(name="refresh", prune_above=0.5)
    with memory._engine.store.reading() as reader:
        assert reader.uses.of("ana") == []
    assert memory.consolidate("ana", staleness=policy, dry_run=True).upkeep.pruned == 2
    memory.search("text old", user="ana", k=1)
    assert memory.consolidate("ana", staleness=policy).upkeep.pruned == 1
    assert [each.record.id for each in memory.evicted(user="ana")] == ["older"]


def test_what_was_pinned_or_forgotten_since_the_survey_is_left_alone(memory: Memory):
    survey = survey_of(memory, PRUNING)
    assert set(survey.prunable) == {"old", "older"}
    memory.pin(user="ana", ids=["old"])
    memory.forget(user="ana", id="older")
    journal = Journal("ana")
    assert pruning.prune(memory._engine, survey, PRUNING, journal) == 0
    assert not journal.began
    assert memory.evicted(user="ana") == []


def test_it_goes_in_slices_while_there_is_time(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pruning, "_SLICE", 1)
    survey = survey_of(memory, PRUNING)
    turns = iter([True, False])
    assert pruning.prune(memory._engine, survey, PRUNING, Journal("ana"), lambda: next(turns)) == 1
    assert len(memory.evicted(user="ana")) == 1
    first = memory.consolidate("ana", staleness=PRUNING, seconds=0).upkeep
    assert (first.pruned, first.finished) == (1, False)
    assert memory.consolidate("ana", staleness=PRUNING).upkeep.pruned == 0


@pytest.mark.parametrize("policy", ["old", 3, {"name": "decay"}])
def test_other_policies_are_refused(memory: Memory, policy: Any):
    with pytest.raises(InvalidArgumentError, match="staleness"):
        memory.consolidate("ana", staleness=policy)
