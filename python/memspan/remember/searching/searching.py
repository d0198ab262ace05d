"""Read: one native search, one query for the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from memspan.errors import MemspanError
from memspan.index import Hit, Hits, Index
from memspan.limits import MAX_EXCLUDED
from memspan.query import Query
from memspan.ranking.planned import selection_for
from memspan.remember.capacity.cold import unshortened
from memspan.remember.damage import survives_damage
from memspan.remember.endings.endings import as_believed
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.times import Between, from_micros, require_likely, to_micros

from .aging import Aging
from .asking import Asked
from .ended_by_then import ended_by_then, united
from .late_look import LateLook, Looked
from .recall import Recalls, Timings, recall_of
from .reranking import Readable, SecondLook
from .wanted_kinds import lift_wanted, places_for

if TYPE_CHECKING:
    from memspan.ranking import Ranker

__all__ = ["features", "latest", "search", "with_one_embedder"]

T = TypeVar("T")

_ATTEMPTS: Final = 3


def with_one_embedder(engine: Engine, call: Callable[[], T]) -> T:
    """What a call comes to that embeds a question and searches, once it had one embedder from its beginning to its end:
    vectors of two cannot be compared, and `Memory.reembed` may be done in between."""
    while True:
        embedder = engine.embedder
        try:
            found = call()
        except MemspanError:
            if engine.embedder is embedder:
                raise
        else:
            if engine.embedder is embedder:
                return found


def search(engine: Engine, question: Asked, second_look: SecondLook, aging: Aging | None = None) -> Recalls:
    """See `Memory.search`."""
    start = perf_counter()
    unwritten = {} if aging is None else aging.unwritten(engine, question.user)
    recalls = _found(engine, question, question.arguments, question.late_look)
    confidence: float | None = None
    if question.judge is not None:
        asked = perf_counter()
        confidence = _confidence(engine, question, question.judge)
        recalls.timings = _searched_longer(recalls.timings, perf_counter() - asked)
    if question.rerank_seconds:
        recalls = second_look(
            engine,
            question.text,
            question.user,
            recalls,
            k=question.k,
            seconds=question.rerank_seconds,
            readable=_readable(question),
            log_odds=question.plan is not None,
            sessions=1 if question.plan is None else selection_for(question.plan, question.k).sessions,
            explain=bool(question.arguments["explain"]),
        )
    recalls = _with_wanted(engine, question, recalls)
    lifted = recalls.lifted
    if aging is not None:
        recalls = aging(engine, question.user, recalls, unwritten)
    if question.arguments.get("track", True):
        engine.note_search(question.user, [recall.id for recall in recalls])
    recalls.lifted = lifted
    recalls.plan = question.plan
    recalls.confidence = confidence
    if recalls.explanation is not None:
        recalls.explanation = {"k": question.k, **recalls.explanation}
    times = recalls.timings
    recalls.timings = replace(
        times,
        planning=question.planning_seconds,
        embedding=question.embedding_seconds,
        fetch=perf_counter() - start - times.search - times.reranking,  # whatever is left of the call
    )
    return recalls


def _searched_longer(timings: Timings, seconds: float) -> Timings:
    return replace(timings, search=timings.search + seconds)


def _found(
    engine: Engine, question: Asked, arguments: Mapping[str, Any], look: LateLook | None = None
) -> Recalls:
    """What the index finds with these arguments, the best of it looked at again; if they name both times, with what
    had ended by then. More is found than comes back, so that none of it counts as used here."""

    def find(index: Index, vanished: Sequence[str]) -> Hits:
        return index.search(exclude=_without(question.exclude, vanished), **{**arguments, "track": False})

    recalls = _with_records(engine, question.user, find, question.as_of, look)
    more = ended_by_then(engine, question, arguments)
    if more is None or question.as_of is None:
        return recalls

    def find_ended(index: Index, vanished: Sequence[str]) -> Hits:
        exclude = _without([*question.exclude, *more.exclude], vanished)
        return index.search(exclude=exclude, **more.arguments)

    ended = _with_records(engine, question.user, find_ended, question.as_of)
    return united(recalls, ended, question.as_of, arguments["k"])


def _with_wanted(engine: Engine, question: Asked, recalls: Recalls) -> Recalls:
    """With records of the kinds that the plan asks for, unless the caller says which kinds there may be."""
    kinds = () if question.plan is None else question.plan.record_kinds
    given = question.arguments["kinds"]
    if not kinds or given is not None:
        return recalls
    arguments = {**question.arguments, "kinds": kinds, "k": places_for(question.k)}
    wanted = _found(engine, question, arguments)
    recalls.timings = _searched_longer(recalls.timings, wanted.timings.search)
    return lift_wanted(recalls, wanted, question.k) if wanted else recalls


def _confidence(engine: Engine, question: Asked, judge: Ranker) -> float:
    from memspan.ranking.confidence import default_confidence, signals_of

    ids, rows = features(engine, question)
    more = ended_by_then(engine, question, question.arguments)
    if more is not None:
        past = replace(question, arguments=more.arguments, exclude=[*question.exclude, *more.exclude])
        others, found = features(engine, past)
        rows = np.concatenate([rows, found[~np.isin(others, ids)]])
    if not len(rows):
        return 0.0
    scores = judge.scores(rows, question.conditions)
    return default_confidence(tuned=question.tuned)(signals_of(rows, scores))


def _readable(question: Asked) -> Readable:
    valid_at = question.arguments["valid_at"]
    return Readable(
        vault="vault" in (question.arguments["kinds"] or ()),
        as_of=question.as_of,
        valid_at=None if valid_at is None else from_micros(to_micros(valid_at, "valid_at")),
        exclude=frozenset(question.exclude),
    )


@survives_damage
def features(engine: Engine, question: Asked) -> tuple[list[str], NDArray[np.float32]]:
    """The candidates of a learned ranking, and what it looks at in them: shape (n, len(FEATURES))."""
    query = Query(exclude=question.exclude, **question.arguments)
    return engine.current().features(query)


def latest(
    engine: Engine, *, user: str, k: int, between: Between | None, kinds: Sequence[str] | None
) -> Recalls:
    """See `Memory.latest`."""
    checked_name(user, "user")
    require_likely(between)

    def find(index: Index, vanished: Sequence[str]) -> Hits:
        if not vanished:
            return index.latest(user=user, k=k, between=between, kinds=kinds)
        return index.search(
            user=user,
            k=k,
            depth=k,
            between=between,
            kinds=kinds,
            exclude=_without((), vanished),
            views=("symbolic",),
            track=False,
        )

    return _with_records(engine, user, find)


def _without(exclude: Sequence[str], vanished: Sequence[str]) -> list[str]:
    """What a search is to exclude: of what vanished, so many as it takes besides. It refuses too many of a caller's."""
    return [*exclude, *vanished[: max(0, MAX_EXCLUDED - len(exclude))]]


@survives_damage
def _with_records(
    engine: Engine,
    user: str,
    find: Callable[[Index, Sequence[str]], Hits],
    as_of: datetime | None = None,
    look: LateLook | None = None,
) -> Recalls:
    """Run a search and fetch the records of its hits with one query.

    Between the two another process may forget a record, and what another thread adds is searchable before its
    commit, of many records for long. The search is then run again without such ids, so that other records take
    their places. With `as_of`, records come as they read then; with `look`, in the order that it gives.
    """
    vanished: list[str] = []
    searched = 0.0
    looking = 0.0
    start = perf_counter()
    for attempt in range(_ATTEMPTS):
        asked = perf_counter()
        hits = find(engine.current(), vanished)
        searched += perf_counter() - asked
        looked = None if look is None else look(engine, hits)
        looking += 0.0 if looked is None else looked.seconds
        found = hits.ids
        ids = found if looked is None else [found[position] for position in looked.order]
        with engine.store.reading() as reader:
            records = reader.fetch(user, ids)
            missing = [id_ for id_ in ids if id_ not in records]
            if not missing or attempt == _ATTEMPTS - 1:
                break
            coming = engine.writes(user)
            known = reader.record_versions(user, coming) if coming else {}
        vanished += dict.fromkeys([*missing, *(id_ for id_ in coming if id_ not in known)])
    if as_of is not None:
        records = {
            id_: as_believed(record, as_of)
            for id_, record in unshortened(engine, user, records, as_of).items()
        }
    told = _told(hits) if looked is None else _told_again(hits, looked)
    recalls = Recalls(
        (
            recall_of(records[hit.id], score, hit.views, explanation)
            for hit, score, explanation in told
            if hit.id in records
        ),
        hits.explanation,
    )
    fetched = perf_counter() - start - searched - looking
    recalls.timings = Timings(search=searched, fetch=fetched, reranking=looking)
    return recalls


def _told(hits: Hits) -> Iterator[tuple[Hit, float, Any]]:
    return ((hit, hit.score, hit.explanation) for hit in hits)


def _told_again(hits: Hits, looked: Looked) -> Iterator[tuple[Hit, float, Any]]:
    """Each hit that comes back, with its score and explanation after the look."""
    for position in looked.order:
        hit = hits[position]
        explanation = hit.explanation
        if explanation is not None:
            explanation = looked.explained(position, hit.score, explanation)
        yield hit, float(looked.scores[position]), explanation
