"""The journal of runs in a store."""

from __future__ import annotations

from collections.abc import Callable

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.runs import RunChange

NOW = 1_800_000_000_000_000


def test_of_runs_that_changed_nothing_the_last_and_those_under_way_stay(
    store: SqliteStore, make_record: Callable[..., Record]
) -> None:
    with store.writing() as writer:
        writer.put([make_record()])
        user = make_record().user
        for id_ in ("changed", "empty", "running", "last"):
            writer.runs.begin(user, id_, "upkeep", NOW)
        writer.runs.begin(user, "other", "sleep", NOW)
        writer.runs.note("changed", [RunChange("m1", None, None, None)])
        for id_ in ("other", "changed", "empty", "last"):
            writer.runs.end(id_, "{}", NOW)
    with store.reading() as reader:
        assert [run.id for run in reader.runs.runs()] == ["other", "last", "running", "changed"]
        assert [run.state for run in reader.runs.runs(id="running")] == ["running"]
