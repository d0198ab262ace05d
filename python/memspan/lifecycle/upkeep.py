"""What a consolidation does to memories without a model, one user after the other, in bounded slices."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from time import perf_counter, sleep
from typing import Any, Final

from memspan.consolidation import Planned, UpkeepReport
from memspan.cores import cores_beside_searches
from memspan.records import Record
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.quotas import enforce, excess
from memspan.store.statements import chunks
from memspan.times import Micros, from_micros, now_micros

from .duplicates import Merger, Merging, mergers
from .expiring import expired_ids, sweep
from .following import followed
from .journal import Journal
from .mining import mine_procedures
from .pruning import prune
from .staleness import StalenessPolicy
from .survey import StalenessSurvey, survey_staleness
from .uniting import unite

__all__ = ["ACTION", "Upkeep"]

ACTION: Final = "consolidate"
_AT_ONCE: Final = 32
"""Records that are read before other threads get the interpreter."""
_MOST_PAIRS: Final = 200_000
"""Pairs of one round. More come in the next consolidation: those that were merged are none any more."""


class Upkeep:
    """The steps of one consolidation that need no model. Not thread-safe; made for one call.

    Every user's changes are journalled as one run. Interrupted at any point, what was committed stays and is in
    the journal, and the next consolidation goes on: it looks at what is new since the last one that came to its end.

    Args:
        user: `None` for all users.
        merging: when memories say the same; `None` to leave them alone.
        staleness: what counts as stale, and whether sleep prunes it; `None`: only what was ended counts.
        learning: whether to learn procedures from what agents did.
        dry_run: change nothing, and say what would be done.
        seconds: begin no slice after so long; `None` for no limit.
        advance: is told how many records ended.
    """

    def __init__(
        self,
        engine: Engine,
        user: str | None,
        *,
        merging: Merging | None = Merging(),  # noqa: B008
        staleness: StalenessPolicy | None = None,
        learning: bool = True,
        dry_run: bool = False,
        seconds: float | None = None,
        advance: Callable[[int], object] = lambda count: None,
    ) -> None:
        self._engine = engine
        self._user = user
        self._merging = merging
        self._staleness = staleness
        self._surveys: list[StalenessSurvey] = []
        self._learning = learning
        self.dry_run: Final = dry_run
        self._start = perf_counter()
        self._end = None if seconds is None else self._start + seconds
        self._advance = advance
        self._journals: dict[str, Journal] = {}
        self._states: dict[str, dict[str, Any]] = {}
        self._report = UpkeepReport()

    def in_time(self) -> bool:
        """Whether another slice may begin."""
        return self._end is None or perf_counter() < self._end

    def journal(self, user: str) -> Journal:
        """The run of a user, which the update by a model writes to as well."""
        return self._journals.setdefault(user, Journal(user, ACTION))

    def plan(self, planned: Iterable[Planned]) -> None:
        """Say in the report what a dry run found to be done."""
        self._report = self._report._replace(planned=(*self._report.planned, *planned))

    def run(self) -> None:
        """The steps, for every user."""
        if not self.dry_run:
            # What is evicted now takes uses with it that nobody has written yet.
            self._engine.write_uses()
        self._expire()
        for name in self._users():
            if not self.in_time():
                self._add(finished=False)
                return
            self._add(users=1)
            self._keep_to_quotas(name)
            self._look_at_staleness(name)
            if self._merging is not None:
                self._merge(name, self._merging)
            if self._learning and self.in_time():
                self._learn(name)

    def _keep_to_quotas(self, user: str) -> None:
        """Left to do where quotas shrank and somebody was interrupted, or the time was over."""
        beyond = sum(excess(self._engine, user).values())
        if self.dry_run:
            self._add(evicted=beyond)
        elif beyond:
            evicted = enforce(self._engine, user, follow=self.journal(user).follow, in_time=self.in_time)
            self._add(evicted=evicted, finished=self.in_time() or not excess(self._engine, user))

    def _look_at_staleness(self, user: str) -> None:
        """Without a policy it costs nothing: the index knows what was ended. With one, all records are read."""
        policy = self._staleness
        if policy is None:
            self._add(stale=_retired(self._engine, user))
            return
        if not self.in_time():
            self._add(finished=False)
            return
        survey = survey_staleness(self._engine, user, policy)
        self._surveys.append(survey)
        if self.dry_run:
            self._add(stale=survey.stale, pruned=len(survey.prunable))
            self.plan(Planned("prune", user, (id_,)) for id_ in survey.prunable)
            return
        pruned = (
            prune(self._engine, survey, policy, self.journal(user), self.in_time) if survey.prunable else 0
        )
        self._advance(pruned)
        self._add(
            stale=survey.stale, pruned=pruned, finished=self.in_time() or pruned == len(survey.prunable)
        )

    def finish(self, **counts: Any) -> UpkeepReport:
        """End the runs, with what else they did, and say what was done."""
        if not self.dry_run:
            for name, journal in self._journals.items():
                if journal.began or name in self._states:
                    journal.end(self._engine, {**self._states.get(name, {}), **counts})
        began = tuple(journal.id for journal in self._journals.values() if journal.began)
        changed = self._changed(began)
        tracked = _mean([(survey.tracked_staleness, survey.records) for survey in self._surveys])
        true = _mean([(survey.true_staleness, survey.records) for survey in self._surveys])
        seconds = perf_counter() - self._start
        return self._report._replace(
            runs=changed, tracked_staleness=tracked, true_staleness=true, seconds=seconds
        )

    def _users(self) -> list[str]:
        if self._user is not None:
            return [self._user]
        with self._engine.store.reading() as reader:
            return reader.users()

    def _changed(self, ids: Sequence[str]) -> tuple[str, ...]:
        with self._engine.store.reading() as reader:
            return tuple(id_ for id_ in ids if any(run.changes for run in reader.runs.runs(id=id_)))

    def _expire(self) -> None:
        """What outlived its time is erased for good, so that no run could bring it back."""
        if self.dry_run:
            for name, ids in expired_ids(self._engine, self._user).items():
                self._add(expired=len(ids))
                self.plan([Planned("expire", name, tuple(ids))])
        elif self.in_time():
            self._add(expired=sweep(self._engine, self._user).records)

    def _merge(self, user: str, merging: Merging) -> None:
        began, since = self._since(user, merging)
        chosen, complete, records = _mergers(self._engine, user, merging, since)
        if not records:
            return
        self._add(compared=records)
        if self.dry_run:
            self._add(merged=sum(len(merger.ending) for merger in chosen))
            self.plan(Planned("merge", user, _ids(merger.ending), merger.kept.id) for merger in chosen)
            return
        ended, skipped = unite(self._engine, chosen, self.journal(user), self.in_time)
        self._advance(ended)
        finished = complete and not chosen
        self._add(merged=ended, skipped=skipped, finished=finished)
        if finished:
            self._states[user] = {"since": began, "merging": _settings(merging), "merged": ended}

    def _learn(self, user: str) -> None:
        """Procedures, in one transaction; see `mine_procedures`."""
        write = self.journal(user).write
        done = mine_procedures(self._engine, user, dry_run=self.dry_run, write=write)
        self._add(learnt=done.new + done.changed)
        if self.dry_run and done.ids:
            self.plan([Planned("learn", user, done.ids)])

    def _since(self, user: str, merging: Merging) -> tuple[Micros, Micros | None]:
        """The moment from which on memories are news to the next consolidation, and that of the last one.

        Memories are recorded at a moment inside their exclusive transaction. One that is taken in such a transaction is
        after all that is there, and before all that this consolidation cannot see.
        """
        with self._engine.store.writing() as writer:
            began = now_micros()
            states = [run.report for run in writer.runs.runs(user=user) if run.action == ACTION]
        for state in states:
            if state.get("merging") == _settings(merging):
                return began, int(state["since"])
        return began, None

    def _add(self, *, finished: bool = True, **counts: int) -> None:
        sums = {name: getattr(self._report, name) + count for name, count in counts.items()}
        self._report = self._report._replace(finished=self._report.finished and finished, **sums)


@survives_damage
def _retired(engine: Engine, user: str) -> int:
    retired: int = engine.current().stats(user=user)["retired"]
    return retired


@survives_damage
def _mergers(
    engine: Engine, user: str, merging: Merging, since: Micros | None
) -> tuple[list[Merger], bool, int]:
    index = engine.current()
    found = index.duplicates(
        user=user,
        threshold=merging.least,
        kinds=merging.kinds,
        since=None if since is None else from_micros(since),
        most=_MOST_PAIRS,
        threads=min(2, cores_beside_searches()),
    )
    ids = dict.fromkeys(id_ for pair in found.pairs for id_ in pair[:2])
    records: dict[str, Record] = {}
    follows: Mapping[str, Hashable] = {}
    if ids:
        with engine.store.reading() as reader:
            for piece in chunks(list(ids), _AT_ONCE):
                records.update(reader.fetch(user, piece, embeddings=True))
                sleep(0)
            follows = followed(index, partial(reader.fetch, user), user, records.values())
    return mergers(found.pairs, records, merging, follows), found.complete, found.records


def _mean(values: Sequence[tuple[float, int]]) -> float | None:
    """Weighted; `None` of nothing."""
    total = sum(weight for _, weight in values)
    return sum(value * weight for value, weight in values) / total if total else None


def _settings(merging: Merging) -> dict[str, Any]:
    """As JSON gives them back."""
    settings = {**asdict(merging), "within": merging.within.total_seconds()}
    loaded: dict[str, Any] = json.loads(json.dumps(settings))
    return loaded


def _ids(records: Sequence[Record]) -> tuple[str, ...]:
    return tuple(record.id for record in records)
