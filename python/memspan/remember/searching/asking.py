"""From a question to the arguments of `Index.search`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_integer, as_texts
from memspan.errors import invalid
from memspan.limits import MAX_DEPTH, MAX_K
from memspan.ranking import Ranker, default_ranker, has_tuned_questions
from memspan.ranking.conditions import conditions_of
from memspan.ranking.late import LOOKED_AT
from memspan.ranking.late_ranker import LateWeights, late_ranker_for
from memspan.ranking.planned import late_weights_for, ranking_for, selection_for
from memspan.recall.plan import Plan
from memspan.recall.planner import plan_by_rules, semantic_query
from memspan.recall.times.languages import import_all
from memspan.recall.vocabulary import Vocabulary
from memspan.recall.wording import with_names
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name, checked_text
from memspan.remember.tokens.store_tokens import StoreTokens
from memspan.times import (
    Interval,
    Micros,
    TimeLike,
    from_micros,
    now_micros,
    require_likely,
    to_likely_micros,
    to_moment,
)

from .late_look import LateLook
from .planning import Planned, planned
from .reranking import CANDIDATES, MAX_RERANK_MS
from .where_then import where_then

if TYPE_CHECKING:
    from memspan.index import Index
    from memspan.ranking import Condition

__all__ = ["DEFAULT_FUSION", "Asked", "asked", "when_asked"]

DEFAULT_FUSION: Final = "learned"

_DEFAULT_VIEWS: Final = ("semantic", "lexical")
_TAG_WEIGHTS: Final = {"rrf": 0.1, "weighted": 0.3}
"""What routed tags weigh beside the other views, by fusion. With the same weight as those they push the best hits
down: on LoCoMo, reciprocal-rank fusion has 27 % of the evidence at rank 1 then, and 33 % without tags."""

# Candidates from each view. On LoCoMo, reciprocal-rank fusion of 1,000 finds 86.2 % of the evidence in the top
# 50, of 200 84.4 %; the native search costs a few hundredths of what embedding the question does.
_DEPTH: Final = 1000

# As deep as what the weights were learned from, if that is two for each that is wanted. With 200 for 50, LoCoMo's
# recall@50 is 94.7 instead of 95.1 %.
_LEARNED_DEPTH: Final = 128
_DEFAULT_K: Final = 10


def _finish_imports() -> None:
    """Import what questions import when they need it. A fork in the middle of that, by another thread, would leave the
    child waiting for the import forever. Some 30 ms, once."""
    default_ranker()
    plan_by_rules("When was it, last week?", now=0, vocabulary=Vocabulary())
    import_all()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish_imports)


@dataclass(frozen=True, slots=True)
class Asked:
    """A checked question, ready to be searched for."""

    text: str
    user: str
    k: int
    """How many are wanted; more are searched for if they are looked at again."""
    exclude: list[str]
    arguments: Mapping[str, Any]
    """For `Index.search`, all but `exclude`."""
    plan: Plan | None
    """How a learned ranking looks for it; `None` for other fusions."""
    conditions: tuple[Condition, ...]
    """What its ranking holds for true of it."""
    planning_seconds: float
    """For all but the embedding."""
    embedding_seconds: float
    judge: Ranker | None
    """Whose scores are asked for the confidence; `None`: it is not wanted."""
    tuned: bool
    """Whether it was embedded as the default embedder does, whose questions were tuned."""
    rerank_seconds: float
    """For a second look by the reranker; 0: none."""
    late_look: LateLook | None = None
    """How to look again at the best by their tokens, before the reranker does; `None`: not at all."""
    as_of: datetime | None = None
    """As what was believed when it is answered; `None`: now."""


@survives_damage
def asked(
    engine: Engine,
    question: str,
    *,
    user: str,
    now: TimeLike | None,
    views: Sequence[str] | None,
    exclude: Sequence[str],
    fusion: str | None,
    plan: Plan | None = None,
    ranker: Ranker | None = None,
    rerank_ms: int = 0,
    confidence: bool = False,
    arguments: Mapping[str, Any],
) -> Asked:
    """See `Memory.search`; `arguments` go to `Index.search` as they are, and are checked there."""
    began = perf_counter()
    checked_name(user, "user")
    text = checked_text(question, "question")
    if not text.strip():
        raise invalid("question", question, "text that is not blank")
    if now is not None:
        to_likely_micros(now, "now")
    require_likely(arguments.get("between"))
    believed = arguments.get("as_of")
    as_of = None if believed is None else from_micros(to_likely_micros(believed, "as_of"))
    if arguments.get("valid_at") is not None:
        to_likely_micros(arguments["valid_at"], "valid_at")
    routed = as_integer(arguments.get("route", 0), "route", 0, 1000) > 0
    chosen = [*_DEFAULT_VIEWS, *(["symbolic"] if routed else [])]
    if views is not None:
        chosen = as_texts(views, "views")
        routed = routed and "symbolic" in chosen
    unwanted = as_texts(exclude, "exclude")
    rerank_seconds = as_integer(rerank_ms, "rerank_ms", 0, MAX_RERANK_MS) / 1000
    engine.require_open()
    if fusion is None:
        # The weights were learned with both views; neighbours that rise by a rule go with a fusion by rank.
        usual = set(_DEFAULT_VIEWS) <= set(chosen) and not arguments.get("neighbors")
        fusion = DEFAULT_FUSION if usual or plan is not None or ranker is not None else "rrf"
    if fusion != "learned":
        if plan is not None:
            raise invalid("plan", plan, f"none with fusion {fusion!r}; a plan is for the learned ranking")
        if ranker is not None:
            raise invalid("ranker", ranker, f"none with fusion {fusion!r}")
        if confidence:
            raise invalid("confidence", confidence, f"False with fusion {fusion!r}")
    found = dict(arguments) if routed else {**arguments, "route": 0}
    if as_of is not None or arguments.get("valid_at") is not None:
        found["where"] = where_then(arguments.get("where"))
    if routed and fusion in _TAG_WEIGHTS:
        found["weights"] = {"semantic": 1.0, "lexical": 1.0, "symbolic": _TAG_WEIGHTS[fusion]}
    if found.get("k") is not None:
        as_integer(found["k"], "k", 1, MAX_K)
    # What was believed or true then may have read otherwise then: token vectors are of what is stored now.
    now_stored = as_of is None and arguments.get("valid_at") is None
    tuned = has_tuned_questions(engine.embedder.identity.name, engine.embedder.identity.checksum)
    tokens = engine.tokens if fusion == "learned" and "semantic" in chosen and now_stored else None
    embed = engine.embedder.query if "semantic" in chosen or routed else None
    made: Planned | None = None
    embedding: NDArray[np.float32] | None = None
    embedding_seconds = 0.0
    words = text
    conditions: tuple[Condition, ...] = ()
    chosen_ranker: Ranker | None = None
    if fusion == "learned":
        if plan is not None and not isinstance(plan, Plan):
            raise invalid("plan", plan, "a memspan.recall.Plan")
        if ranker is not None and not isinstance(ranker, Ranker):
            raise invalid("ranker", ranker, "a memspan.ranking.Ranker")
        index = engine.current()
        identity = engine.embedder.identity
        chosen_ranker = ranker or default_ranker(identity.name, identity.checksum)
        adapter = chosen_ranker.adapter_for(identity.name, identity.checksum)
        if adapter is not None and adapter.dim != identity.dim:
            accepted = f"one whose adapter is for vectors of length {identity.dim}, as the embedder's"
            raise invalid("ranker", f"an adapter for vectors of length {adapter.dim}", accepted)
        vocabulary = engine.vocabularies.of(index, user, retired=not now_stored)
        semantic = semantic_query(text) if plan is None else plan.semantic
        made = planned(
            plan
            or partial(plan_by_rules, text, now=when_asked(index, user, now, as_of), vocabulary=vocabulary),
            semantic,
            embed,
            None if tokens is None else tokens.question,
            embed_here=not tuned,
        )
        plan, embedding, embedding_seconds = made.plan, made.embedding, made.embedding_seconds
        if embedding is not None and adapter is not None:
            embedding = adapter(embedding)
        words = with_names(plan.lexical, plan.names)
        if plan.tags and views is None:
            found["tags"] = plan.tags
            if not routed:
                chosen.append("symbolic")
        conditions = conditions_of(plan, vocabulary)
    elif embed is not None:
        start = perf_counter()
        embedding = embed(text)
        embedding_seconds = perf_counter() - start
    k = found.get("k")
    if k is None:
        k = _DEFAULT_K if plan is None else plan.k
    k = as_integer(k, "k", 1, MAX_K)
    wanted = max(k, CANDIDATES) if rerank_seconds else k
    searched = wanted if tokens is None else max(wanted, LOOKED_AT)
    if plan is not None and chosen_ranker is not None:
        found["ranking"] = ranking_for(plan, chosen_ranker, conditions, searched)
    late_weights: LateWeights | None = None
    usual = ranker is None and set(_DEFAULT_VIEWS) <= set(chosen)
    if tokens is not None and plan is not None and chosen_ranker is not None and usual:
        late_weights = _late_weights(engine, tokens, plan, chosen_ranker, conditions)
    late_look: LateLook | None = None
    if tokens is not None and made is not None and made.token_vectors is not None:
        sessions = selection_for(made.plan, wanted).sessions
        late_look = LateLook(tokens, made.token_vectors, user, wanted, sessions, late_weights)
    depth = max(_LEARNED_DEPTH, 2 * wanted) if fusion == "learned" else max(_DEPTH, 4 * wanted)
    found |= {
        "user": user,
        "text": words,
        "embedding": embedding,
        "views": chosen,
        "fusion": fusion,
        "depth": min(depth, MAX_DEPTH),
        "k": searched,
        "features": late_weights is not None,
    }
    return Asked(
        text,
        user,
        k,
        unwanted,
        found,
        plan,
        conditions,
        perf_counter() - began - embedding_seconds,
        embedding_seconds,
        chosen_ranker if confidence else None,
        tuned,
        rerank_seconds,
        late_look,
        as_of,
    )


def _late_weights(
    engine: Engine, tokens: StoreTokens, plan: Plan, ranker: Ranker, conditions: tuple[Condition, ...]
) -> LateWeights | None:
    """Those learned beside the package's ranker, where both models are those that it was learned with."""
    own, late = engine.embedder.identity, tokens.identity
    late_ranker = late_ranker_for((own.name, own.checksum), (late.name, late.checksum))
    return None if late_ranker is None else late_weights_for(plan, ranker, late_ranker, conditions)


def when_asked(index: Index, user: str, now: TimeLike | None, as_of: datetime | None = None) -> datetime:
    """When a question is asked: when its caller says, in the zone that it names, else at the user's newest record (as
    of a time the newest that was believed then) in UTC. What is to come, an appointment say, is no time to ask at,
    unless there is nothing else."""
    if now is not None:
        return to_moment(now, "now")
    newest = _newest(index, user, as_of)
    clock = now_micros()
    if newest is not None and newest > clock:
        past = _newest(index, user, as_of, (None, clock + 1))
        newest = newest if past is None else past
    return from_micros(newest or 0)


def _newest(
    index: Index, user: str, as_of: datetime | None, between: Interval | None = None
) -> Micros | None:
    if as_of is None:
        ats = index.latest(user=user, k=1, between=between).ats
    else:
        found = index.search(user=user, as_of=as_of, between=between, views=["symbolic"], k=1, track=False)
        ats = found.ats
    return int(ats[0]) if len(ats) else None
