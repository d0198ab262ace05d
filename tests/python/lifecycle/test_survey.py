"""What sleep can say about how stale memories are."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memspan import Memory, Record, StalenessPolicy
from memspan.lifecycle.sleep.survey import survey_pages

from .surveys import survey_of

START = datetime(2024, 1, 1, tzinfo=timezone.utc)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory(tmp_path / "a.memspan", "hash:16")

    def record(id_: str, days: int, **fields: object) -> Record:
        return Record(id=id_, user="ana", text=f"text {id_}", at=START + timedelta(days=days), **fields)  # type: ignore[arg-type]

    memory.add_records(
        [
            record("old", 0),
            record("pinned", 0, pinned=True),
            record("held", 0, held=True),
            record("ended", 98, until=START + timedelta(days=99)),
            record("new", 100),
            record("retired", 0, retired_at=START + timedelta(days=1)),
        ]
    )
    return memory


def test_a_survey_counts_and_changes_nothing(memory: Memory) -> None:
    with memory:
        found = survey_of(memory, StalenessPolicy(name="decay", prune_above=0.85))
        assert (found.policy, found.records, found.stale) == ("decay", 5, 3)
        assert found.tracked_staleness == pytest.approx(found.true_staleness)
        assert found.prunable == ("old",)
        assert len(memory._engine.current().ids(user="ana")) == 6


@pytest.mark.parametrize(("days", "stale"), [(10, 0), (20, 3)])  # staleness .39, .63
def test_stale_is_what_is_staler_than_half(memory: Memory, days: int, stale: int) -> None:
    with memory:
        policy = StalenessPolicy(name="decay")
        found = survey_of(memory, policy, now=START + timedelta(days=days))
        assert found.stale == stale


def test_true_and_tracked_are_apart(memory: Memory) -> None:
    with memory:
        found = survey_of(memory, StalenessPolicy(name="none"))
        assert found.tracked_staleness == 0 < found.true_staleness
        assert found.prunable == ()
        validity = survey_of(memory, StalenessPolicy(name="validity", prune_above=0.5))
        assert (validity.stale, validity.prunable) == (1, ("ended",))


def test_before_anything_was_written_nothing_is_stale(memory: Memory) -> None:
    with memory:
        early = survey_of(memory, StalenessPolicy(name="decay"), now=START - timedelta(days=3))
        assert early.tracked_staleness == early.true_staleness == 0
        assert list(survey_pages(memory._engine, "nobody", StalenessPolicy(), START)) == []
