"""Questions with known answers, as a learned ranking sees them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.ranking.adapter import QueryAdapter
from memspan.ranking.planned import scales_for
from memspan.ranking.ranker import Condition, Ranker
from memspan.remember.searching.asking import asked
from memspan.remember.searching.recall import Recalls
from memspan.remember.searching.searching import features

from .adapter import Asking, EmbedderName

if TYPE_CHECKING:
    from memspan.evaluate.run import Tracker
    from memspan.formats.questions import LabelledQuestion
    from memspan.memory import Memory
    from memspan.remember.embedding import EmbedderSpec

__all__ = ["AdapterOf", "Example", "collect", "collect_askings", "embedder_of"]

StrPath: TypeAlias = str | os.PathLike[str]
AdapterOf: TypeAlias = Callable[[str, str], QueryAdapter | None]
_BATCH: Final = 512


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
    adapter_of: AdapterOf | None = None,
) -> list[Example]:
    """The answerable questions of a data set, with the features of their candidates; or, with `unanswerable`, those
    that have no answer (adversarial, abstention).

    `adapter_of` says what moves the vectors of questions, by data set and conversation; without it nothing does. The
    other arguments and errors are those of `memspan.evaluate.evaluate`, whose stores are used.
    """
    examples: dict[int, Example] = {}

    def look(memory: Memory, question: LabelledQuestion) -> None:
        wanted = not question.answerable if unanswerable else question.answerable and bool(question.evidence)
        if wanted and id(question) not in examples:
            adapter = None if adapter_of is None else adapter_of(data_set, question.user)
            examples[id(question)] = example_of(memory, question, data_set, adapter)

    _visit(
        data_set,
        files,
        look,
        embedder=embedder,
        store_dir=store_dir,
        users=users,
        limit=limit,
        progress=progress,
    )
    return list(examples.values())


def collect_askings(
    data_set: str,
    files: StrPath | Iterable[StrPath],
    *,
    embedder: EmbedderSpec = None,
    store_dir: StrPath | None = None,
    progress: bool | Tracker = False,
) -> list[Asking]:
    """The answerable questions of a data set as vectors, for `fit_adapter`. Arguments and errors as for `collect`."""
    askings: dict[int, Asking] = {}
    users: dict[str, _Vectors] = {}

    def look(memory: Memory, question: LabelledQuestion) -> None:
        if not question.answerable or id(question) in askings:
            return
        known = users.get(question.user)
        if known is None:
            known = users[question.user] = _Vectors.of(memory, question.user)
        rows = sorted(known.rows[id_] for id_ in question.evidence if id_ in known.rows)
        if rows:
            askings[id(question)] = Asking(
                data_set=data_set,
                conversation=question.user,
                vector=memory._engine.embedder.query(question.text),
                records=known.records,
                evidence=np.array(rows, np.int64),
                text=question.text,
            )

    _visit(data_set, files, look, embedder=embedder, store_dir=store_dir, progress=progress)
    return list(askings.values())


def embedder_of(memory: Memory) -> EmbedderName:
    """Which embedder filled the store."""
    identity = memory._engine.embedder.identity
    return EmbedderName(identity.name, identity.checksum)


class _Vectors(NamedTuple):
    """All records of a user."""

    records: NDArray[np.float32]
    rows: dict[str, int]
    """Of each id."""

    @classmethod
    def of(cls, memory: Memory, user: str) -> _Vectors:
        rows: dict[str, int] = {}
        vectors: list[NDArray[np.float32]] = []
        with memory._engine.store.reading() as reader:
            for batch in reader.scan(user, _BATCH, embeddings=True):
                for record in batch:
                    if record.embedding is not None:
                        rows[record.id] = len(vectors)
                        vectors.append(record.embedding)
        return cls(np.stack(vectors) if vectors else np.zeros((0, 0), np.float32), rows)


def _visit(
    data_set: str,
    files: StrPath | Iterable[StrPath],
    look: Callable[[Memory, LabelledQuestion], None],
    *,
    embedder: EmbedderSpec = None,
    store_dir: StrPath | None = None,
    users: Sequence[str] | None = None,
    limit: int | None = None,
    progress: bool | Tracker = False,
) -> None:
    """Show every question with the memory that it is asked of."""
    from memspan.evaluate.run import evaluate

    def ask(memory: Memory, question: LabelledQuestion, k: int, options: Mapping[str, Any]) -> Recalls:
        look(memory, question)
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


def example_of(
    memory: Memory, question: LabelledQuestion, data_set: str, adapter: QueryAdapter | None = None
) -> Example:
    """What the ranking would see if the question were asked."""
    return example_with_ids(memory, question, data_set, adapter)[0]


def example_with_ids(
    memory: Memory, question: LabelledQuestion, data_set: str, adapter: QueryAdapter | None = None
) -> tuple[Example, list[str]]:
    """As `example_of`, with the ids of the candidates."""
    between = None if question.until is None else (None, question.until)
    prepared = asked(
        memory._engine,
        question.text,
        user=question.user,
        now=question.now,
        views=None,
        exclude=(),
        fusion="learned",
        ranker=Ranker({}, adapter=adapter),
        arguments={"between": between, "k": 10},
    )
    ids, rows = features(memory._engine, prepared)
    scales = None if prepared.plan is None else scales_for(prepared.plan)
    if scales is not None:
        # As good as scaled weights; the net, which searches then leave out, sees them, too.
        rows = rows * scales
    # What labels call the evidence of a question without an answer is what misleads.
    evidence = question.evidence if question.answerable else frozenset()
    example = Example(
        data_set=data_set,
        conversation=question.user,
        category=question.category,
        features=rows,
        relevant=np.fromiter((id_ in evidence for id_ in ids), np.bool_, len(ids)),
        evidence=len(evidence),
        conditions=prepared.conditions,
    )
    return example, ids
