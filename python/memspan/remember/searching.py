"""Read: one native search, one query for the texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final

from memspan.arguments import as_integer, as_texts
from memspan.errors import invalid
from memspan.index import Hits, Index
from memspan.limits import MAX_K
from memspan.times import TimeLike, from_micros, to_micros

from .damage import survives_damage
from .engine import Engine
from .fields import checked_name, checked_text
from .recall import Recalls, Timings, recall_of
from .reranking import CANDIDATES, MAX_RERANK_MS, Readable, SecondLook

__all__ = ["latest", "search"]

_ATTEMPTS: Final = 3
_DEFAULT_VIEWS: Final = ("semantic", "lexical")

# Candidates from each view. On LoCoMo, reciprocal-rank fusion of 1,000 finds 86.2 % of the evidence in the top
# 50, of 200 84.4 %; the native search costs a few hundredths of what embedding the question does.
_DEPTH = 1000


def search(
    engine: Engine,
    question: str,
    *,
    user: str,
    now: TimeLike | None,
    views: Sequence[str] | None,
    exclude: Sequence[str],
    arguments: Mapping[str, Any],
    second_look: SecondLook | None = None,
    rerank_ms: int = 0,
) -> Recalls:
    """See `Memory.search`; `arguments` go to `Index.search` as they are, and are checked there."""
    checked_name(user, "user")
    text = checked_text(question, "question")
    if not text.strip():
        raise invalid("question", question, "text that is not blank")
    if now is not None:
        to_micros(now, "now")
    chosen = list(_DEFAULT_VIEWS) if views is None else as_texts(views, "views")
    unwanted = as_texts(exclude, "exclude")
    seconds = as_integer(rerank_ms, "rerank_ms", 0, MAX_RERANK_MS) / 1000
    looks_again = second_look is not None and seconds > 0
    wanted = dict(arguments)
    if looks_again:
        wanted["k"] = max(as_integer(arguments["k"], "k", 1, MAX_K), CANDIDATES)
    engine.require_open()
    start = perf_counter()
    embedding = engine.embedder.query(text) if "semantic" in chosen else None
    embedded = perf_counter() - start

    def find(index: Index, vanished: Sequence[str]) -> Hits:
        return index.search(
            user=user,
            text=text,
            embedding=embedding,
            views=chosen,
            exclude=[*unwanted, *vanished],
            depth=_DEPTH,
            **wanted,
        )

    recalls = _with_records(engine, user, find, embedded)
    if second_look is None or not looks_again:
        return recalls
    as_of = arguments.get("as_of")
    return second_look(
        engine,
        text,
        user,
        recalls,
        k=arguments["k"],
        seconds=seconds,
        readable=Readable(
            vault="vault" in (arguments.get("kinds") or ()),
            as_of=None if as_of is None else from_micros(to_micros(as_of, "as_of")),
            exclude=frozenset(unwanted),
        ),
        log_odds=arguments.get("fusion") == "learned",
        explain=bool(arguments.get("explain")),
    )


def latest(engine: Engine, *, user: str, k: int, between: Any, kinds: Sequence[str] | None) -> Recalls:
    """See `Memory.latest`."""
    checked_name(user, "user")

    def find(index: Index, vanished: Sequence[str]) -> Hits:
        return index.latest(user=user, k=k, between=between, kinds=kinds)

    return _with_records(engine, user, find)


@survives_damage
def _with_records(
    engine: Engine, user: str, find: Callable[[Index, Sequence[str]], Hits], embedded: float = 0.0
) -> Recalls:
    """Run a search and fetch the records of its hits with one query.

    Between the two another process may forget a record, and an add of another thread may be searchable a
    moment before its commit. The search is then run again without such ids, so that other records take their
    places. `embedded`: seconds that embedding the question took.
    """
    vanished: list[str] = []
    searched = 0.0
    start = perf_counter()
    for attempt in range(_ATTEMPTS):
        asked = perf_counter()
        hits = find(engine.current(), vanished)
        searched += perf_counter() - asked
        with engine.store.reading() as reader:
            records = reader.fetch(user, hits.ids)
        missing = [id_ for id_ in hits.ids if id_ not in records]
        if not missing or attempt == _ATTEMPTS - 1:
            break
        vanished += missing
    recalls = Recalls(
        (
            recall_of(records[hit.id], hit.score, hit.views, hit.explanation)
            for hit in hits
            if hit.id in records
        ),
        hits.explanation,
    )
    fetched = perf_counter() - start - searched
    recalls.timings = Timings(embedding=embedded, search=searched, fetch=fetched)
    return recalls
