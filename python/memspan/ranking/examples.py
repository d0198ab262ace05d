"""Questions with known answers, as a learned ranking sees them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.remember.asking import asked
from memspan.remember.recall import Recalls
from memspan.remember.searching import features

from .ranker import Condition

if TYPE_CHECKING:
    from memspan.evaluate.run import Tracker
    from memspan.formats.questions import LabelledQuestion
    from memspan.memory import Memory
    from memspan.remember.embedding import EmbedderSpec

__all__ = ["Example", "collect"]

StrPath: TypeAlias = "str | os.PathLike[str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One question: its candidates and which of them answer it."""

    data_set: str
    conversation: str
    category: str
    features: NDArray[np.float32]
    """Shape (candidates, len(FEATURES))."""
    relevant: NDArray[np.bool_]
    """Shape (candidates,)."""
    evidence: int
    """How many records answer it, those among the candidates and others."""
    conditions: tuple[Condition, ...]


def collect(
    data_set: str,
    files: StrPath | Iterable[StrPath],
    *,
    embedder: EmbedderSpec = None,
    store_dir: StrPath | None = None,
    users: Sequence[str] | None = None,
    limit: int | None = None,
    unanswerable: bool = False,
    progress: bool | Tracker = False,
) -> list[Example]:
    """The answerable questions of a data set, with the features of their candidates; or, with `unanswerable`, those
    that have no answer (adversarial, abstention).

    Arguments and errors are those of `memspan.evaluate.evaluate`, whose stores are used.
    """
    from memspan.evaluate.run import evaluate

    examples: dict[int, Example] = {}

    def ask(memory: Memory, question: LabelledQuestion, k: int, options: Mapping[str, Any]) -> Recalls:
        wanted = not question.answerable if unanswerable else question.answerable and bool(question.evidence)
        if wanted and id(question) not in examples:
            examples[id(question)] = example_of(memory, question, data_set)
        return Recalls()

    evaluate(
        data_set,
        files,
        ks=(1,),
        embedder=embedder,
        store_dir=store_dir,
        users=users,
        limit=limit,
        ask=ask,
        progress=progress,
    )
    return list(examples.values())


def example_of(memory: Memory, question: LabelledQuestion, data_set: str) -> Example:
    """What the ranking would see if the question were asked."""
    between = None if question.until is None else (None, question.until)
    prepared = asked(
        memory._engine,
        question.text,
        user=question.user,
        now=question.now,
        views=None,
        exclude=(),
        fusion="learned",
        arguments={"between": between, "k": 10},
    )
    ids, rows = features(memory._engine, prepared)
    # What labels call the evidence of a question without an answer is what misleads.
    evidence = question.evidence if question.answerable else frozenset()
    return Example(
        data_set=data_set,
        conversation=question.user,
        category=question.category,
        features=rows,
        relevant=np.fromiter((id_ in evidence for id_ in ids), np.bool_, len(ids)),
        evidence=len(evidence),
        conditions=prepared.conditions,
    )
