"""What a consolidation does to memories without a model, one user after the other, in bounded slices."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any, Final

from memspan.records import Record
from memspan.remember.capacity.quotas import enforce, excess
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.reports.consolidation import Planned, UpkeepReport
from memspan.times import from_micros, now_micros, to_micros

from .evictions import would_evict
from .expiring import expired_ids, sweep
from .headway import Headway
from .merging.duplicates import Merging
from .merging.last import ACTION, Last, as_json, last_of, reported
from .merging.round import FIRST_PAIRS, MOST_PAIRS, MergingRound, keep_round, kept_round
from .merging.uniting import unite
from .procedures.mining import mine_procedures
from .pruning import prune
from .sleep.survey import StalenessSurvey, end_of_ages, survey_pages
from .staleness import StalenessPolicy
from .undo.journal import Journal

__all__ = ["ACTION", "Upkeep"]

_logger = logging.getLogger("memspan")


class Upkeep:
    """The steps of one consolidation that need no model. Not thread-safe; made for one call.

    Every user's changes are journalled as one run. Interrupted at any point, what was committed stays and is in
    the journal, and the next consolidation goes on: it looks at what is new since the last one that came to its end.

    With a limit of time, every consolidation does a slice at least, and how far it got is kept, so that repeating it
    comes to the end that one without a limit comes to.

    Args:
        user: `None` for all users.
        merging: when memories say the same; `None` to leave them alone.
        staleness: what counts as stale, and whether sleep prunes it; `None`: only what was ended counts.
        learning: whether to learn procedures from what agents did.
        updating: whether a model is asked afterwards.
        dry_run: change nothing, and say what would be done.
        seconds: begin no slice after so long, but the first; `None` for no limit.
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
        updating: bool = False,
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
        if seconds is not None and user is not None:
            with engine.store.reading() as reader:
                # How far it got is kept beside what there is of a user. Nobody waits for where there is nothing.
                seconds = seconds if reader.has_user(user) else None
        self._end = None if seconds is None else self._start + seconds
        self._worked = False
        self._advance = advance
        self._journals: dict[str, Journal] = {}
        self._states: dict[str, dict[str, Any]] = {}
        self._gone: defaultdict[str, set[str]] = defaultdict(set)
        self._report = UpkeepReport()
        self._planned: list[Planned] = []
        settings = {
            "merging": None if merging is None else as_json(merging),
            "staleness": None if staleness is None else repr(staleness),
            "learning": learning,
            "updating": updating,
        }
        self._headway = Headway(engine, user, settings, seconds is not None and not dry_run)

    def in_time(self) -> bool:
        """Whether another slice may begin: in time, or when nothing was done yet."""
        first = not (self._worked or self.dry_run)
        return first or self._end is None or perf_counter() < self._end

    def begins(self, step: str) -> bool:
        """Whether a step that comes after those of the users is to be done now."""
        if self._headway.is_done(step) or not self._report.finished:
            return False
        return self._begin_slice()

    def ends(self, step: str) -> None:
        """It was done."""
        self._headway.did(step)

    def journal(self, user: str) -> Journal:
        """The run of a user, which the update by a model writes to as well."""
        return self._journals.setdefault(user, Journal(user, ACTION))

    def gone(self, user: str) -> set[str]:
        """Ids of the records that would have gone, or ended, by the step that a dry run is at."""
        return self._gone[user]

    def plan(self, planned: Iterable[Planned]) -> None:
        """Say in the report what a dry run found to be done."""
        self._planned += planned

    def run(self) -> None:
        """The steps, for every user."""
        if not self.dry_run:
            # What is evicted now takes uses with it that nobody has written yet.
            self._engine.write_uses()
        self._expire()
        for name in self._users():
            if self._headway.is_done(user=name):
                continue
            if not self.in_time():
                self._add(finished=False)
                return
            self._add(users=1)
            self._keep_to_quotas(name)
            self._look_at_staleness(name)
            if self._merging is not None:
                self._merge(name, self._merging)
            if self._learning:
                self._learn(name)
            if self._report.finished:
                self._headway.did(user=name)

    def finish(self, **counts: Any) -> UpkeepReport:
        """End the runs, with what else they did, and say what was done."""
        if not self.dry_run:
            # A round that found nothing changed nothing, and has a report all the same: the next one goes on from it.
            for name in self._states:
                self.journal(name)
            for name, journal in self._journals.items():
                if journal.began or name in self._states:
                    journal.end(self._engine, {**self._states.get(name, {}), **counts})
        began = tuple(journal.id for journal in self._journals.values() if journal.began)
        changed = self._changed(began)
        tracked = _mean([(survey.tracked_staleness, survey.records) for survey in self._surveys])
        true = _mean([(survey.true_staleness, survey.records) for survey in self._surveys])
        seconds = perf_counter() - self._start
        return self._report._replace(
            runs=changed,
            tracked_staleness=tracked,
            true_staleness=true,
            seconds=seconds,
            planned=tuple(self._planned),
        )

    def keep(self) -> bool:
        """The last step was done, or had to be left: keep how far this got, and say whether it was to the end."""
        if not self.dry_run:
            self._headway.keep(finished=self._report.finished)
        return self._report.finished

    def _begin_slice(self) -> bool:
        """Whether there is time for a slice, which is done then."""
        going = self.in_time()
        self._worked |= going
        self._add(finished=going)
        return going

    def _expire(self) -> None:
        """What outlived its time is erased for good, so that no run could bring it back."""
        if self.dry_run:
            for name, ids in expired_ids(self._engine, self._user).items():
                self._add(expired=len(ids))
                self.plan([Planned("expire", name, tuple(ids))])
                self.gone(name).update(ids)
        else:
            done = sweep(self._engine, self._user, in_time=self._begin_slice)
            self._add(expired=done.records, finished=done.finished)

    def _keep_to_quotas(self, user: str) -> None:
        """Left to do where quotas shrank and somebody was interrupted, or the time was over."""
        if self.dry_run:
            count, ids = would_evict(self._engine, user, self.gone(user))
            self._add(evicted=count)
            if ids:
                self.plan([Planned("evict", user, tuple(ids))])
                self.gone(user).update(ids)
        elif excess(self._engine, user):
            worked = self._worked
            evicted = enforce(self._engine, user, follow=self.journal(user).follow, in_time=self._begin_slice)
            # What is pinned stays beyond the quotas, and is no work.
            self._worked = worked or evicted > 0
            self._add(evicted=evicted)

    def _look_at_staleness(self, user: str) -> None:
        """Without a policy it costs nothing: the index knows what was ended. With one, all records are read."""
        policy, steps = self._staleness, self._headway.of(user)
        if policy is None:
            self._add(stale=_retired(self._engine, user) - self._retired_gone(user))
            return
        if self._headway.is_done("staleness", user):
            return
        now = steps.setdefault("now", to_micros(end_of_ages(self._engine, user)))
        pages = survey_pages(
            self._engine, user, policy, from_micros(now), steps.setdefault("looked", ""), self.gone(user)
        )
        while self.in_time():
            survey = next(pages, None)
            if survey is None:
                self._headway.did("staleness", user)
                return
            self._surveys.append(survey)
            self._prune(user, survey, policy)
            if not self._report.finished:
                return
            steps["looked"] = survey.last
            self._worked = True
        self._add(finished=False)

    def _retired_gone(self, user: str) -> int:
        gone = list(self.gone(user))
        if not gone:
            return 0
        with self._engine.store.reading() as reader:
            return sum(record.retired_at is not None for record in reader.fetch(user, gone).values())

    def _prune(self, user: str, survey: StalenessSurvey, policy: StalenessPolicy) -> None:
        if self.dry_run:
            self._add(stale=survey.stale, pruned=len(survey.prunable))
            self.plan(Planned("prune", user, (id_,)) for id_ in survey.prunable)
            self.gone(user).update(survey.prunable)
            return
        pruned = 0
        if survey.prunable:
            pruned = prune(self._engine, survey, policy, self.journal(user), self._begin_slice)
        self._advance(pruned)
        self._add(stale=survey.stale, pruned=pruned)

    def _merge(self, user: str, merging: Merging) -> None:
        if self._headway.is_done("merge", user):
            return
        if not self.in_time():
            self._add(finished=False)
            return
        ended = 0
        rest = self._round(user, merging)
        while self.in_time():
            while rest.more and self.in_time():
                chosen = rest.decided(self._engine, self.gone(user))
                if self.dry_run:
                    self.gone(user).update(record.id for merger in chosen for record in merger.ending)
                    self._add(merged=sum(len(merger.ending) for merger in chosen))
                    self.plan(
                        Planned("merge", user, _ids(merger.ending), merger.kept.id) for merger in chosen
                    )
                    continue
                count, skipped = unite(self._engine, chosen, self.journal(user), self._begin_slice)
                rest.put_back(chosen)
                rest.merged += count
                ended += count
                self._advance(count)
                self._add(merged=count, skipped=skipped)
                self._worked = True
            if rest.more:
                break
            most = None if self.dry_run else rest.next_most
            if most is None:
                self._end_merging(user, rest, ended)
                return
            rest = self._search(user, merging, most)
        self._add(finished=False)
        if not self.dry_run:
            keep_round(self._engine, user, rest)

    def _end_merging(self, user: str, done: MergingRound, ended: int) -> None:
        self._headway.did("merge", user)
        if not done.complete:
            _logger.warning("more than %d pairs of memories are alike: some were not compared", MOST_PAIRS)
        if done.records and not self.dry_run:
            self._states[user] = {**reported(done.next), "merged": ended}

    def _round(self, user: str, merging: Merging) -> MergingRound:
        """The one that was left when the time was over, or a new one."""
        kept = None
        if not self.dry_run:
            kept = kept_round(self._engine, user, self._last(user, merging))
        return kept or self._search(user, merging)

    def _search(self, user: str, merging: Merging, most: int = FIRST_PAIRS) -> MergingRound:
        """Memories are recorded at a moment inside their exclusive transaction. One that is taken in such a transaction
        is after all that is there, and before all that this consolidation cannot see."""
        with self._engine.store.writing() as writer:
            last = last_of(writer, user, merging)
            following = last._replace(sequence=writer.sequence(), since=max(last.since, now_micros()))
        found = MergingRound(self._engine, user, merging, last=last, next=following, most=most)
        self._add(compared=found.records)
        return found

    def _last(self, user: str, merging: Merging) -> Last:
        with self._engine.store.reading() as reader:
            return last_of(reader, user, merging)

    def _learn(self, user: str) -> None:
        """Procedures, in one transaction; see `mine_procedures`."""
        if self._headway.is_done("learn", user) or not self._begin_slice():
            return
        write = self.journal(user).write
        done = mine_procedures(self._engine, user, dry_run=self.dry_run, write=write, gone=self.gone(user))
        self._headway.did("learn", user)
        self._add(learnt=done.new + done.changed)
        if self.dry_run and done.ids:
            self.plan([Planned("learn", user, done.ids)])

    def _users(self) -> list[str]:
        if self._user is not None:
            return [self._user]
        with self._engine.store.reading() as reader:
            return reader.users()

    def _changed(self, ids: Sequence[str]) -> tuple[str, ...]:
        with self._engine.store.reading() as reader:
            return tuple(id_ for id_ in ids if any(run.changes for run in reader.runs.runs(id=id_)))

    def _add(self, *, finished: bool = True, **counts: int) -> None:
        sums = {name: getattr(self._report, name) + count for name, count in counts.items()}
        self._report = self._report._replace(finished=self._report.finished and finished, **sums)


@survives_damage
def _retired(engine: Engine, user: str) -> int:
    retired: int = engine.current().stats(user=user)["retired"]
    return retired


def _mean(values: Sequence[tuple[float, int]]) -> float | None:
    """Weighted; `None` of nothing."""
    total = sum(weight for _, weight in values)
    return sum(value * weight for value, weight in values) / total if total else None


def _ids(records: Sequence[Record]) -> tuple[str, ...]:
    return tuple(record.id for record in records)
