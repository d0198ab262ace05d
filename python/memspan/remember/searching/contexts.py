"""Contexts for prompts: what a search found, and how it lies in its sessions."""

from __future__ import annotations

from memspan.recall.context import Budget, Context, build_context
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.times import TimeLike, zone_of

from .recall import Recalls

__all__ = ["context_of", "following_of"]


@survives_damage
def context_of(
    engine: Engine, question: str, user: str, recalls: Recalls, budget: Budget, now: TimeLike | None = None
) -> Context:
    """The best of what a search of `user` found for a question; see `Memory.context`."""
    after = following_of(engine, user, recalls)
    return build_context(question, recalls, budget, after=after, analyzer=engine.analyzer, zone=zone_of(now))


def following_of(engine: Engine, user: str, recalls: Recalls) -> dict[str, set[str]]:
    """For each record that was found, what comes after it in its session: the next record, and the next of its kind, as
    what was made of turns lies between them."""
    ids = [recall.id for recall in recalls]
    index = engine.current()
    both = (index.beside(user=user, ids=ids, same_kind=same_kind) for same_kind in (False, True))
    return {id_: {one for _, one in each if one is not None} for id_, *each in zip(ids, *both, strict=True)}
