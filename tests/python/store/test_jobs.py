"""Jobs as rows: every change of state, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memspan.llm.usage import Usage
from memspan.records import Record
from memspan.store import SqliteStore, StoreWriter
from memspan.store.jobs import ClaimedJob, Note, Outcome, Step, Worker

Make = Callable[..., Record]


@pytest.fixture
def writer(store: SqliteStore, make_record: Make) -> Iterator[StoreWriter]:
    """A transaction in which ana and ben exist."""
    with store.writing() as opened:
        opened.put([make_record("m0")])
        opened.put([make_record("m0", user="ben")])
        yield opened


def enqueue(
    writer: StoreWriter, *ids: str, session: str | None = "s", user: str = "ana", now: int = 1
) -> None:
    writer.jobs.enqueue(user, [(session, id_) for id_ in ids], "tiny", now)


def claim(writer: StoreWriter, count: int = 9, user: str | None = None, now: int = 1000) -> list[ClaimedJob]:
    return writer.jobs.claim("w", user, count, now, lambda name: 2)


def state(writer: StoreWriter, position: int = 0) -> tuple[str, int, str | None]:
    job = writer.jobs.jobs()[position]
    return job.state, job.attempts, job.reason


def test_claims_go_by_age_and_sessions(writer: StoreWriter) -> None:
    enqueue(writer, "a1")
    enqueue(writer, "b1", session="t")
    enqueue(writer, "c1", session=None)
    enqueue(writer, "d1", user="ben")
    assert [job.session for job in claim(writer, 2)] == ["s", "t"]
    enqueue(writer, "a2")
    assert [(job.user, job.session) for job in claim(writer)] == [("ana", None), ("ben", "s")]
    assert claim(writer) == []
    assert writer.jobs.open(None) == 5
    assert writer.jobs.open("ben") == 1
    assert writer.jobs.held("ana", ["w"])
    assert not writer.jobs.held("ana", ["other"])
    assert not writer.jobs.held("carl", ["w"])


def test_no_job_waits_for_a_clock_that_was_set_back(writer: StoreWriter) -> None:
    enqueue(writer, "a1", now=50_000)
    (job,) = claim(writer, now=50_000)
    writer.jobs.fail(job, "broken", 60_000, [])
    assert claim(writer, now=50_000) == []
    assert writer.jobs.next_due(None, 50_000) == 60_000
    assert writer.jobs.next_due(None, 1000) == 0
    (job,) = claim(writer, now=1000)
    writer.jobs.fail(job, "again", 2000, [])
    assert claim(writer, now=1000) == [], "what is written now waits as long as it should"


def test_no_job_waits_for_more_turns_till_a_clock_that_was_set_back_comes_there(writer: StoreWriter) -> None:
    writer.jobs.enqueue("ana", [("s", "a1")], "tiny", 1000, due=lambda count, tokens: 2000)
    writer.jobs.enqueue("ana", [("s", "a2")], "tiny", 50_000, due=lambda count, tokens: 51_000)
    assert claim(writer, now=50_000) == []
    assert writer.jobs.next_due(None, 50_000) == 51_000
    assert writer.jobs.next_due(None, 1500) == 0
    assert len(claim(writer, now=1500)) == 1


def test_claims_of_one_user(writer: StoreWriter) -> None:
    enqueue(writer, "a1")
    enqueue(writer, "d1", user="ben")
    assert [job.user for job in claim(writer, user="ben")] == ["ben"]
    assert claim(writer, user="nobody") == []


def test_the_next_job_of_a_session_waits_for_the_end_of_the_first(writer: StoreWriter) -> None:
    enqueue(writer, "a1", "a2", "a3")
    (first,) = claim(writer)
    enqueue(writer, "a4")
    assert claim(writer) == []
    assert writer.jobs.next_due(None, 1) is None
    writer.jobs.finish(first, Outcome(), [])
    (second,) = claim(writer)
    assert writer.jobs.turns(second.pk) == (["a4"], ["a2", "a3"])
    assert writer.jobs.turns(first.pk) == (["a1", "a2", "a3"], [])


def test_only_the_run_that_counts_is_heard(writer: StoreWriter) -> None:
    enqueue(writer, "a1")
    (first,) = claim(writer)
    assert writer.jobs.holds(first, 5)
    assert not writer.jobs.holds(replace(first, owner="x"), 5)
    assert not writer.jobs.holds(replace(first, run=2), 5)
    writer.jobs.release("other")
    assert writer.jobs.holds(first, 5)
    writer.jobs.release("w")
    assert not writer.jobs.holds(first, 5)
    (again,) = claim(writer)
    assert again.run == 2
    assert not writer.jobs.holds(first, 5)
    assert writer.jobs.holds(again, 5)
    assert state(writer) == ("running", 0, None)


def test_failures_and_pauses(writer: StoreWriter) -> None:
    enqueue(writer, "a1")
    (job,) = claim(writer)
    note = Note(3, "note", "dropped", {"text": "x\ud800"})
    writer.jobs.fail(job, "broken", 5000, [note, Note(4, None, "failed", {})])
    assert state(writer) == ("pending", 1, "broken")
    assert claim(writer, now=4999) == []
    assert writer.jobs.next_due(None, 4999) == 5000
    (job,) = claim(writer, now=5000)
    writer.jobs.fail(job, "again", None, [note, Note(6, None, "parked", {})])
    assert state(writer) == ("parked", 2, "again")
    assert [event.event for event in writer.jobs.log(job.id)] == ["failed", "dropped", "parked"]
    assert claim(writer, now=10_000) == []
    assert writer.jobs.open(None) == 0
    assert writer.jobs.retry("ben", None, 1) == writer.jobs.retry(None, "other", 1) == 0
    assert writer.jobs.retry("ana", job.id, 1) == 1
    assert state(writer)[:2] == ("pending", 0)
    assert writer.jobs.retry(None, None, 1) == 0


def test_a_parked_job_does_not_hold_up_its_session(writer: StoreWriter) -> None:
    enqueue(writer, "a1")
    (job,) = claim(writer)
    enqueue(writer, "a2")
    writer.jobs.fail(job, "broken", None, [])
    assert len(claim(writer)) == 1


def test_a_job_that_was_parked_waits_for_the_one_that_runs(writer: StoreWriter) -> None:
    enqueue(writer, "a1")
    (parked,) = claim(writer)
    enqueue(writer, "a2")
    writer.jobs.fail(parked, "broken", None, [])
    (running,) = claim(writer)
    assert writer.jobs.retry("ana", None, 1) == 1
    assert claim(writer) == []
    writer.jobs.finish(running, Outcome([]), [])
    assert [job.pk for job in claim(writer)] == [parked.pk]


def test_a_result_makes_up_for_failures(writer: StoreWriter) -> None:
    enqueue(writer, "a1")
    (job,) = claim(writer)
    writer.jobs.fail(job, "broken", 0, [])
    (job,) = claim(writer)
    step = Step('{"a": 1}', "model", "note", 3)
    writer.jobs.put_step(job, "note/a1", step)
    writer.jobs.put_step(job, "note/a2", Step(None))
    assert state(writer) == ("running", 0, None)
    assert writer.jobs.steps(job.pk) == {"note/a1": step, "note/a2": Step(None)}
    writer.jobs.finish(job, Outcome(["r1", "r2"], ["a1"]), [])
    assert writer.jobs.steps(job.pk) == {}, "nobody needs them any more"
    assert writer.jobs.made([job.pk]) == ["r1", "r2"]
    assert writer.jobs.tagged([job.pk]) == ["a1"]
    assert writer.jobs.making("ana", ["r2", "x"]) == {job.pk}
    assert writer.jobs.making("ben", ["r2"]) == set()
    assert state(writer) == ("done", 0, None)


def test_dead_workers_leave_their_jobs(writer: StoreWriter) -> None:
    writer.jobs.register(Worker("w", "host", "1:2", 50))
    writer.jobs.register(Worker("w", "host", "1:2", 60))
    assert writer.jobs.workers() == [Worker("w", "host", "1:2", 60)]
    enqueue(writer, "a1")
    enqueue(writer, "b1", session="t")
    first, second = claim(writer)
    writer.jobs.finish(second, Outcome(), [])
    writer.jobs.bury(["w"], 2, 70)
    assert writer.jobs.workers() == []
    assert state(writer, 0)[:2] == ("pending", 1)
    assert state(writer, 1)[0] == "done"
    (again,) = claim(writer)
    writer.jobs.bury(["w"], 2, 80)
    assert state(writer, 0)[:2] == ("parked", 2)
    assert [event.event for event in writer.jobs.log(again.id)] == ["interrupted", "interrupted"]
    assert not writer.jobs.holds(first, 90)


def test_what_waited_beside_a_job_that_began_is_not_blamed(writer: StoreWriter) -> None:
    for session in "st":
        enqueue(writer, session, session=session)
    for attempt in (1, 2):
        first, second = claim(writer)
        writer.jobs.begin(first)
        assert writer.jobs.steps(first.pk) == {}, "it is no result"
        assert writer.jobs.bury(["w"], 2, 70) == (attempt == 2)
        assert state(writer, 0)[:2] == ("parked" if attempt == 2 else "pending", attempt)
        assert state(writer, 1) == ("pending", 0, None)
        assert writer.jobs.log(second.id) == []
    (second,) = claim(writer)
    assert second.run == 3
    assert writer.jobs.bury(["w"], 2, 80) == 0
    assert state(writer, 1)[:2] == ("pending", 1), "nothing else can be why the worker died"


def test_a_run_begins_for_itself_alone(writer: StoreWriter) -> None:
    for session in "st":
        enqueue(writer, session, session=session)
    first, _ = claim(writer)
    writer.jobs.begin(first)
    writer.jobs.release("w")
    _, second = claim(writer)
    writer.jobs.begin(second)
    writer.jobs.bury(["w"], 2, 70)
    assert [state(writer, position)[1] for position in (0, 1)] == [0, 1]


def test_jobs_whose_worker_is_not_registered(writer: StoreWriter) -> None:
    enqueue(writer, "a1")
    enqueue(writer, "b1", session="t")
    assert writer.jobs.orphans() == set()
    claim(writer, 1)
    assert writer.jobs.orphans() == {"w"}
    writer.jobs.register(Worker("w", "host", "1:2", 50))
    assert writer.jobs.orphans() == set()


@pytest.mark.parametrize("before", ["pending", "running", "done", "parked"])
@pytest.mark.parametrize("erase", [False, True])
def test_restart(writer: StoreWriter, before: str, erase: bool) -> None:
    enqueue(writer, "a1", "a2")
    if before != "pending":
        (job,) = claim(writer)
        writer.jobs.put_step(job, "k", Step("1"))
    if before == "done":
        writer.jobs.finish(job, Outcome(["r1"]), [Note(1, "note", "x", {})])
    elif before == "parked":
        writer.jobs.fail(job, "broken", None, [Note(1, None, "parked", {})])
    writer.jobs.lose("ana", ["a1"])
    writer.jobs.restart([1], erase=erase)
    assert state(writer) == ("pending", 0, None)
    assert writer.jobs.steps(1) == {}
    assert writer.jobs.turns(1) == (["a2"], [])
    if erase:
        assert writer.jobs.log(writer.jobs.jobs()[0].id) == []
        assert writer.jobs.made([1]) == []
    else:
        assert writer.jobs.made([1]) == (["r1"] if before == "done" else [])
    (again,) = claim(writer)
    assert again.run == (1 if before == "pending" else 2)
    writer.jobs.lose("ana", ["a2"])
    writer.jobs.restart([1], erase=True)
    assert writer.jobs.jobs() == []


def test_who_sees_a_turn(writer: StoreWriter) -> None:
    enqueue(writer, "a1", "a2")
    (job,) = claim(writer)
    writer.jobs.finish(job, Outcome(), [])
    enqueue(writer, "a3")
    claim(writer)
    enqueue(writer, "a1", user="ben")
    assert writer.jobs.seeing("ana", ["a1", "a2", "a3", "x"]) == {"a1": {1, 2}, "a2": {1, 2}, "a3": {2}}
    assert writer.jobs.seeing("ana", ["a1", "a3"], own=True) == {"a1": {1}, "a3": {2}}
    assert writer.jobs.seeing("ben", ["a1", "a2"]) == {"a1": {3}}


def test_relations_of_jobs(writer: StoreWriter) -> None:
    for session in "st":
        enqueue(writer, session, session=session)
    first, second = claim(writer)
    for edge in (("p", "a"), ("p", "b"), ("p", "c")):
        writer.relate("ana", *edge)
    writer.jobs.finish(first, Outcome(relations=[("p", "a"), ("p", "b"), ("p", "c")]), [])
    writer.jobs.finish(second, Outcome(relations=[("p", "b")]), [])
    assert writer.jobs.came_of_jobs("ana", "p", "b")
    assert not writer.jobs.came_of_jobs("ben", "p", "b")
    writer.jobs.own_relation("ana", "p", "c")
    assert not writer.jobs.came_of_jobs("ana", "p", "c")
    assert writer.jobs.dissolve(first.pk) == [("p", "a")]
    assert writer.jobs.dissolve(first.pk) == []
    writer.unrelate("ana", "p", "b")
    assert writer.jobs.dissolve(second.pk) == [], "a relation takes its rows along"


def test_usage_adds_up(writer: StoreWriter) -> None:
    free = Usage(
        prompt_tokens=10, completion_tokens=1, cached_tokens=5, calls=1, uncounted=1, reused=2, seconds=0.5
    )
    paid = replace(free, price=0.25)
    for usage in (free, paid, paid, free):
        writer.jobs.add_usage("ana", "tiny", "note", "m", usage)
    (entry,) = writer.jobs.usage("ana", ("stage",))
    assert entry.usage == free + paid + paid + free
    assert entry[:4] == (None, None, "note", None)
    writer.jobs.add_usage("ben", "tiny", "note", "m", free)
    assert [each.user for each in writer.jobs.usage(None, ("user", "model"))] == ["ana", "ben"]
    writer.jobs.add_usage("carl", "tiny", "note", "m", free)
    assert writer.jobs.usage("carl", ()) == []


def test_changes_of_jobs_do_not_advance_the_change_counter(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([make_record("m0")])
    before = store.sequence()
    with store.writing() as writer:
        enqueue(writer, "a1")
        (job,) = claim(writer)
        writer.jobs.put_step(job, "k", Step("1"))
        writer.jobs.fail(job, "x", None, [])
        writer.jobs.retry(None, None, 1)
        writer.jobs.restart([job.pk], erase=True)
    assert store.sequence() == before


def test_users_take_their_jobs_along(store: SqliteStore, make_record: Make, path: Path) -> None:
    with store.writing() as writer:
        writer.put([make_record("m0")])
        writer.put([make_record("m0", user="ben")])
        enqueue(writer, "a1", "a2")
        enqueue(writer, "a1", user="ben")
        job = claim(writer)[0]
        writer.jobs.put_step(job, "k", Step("1"))
        writer.relate("ana", "p", "c")
        writer.jobs.add_usage("ana", "tiny", "note", "m", Usage(calls=1))
        writer.jobs.finish(job, Outcome(["r"], ["a1"], [("p", "c")]), [Note(1, "note", "x", {})])
        enqueue(writer, "a3")
        writer.remove_user("ana")
        assert [each.user for each in writer.jobs.jobs()] == ["ben"]
        for table in ("job_steps", "job_log", "job_made", "job_tagged", "job_relations", "usage"):
            assert writer._one(f"SELECT count(*) FROM {table}") == 0, table  # type: ignore[attr-defined]
    assert store.check() == []


@pytest.mark.parametrize(
    ("user", "step"),
    [(None, "j USING INDEX jobs_open"), ("ana", "j USING INDEX jobs_open_by_user (user_pk=?)")],
)
def test_claims_and_their_conditions_use_indexes(store: SqliteStore, user: str | None, step: str) -> None:
    """Done jobs must not make claims slower, nor those of others the claims for one user."""
    from memspan.store.sqlite.job_reader import claimable

    with store.reading() as reader:
        plan = reader._all(
            f"EXPLAIN QUERY PLAN {claimable(user)}",
            {"user": user, "now": 5, "count": 9, "gathering": "wait"},
        )
    steps = " ".join(row[-1] for row in plan)
    assert f"SCAN {step}" in steps or f"SEARCH {step}" in steps, steps
    assert "SEARCH e USING INDEX jobs_open_by_session (user_pk=? AND session=? AND pk<?)" in steps, steps
    assert "TEMP B-TREE" not in steps, steps
