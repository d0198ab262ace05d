"""The plan of a question and its vectors, made beside one another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.embed.in_threads import at_once
from memspan.recall.plan import Plan

__all__ = ["Planned", "planned"]

Embed: TypeAlias = "Callable[[str], NDArray[np.float32]]"


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and the vectors of its semantic query: `None` where none was wanted."""

    plan: Plan
    embedding: NDArray[np.float32] | None
    token_vectors: NDArray[np.float32] | None
    planning_seconds: float
    embedding_seconds: float
    """Without what was planned meanwhile."""


def planned(
    plan: Plan | Callable[[], Plan],
    semantic: str,
    embed: Embed | None,
    embed_tokens: Embed | None,
    *,
    embed_here: bool,
) -> Planned:
    """Make the plan and embed its semantic query.

    The two models run on a core each. That of tokens takes longer, so that it begins at once, in this thread; another
    one makes the plan meanwhile and embeds the query.

    Args:
        plan: the plan, or what makes it; called once, perhaps in another thread.
        semantic: its semantic query, which is known before.
        embed: makes the query's vector.
        embed_tokens: makes the vectors of its tokens.
        embed_here: whether `embed` is called by this thread, as is promised of a caller's own function; `embed_tokens`
            is called by another one then.

    Raises:
        Exception: what one of them raised; all that began have ended then.
    """
    start = perf_counter()
    rest = partial(_plan_and_embed, plan, semantic, embed)
    token_vectors: NDArray[np.float32] | None = None
    if embed_tokens is None:
        made, embedding, planning_seconds = rest()
    elif embed_here:
        (made, embedding, planning_seconds), token_vectors = at_once(rest, partial(embed_tokens, semantic))
    else:
        token_vectors, (made, embedding, planning_seconds) = at_once(partial(embed_tokens, semantic), rest)
    seconds = perf_counter() - start - planning_seconds
    return Planned(made, embedding, token_vectors, planning_seconds, seconds)


def _plan_and_embed(
    plan: Plan | Callable[[], Plan], semantic: str, embed: Embed | None
) -> tuple[Plan, NDArray[np.float32] | None, float]:
    start = perf_counter()
    made = plan if isinstance(plan, Plan) else plan()
    seconds = perf_counter() - start
    return made, None if embed is None else embed(semantic), seconds
