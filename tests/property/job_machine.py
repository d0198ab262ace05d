"""Jobs in a store against a model in plain Python: every state, in any order of events."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.jobs import ClaimedJob, Note, Outcome, Step, Worker
from memspan.times import from_micros

USERS = ("ana", "ben")
SESSIONS = ("s", "t", None)
ATTEMPTS = 3
WORKERS = ("w1", "w2")


@dataclass
class Model:
    """What a job is."""

    user: str
    session: str | None
    turns: list[str]
    state: str = "pending"
    attempts: int = 0
    interrupted: bool = False
    """Whether its last attempt ended with its worker."""
    due: int = 0
    run: int = 0
    owner: str | None = None
    begun: bool = False
    """Whether the run under way, or the last one, began."""
    steps: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)

    @property
    def suspect(self) -> bool:
        return self.attempts >= 2 and self.interrupted

    @property
    def open(self) -> bool:
        return self.state in ("pending", "running")


class JobMachine(RuleBasedStateMachine):
    """Events of adding, working, failing, dying and forgetting; time only goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.store = SqliteStore(Path(self.folder.name) / "jobs.memspan")
        self.jobs: dict[int, Model] = {}
        self.claims: list[ClaimedJob] = []
        """All that ever were, also those that do not count any more."""
        self.now = self.count = 0
        with self.store.writing() as writer:
            for user in USERS:
                writer.put([self._record("seed", user)])

    @staticmethod
    def _record(id_: str, user: str) -> Record:
        return Record(
            id=id_,
            user=user,
            text="x",
            at=from_micros(0),
            recorded_at=from_micros(0),
            embedding=np.ones(2, np.float32),
        )

    def teardown(self) -> None:
        assert self.store.check() == []
        self.store.close()
        self.folder.cleanup()

    def _open(self) -> list[tuple[int, Model]]:
        return [(pk, job) for pk, job in sorted(self.jobs.items()) if job.open]

    def _counts(self, claim: ClaimedJob) -> bool:
        job = self.jobs.get(claim.pk)
        return job is not None and job.state == "running" and (job.owner, job.run) == (claim.owner, claim.run)

    @rule(user=st.sampled_from(USERS), session=st.sampled_from(SESSIONS), count=st.integers(1, 3))
    def add(self, user: str, session: str | None, count: int) -> None:
        ids = [f"m{self.count + i}" for i in range(count)]
        self.count += count
        with self.store.writing() as writer:
            writer.jobs.enqueue(user, [(session, id_) for id_ in ids], "tiny", self.now)
            keys = [pk for (pk,) in writer._all("SELECT pk FROM jobs ORDER BY pk")]
        own = [job for _, job in sorted(self.jobs.items()) if (job.user, job.session) == (user, session)]
        if own and own[-1].state == "pending" and own[-1].run == 0:
            own[-1].turns += ids
        else:
            (new,) = set(keys) - set(self.jobs)
            self.jobs[new] = Model(user, session, ids)

    @rule(worker=st.sampled_from(WORKERS), user=st.sampled_from((*USERS, None)), count=st.integers(1, 4))
    def claim(self, worker: str, user: str | None, count: int) -> None:
        with self.store.writing() as writer:
            writer.jobs.register(Worker(worker, "h", "1", 0))
            claimed = writer.jobs.claim(worker, user, count, self.now, lambda name: 1)
        blocked = {(job.user, job.session) for job in self.jobs.values() if job.state == "running"}
        expected = []
        for pk, job in self._open():
            place = job.user, job.session
            if job.state == "pending" and job.due <= self.now and place not in blocked:
                expected.append(pk) if user in (None, job.user) else None
            blocked.add(place)
        due = expected[:count]
        suspects = [pk for pk in due if self.jobs[pk].suspect]
        assert [job.pk for job in claimed] == (suspects[:1] or due)
        for each in claimed:
            job = self.jobs[each.pk]
            job.state, job.owner, job.run, job.due = "running", worker, job.run + 1, 0
            job.begun = False
            assert (each.user, each.session, each.run) == (job.user, job.session, job.run)
        self.claims += claimed

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        with self.store.writing() as writer:
            assert writer.jobs.is_held(claim) == self._counts(claim)
            if self._counts(claim):
                writer.jobs.begin(claim)
                self.jobs[claim.pk].begun = True

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), key=st.sampled_from("abc"))
    def step(self, data: st.DataObject, key: str) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        with self.store.writing() as writer:
            holds = writer.jobs.holds(claim, self.now)
            assert holds == self._counts(claim)
            if holds:
                writer.jobs.put_step(claim, key, Step("1"))
        if holds:
            self.jobs[claim.pk].steps.add(key)
            self.jobs[claim.pk].attempts = 0

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), records=st.integers(0, 2))
    def finish(self, data: st.DataObject, records: int) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        made = {f"{claim.id}-{i}" for i in range(records)}
        with self.store.writing() as writer:
            holds = writer.jobs.holds(claim, self.now)
            assert holds == self._counts(claim)
            if holds:
                writer.jobs.finish(claim, Outcome(sorted(made)), [Note(self.now, "x", "note", {})])
        if holds:
            job = self.jobs[claim.pk]
            job.state, job.owner, job.attempts, job.made, job.steps = "done", None, 0, made, set()

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), pause=st.integers(0, 5))
    def fail(self, data: st.DataObject, pause: int) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        with self.store.writing() as writer:
            holds = writer.jobs.holds(claim, self.now)
            assert holds == self._counts(claim)
            if holds:
                parked = writer.jobs.attempts(claim.pk) + 1 >= ATTEMPTS
                writer.jobs.fail(claim, "broken", None if parked else self.now + pause, [])
        if holds:
            job = self.jobs[claim.pk]
            job.attempts += 1
            job.interrupted = False
            job.state = "parked" if job.attempts >= ATTEMPTS else "pending"
            job.owner, job.due = None, 0 if job.state == "parked" else self.now + pause

    @rule(worker=st.sampled_from(WORKERS), dead=st.booleans())
    def leave(self, worker: str, dead: bool) -> None:
        parked = 0
        with self.store.writing() as writer:
            if dead:
                parked = writer.jobs.bury([worker], ATTEMPTS, self.now)
            else:
                writer.jobs.release(worker)
        held = [job for job in self.jobs.values() if job.state == "running" and job.owner == worker]
        blamed = [job for job in held if job.begun] or held
        for job in held:
            job.state, job.owner = "pending", None
        for job in blamed if dead else ():
            job.attempts += 1
            job.interrupted = True
            job.state = "parked" if job.attempts >= ATTEMPTS else "pending"
        assert parked == sum(job.state == "parked" for job in held)

    @precondition(lambda self: any(job.turns for job in self.jobs.values()))
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        """As `Memory.forget` does with a turn."""
        choices = sorted((job.user, id_) for job in self.jobs.values() for id_ in job.turns)
        user, id_ = data.draw(st.sampled_from(choices))
        with self.store.writing() as writer:
            shown = set().union(*writer.jobs.seeing(user, [id_]).values())
            writer.jobs.lose(user, [id_, *writer.jobs.made(shown)])
            writer.jobs.restart(shown, erase=True)
        assert {pk for pk, job in self.jobs.items() if id_ in job.turns and job.user == user} <= shown
        for pk in shown:
            job = self.jobs[pk]
            job.turns = [each for each in job.turns if each != id_]
            job.state, job.owner, job.attempts, job.due = "pending", None, 0, 0
            job.steps, job.made = set(), set()
            if not job.turns:
                del self.jobs[pk]

    @rule(user=st.sampled_from((*USERS, None)))
    def retry(self, user: str | None) -> None:
        parked = [job for job in self.jobs.values() if job.state == "parked" and user in (None, job.user)]
        with self.store.writing() as writer:
            assert writer.jobs.retry(user, None, self.now) == len(parked)
        for job in parked:
            job.state, job.attempts, job.due = "pending", 0, 0

    @rule(microseconds=st.integers(1, 4))
    def wait(self, microseconds: int) -> None:
        self.now += microseconds

    @invariant()
    def agree(self) -> None:
        with self.store.reading() as reader:
            rows = reader._all("SELECT pk, state, attempts, due, run, owner FROM jobs ORDER BY pk")
            assert rows == [
                (pk, job.state, job.attempts, job.due, job.run, job.owner)
                for pk, job in sorted(self.jobs.items())
            ]
            for pk, job in self.jobs.items():
                assert reader.jobs.turns(pk)[0] == job.turns
                assert set(reader.jobs.steps(pk)) == job.steps
                assert set(reader.jobs.made([pk])) == job.made
            assert reader.jobs.open(None) == len(self._open())
        running = [(job.user, job.session) for job in self.jobs.values() if job.state == "running"]
        assert len(running) == len(set(running)), "one job of a session at a time"
