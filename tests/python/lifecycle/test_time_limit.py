"""`consolidate(seconds=)`: every call does a slice, and all of them do what one without a limit does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from time import sleep, thread_time
from typing import Any

import numpy as np
import pytest

from memspan import Memory, Quotas, Record, StalenessPolicy
from memspan.lifecycle import expiring, pruning, upkeep
from memspan.lifecycle.expiring import sweep
from memspan.lifecycle.merging import round as merging_round
from memspan.lifecycle.merging import uniting
from memspan.lifecycle.sleep import survey
from memspan.reports.consolidation import UpkeepReport

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
PRUNING = StalenessPolicy(name="decay", rate=0.01, prune_above=0.85)
USERS = ("ana", "ben")


def records(user: str, count: int = 60) -> list[Record]:
    """Facts of which every second one says what the one before it says, and as many that are old."""
    vectors = np.random.default_rng(3).normal(size=(count, 16)).astype(np.float32)
    made = []
    for n in range(count):
        first = n - n % 2
        given: dict[str, Any] = {
            "user": user,
            "kind": "semantic",
            "embedding": vectors[first] + 0.001 * (n % 2),
        }
        made.append(Record(id=f"f{n:03}", text=f"Ana bought boat {first}.", at=START + n * DAY, **given))
        made.append(
            Record(id=f"o{n:03}", text=f"Old thing {n}.", at=START - 9999 * DAY, user=user, kind="semantic")
        )
    return made


def filled(path: Path, **options: Any) -> Memory:
    memory = Memory(path, "hash:16", auto_consolidate=False, **options)
    for user in USERS:
        memory.add_records(records(user))
        memory.add(
            [{"id": f"x{n}", "text": f"soon gone {n}", "kind": "semantic"} for n in range(30)],
            user=user,
            ttl=0.2,
        )
    sleep(0.25)
    return memory


def contents(memory: Memory) -> Any:
    with memory._engine.store.reading() as reader:
        stored = [
            (one.user, one.id, one.text, one.until, one.sources)
            for page in reader.scan(None, 99)
            for one in page
        ]
        left = [key for (key,) in reader._all("SELECT key FROM meta WHERE key LIKE 'upkeep/%'")]
    assert left == []
    assert memory.verify() == []
    folder = Path(memory._engine.store.path).parent
    assert not any(
        b"soon gone" in file.read_bytes() for file in folder.glob(f"{memory._engine.store.path.name}*")
    )
    cold = sorted((user, one.record.id) for user in USERS for one in memory.evicted(user=user, k=999))
    return sorted(stored), cold


def repeated(consolidate: Callable[[], UpkeepReport]) -> list[UpkeepReport]:
    """The reports of as many calls as it takes."""
    reports: list[UpkeepReport] = []
    while not (reports and reports[-1].finished):
        assert len(reports) < 300
        reports.append(consolidate())
    return reports


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiring, "_SLICE", 8)
    monkeypatch.setattr(pruning, "_SLICE", 8)
    monkeypatch.setattr(survey, "_PAGE", 16)
    monkeypatch.setattr(uniting, "_SLICE", 8)
    monkeypatch.setattr(merging_round, "_DECIDED", 4)


@pytest.fixture
def at_once(tmp_path: Path) -> Any:
    with filled(tmp_path / "once") as memory:
        report = memory.consolidate(staleness=PRUNING).upkeep
        assert report is not None
        assert (report.expired, report.pruned, report.merged, report.finished) == (60, 120, 60, True)
        return contents(memory)


@pytest.mark.parametrize("seconds", [0, 0.002, 0.05])
def test_repeated_calls_come_to_the_same_end(
    tmp_path: Path, small_slices: None, at_once: Any, seconds: float
) -> None:
    with filled(tmp_path / "slices") as memory:

        def consolidate() -> UpkeepReport:
            return memory.consolidate(staleness=PRUNING, seconds=seconds).upkeep  # type: ignore[return-value]

        reports = repeated(consolidate)
        assert sum(report.expired for report in reports) == 60
        assert sum(report.pruned for report in reports) == 120
        assert sum(report.merged for report in reports) == 60
        if seconds == 0:
            assert all(
                report.expired <= 8 and report.pruned <= 8 and report.merged <= 8 for report in reports
            )
            assert all(
                (report.expired > 0) + (report.pruned > 0) + (report.merged > 0) <= 1 for report in reports
            )
        assert contents(memory) == at_once
        again = consolidate()
        assert (again.expired, again.pruned, again.merged) == (0, 0, 0)


def test_other_handles_go_on(tmp_path: Path, small_slices: None, at_once: Any) -> None:
    filled(tmp_path / "slices").close()

    def consolidate() -> UpkeepReport:
        with Memory(tmp_path / "slices", "hash:16", auto_consolidate=False) as memory:
            return memory.consolidate(staleness=PRUNING, seconds=0).upkeep  # type: ignore[return-value]

    repeated(consolidate)
    with Memory(tmp_path / "slices", "hash:16", auto_consolidate=False) as memory:
        assert contents(memory) == at_once


def test_one_user_after_the_other(tmp_path: Path, small_slices: None, at_once: Any) -> None:
    with filled(tmp_path / "slices") as memory:
        for user in USERS:
            repeated(lambda user=user: memory.user(user).consolidate(staleness=PRUNING, seconds=0).upkeep)
        sweep(memory._engine)  # The files are rewritten once for all of them.
        assert contents(memory) == at_once


def test_a_search_is_kept_for_the_next_call(
    tmp_path: Path, small_slices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = []

    def search(*arguments: Any) -> Any:
        searches.append(arguments)
        return original(*arguments)

    original = merging_round._search
    monkeypatch.setattr(merging_round, "_search", search)
    with filled(tmp_path / "slices") as memory:
        repeated(lambda: memory.consolidate("ana", seconds=0).upkeep)
        assert len(searches) == 1
        repeated(lambda: memory.consolidate("ana", seconds=0).upkeep)
        assert len(searches) == 2


@pytest.mark.parametrize("limit", ["_KEPT", "_KEPT_PAIRS"])
def test_little_is_kept_for_the_next_calls_of_many_users(
    tmp_path: Path, small_slices: None, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(merging_round, limit, {"_KEPT": 2, "_KEPT_PAIRS": 50}[limit], raising=False)
    users = [f"user {n}" for n in range(5)]
    with Memory(tmp_path / "slices", "hash:16", auto_consolidate=False) as memory:
        for user in users:
            memory.add_records(records(user)[::2])
        left = memory._engine.unfinished
        waiting = list(users)
        for _ in range(100):
            waiting = [user for user in waiting if not memory.consolidate(user, seconds=0).upkeep.finished]
            assert limit != "_KEPT" or len(left) <= 2
            assert limit == "_KEPT" or sum(sum(map(len, each._groups)) for each in left.values()) <= 50
        assert not waiting
        assert not left
        assert [sum(run.changes for run in memory.runs(user)) for user in users] == [60] * 5


def test_what_is_forgotten_is_not_kept_for_the_next_call(tmp_path: Path, small_slices: None) -> None:
    with filled(tmp_path / "slices") as memory:
        left = memory._engine.unfinished
        while not left:
            assert not memory.consolidate("ana", seconds=0).upkeep.finished
        memory.forget(user="ana")
        assert not left


def test_what_is_forgotten_before_it_is_kept_is_not(
    tmp_path: Path, small_slices: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with filled(tmp_path / "slices") as memory:
        kept: list[int] = []

        def late(engine: Any, user: str, rest: Any) -> None:
            if rest.holds:
                memory.forget(user=user)
            kept.append(len(rest.holds))
            merging_round.keep_round(engine, user, rest)

        monkeypatch.setattr(merging_round, "_DECIDED", 64)
        monkeypatch.setattr(upkeep, "keep_round", late)
        for _ in range(100):
            memory.consolidate("ana", seconds=0)
            if any(kept):
                break
        assert any(kept)
        assert not memory._engine.unfinished


def test_what_is_written_between_the_calls_is_merged_in_the_end(tmp_path: Path, small_slices: None) -> None:
    with filled(tmp_path / "slices") as memory:
        rounds = iter(range(1000))

        def consolidate() -> UpkeepReport:
            number = next(rounds)
            if number < 5:
                again = records("ana")[4 * number]
                memory.add_records(
                    [
                        Record(
                            id=f"n{number}",
                            user="ana",
                            text=again.text,
                            at=again.at,
                            kind="semantic",
                            embedding=again.embedding,
                        )
                    ]
                )
            if number == 3:
                memory.forget(user="ana", id="f050")
            return memory.consolidate("ana", seconds=0).upkeep  # type: ignore[return-value]

        repeated(consolidate)
        memory.consolidate("ana")
        current = [one.text for one in (hit.record for hit in memory.latest(user="ana", k=500))]
        assert len(current) == len(set(current))
        assert memory.verify() == []


@pytest.mark.parametrize("everybody", [False, True])
def test_what_comes_or_goes_between_the_calls_hides_nothing(
    tmp_path: Path, small_slices: None, everybody: bool
) -> None:
    """Those that were looked at are known by the last one, not by their number."""
    with filled(tmp_path / "slices") as memory:
        user = None if everybody else "ana"
        reports: list[UpkeepReport] = []

        def consolidate() -> UpkeepReport:
            if 10 < len(reports) < 20:
                memory.forget(user="ana", id=f"f{len(reports):03}")
            if len(reports) == 30:
                memory.add_records([replace(one, id="a" + one.id) for one in records("ana")[1:40:2]])
            report = memory.consolidate(user, staleness=PRUNING, merge=False, seconds=0).upkeep
            assert report is not None
            reports.append(report)
            return report

        repeated(consolidate)
        assert not any(memory.get(user="ana", id=f"o{n:03}") for n in range(60))
        assert memory.verify() == []


def test_the_last_one_looked_at_is_not_named_when_it_is_forgotten(tmp_path: Path, small_slices: None) -> None:
    with filled(tmp_path / "slices") as memory:

        def named() -> str:
            with memory._engine.store.reading() as reader:
                return reader.looked("ana")

        while not named():
            assert memory.consolidate("ana", staleness=PRUNING, seconds=0).upkeep.finished is False
        gone = []
        while (last := named()) and len(gone) < 3:
            gone.append(last)
            assert memory.forget(user="ana", id=last) == 1
            with memory._engine.store.reading() as reader:
                assert last not in [value for (value,) in reader._all("SELECT value FROM meta")]
        assert gone == sorted(gone, reverse=True)
        assert len(gone) == 3
        repeated(lambda: memory.consolidate("ana", staleness=PRUNING, seconds=0).upkeep)
        assert named() == ""
        assert len(memory.evicted(user="ana", k=999)) == 60


def test_other_settings_begin_anew(tmp_path: Path, small_slices: None) -> None:
    with filled(tmp_path / "slices") as memory:
        memory.consolidate("ana", staleness=PRUNING, seconds=0)
        repeated(lambda: memory.consolidate("ana", seconds=0).upkeep)
        memory.consolidate("ana", staleness=PRUNING, seconds=0)
        memory.consolidate("ana", staleness=PRUNING)
        assert len(memory.evicted(user="ana", k=999)) == 60


def test_one_memory_that_stays_for_many_does_so_in_slices(tmp_path: Path, small_slices: None) -> None:
    same = [
        Record(id=f"s{n:02}", user="ana", text="Tea.", at=START, kind="semantic", sources=(f"t{n}",))
        for n in range(50)
    ]
    with Memory(tmp_path / "a", "hash:16", auto_consolidate=False) as memory:
        memory.add_records(same)
        reports = repeated(lambda: memory.consolidate("ana", seconds=0).upkeep)
        assert [report.merged for report in reports if report.merged] == [8] * 6 + [1]
        kept = memory.get(user="ana", id="s00")
        assert kept is not None
        assert set(kept.sources) == {f"t{n}" for n in range(50)} | {f"s{n:02}" for n in range(1, 50)}
        for run in memory.runs("ana"):
            memory.undo(run.id)
        assert all(
            one == two for one, two in zip(map(said, same), map(said, stored(memory, same)), strict=True)
        )


def stored(memory: Memory, those: list[Record]) -> list[Record]:
    found = [memory.get(user="ana", id=one.id) for one in those]
    return [one for one in found if one is not None]


def said(one: Record) -> Any:
    return one.id, one.text, one.until, one.retired_at, one.sources, dict(one.metadata)


def test_pinned_records_beyond_a_quota_keep_no_call_from_going_on(tmp_path: Path) -> None:
    with Memory(tmp_path / "a", "hash:16", auto_consolidate=False) as memory:
        memory.add_records(
            [Record(id=f"s{n}", user="ana", text=f"Tea {n}.", at=START, kind="semantic") for n in range(9)]
        )
        memory.set_quotas(
            Quotas(capacity=9, shares={"episodic": 3 / 9, "semantic": 3 / 9, "procedural": 3 / 9}), user="ana"
        )
        memory.pin(user="ana", ids=[hit.id for hit in memory.latest(user="ana")])
        assert len(repeated(lambda: memory.consolidate("ana", seconds=0).upkeep)) < 5


def test_it_takes_little_more_than_its_time(tmp_path: Path) -> None:
    """A slice, and one native search at most. In time of the processor: others may keep it busy."""
    with Memory(tmp_path / "a", "hash:16", auto_consolidate=False) as memory:
        memory.add_records(records("ana", 1000))
        took = []

        def consolidate() -> UpkeepReport:
            start = thread_time()
            report = memory.consolidate("ana", staleness=PRUNING, seconds=0.01).upkeep
            took.append(thread_time() - start)
            return report  # type: ignore[return-value]

        assert len(repeated(consolidate)) > 10
        assert sorted(took)[len(took) // 2] < 0.3


def test_nothing_is_kept_of_a_user_who_is_forgotten(tmp_path: Path, small_slices: None) -> None:
    with filled(tmp_path / "slices") as memory:
        for user in (None, "ana", "ben"):
            memory.consolidate(user, staleness=PRUNING, seconds=0)
        for user in USERS:
            memory.forget(user=user)
        assert memory.consolidate(staleness=PRUNING).upkeep.finished  # type: ignore[union-attr]
        assert contents(memory) == ([], [])


def test_there_is_an_end_where_nothing_is(tmp_path: Path) -> None:
    """How far a call got is kept beside what there is of a user."""
    with Memory(tmp_path / "agent.memspan", "hash:16", auto_consolidate=False) as memory:
        memory.add("Ana lives in Bergen.", user="ana")
        assert memory.consolidate("ben", seconds=0, staleness=PRUNING).upkeep.finished
        assert not memory.consolidate("ana", seconds=0, staleness=PRUNING).upkeep.finished
        memory.forget(user="ana")
        assert memory.consolidate("ana", seconds=0, staleness=PRUNING).upkeep.finished
