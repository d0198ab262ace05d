"""Real conversations as memories with vectors, and the questions about them."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memspan.embed.protocol import Embedder
from memspan.embed.resolve import resolve_embedder
from memspan.errors import invalid
from memspan.evaluate.embedding_cache import CachedEmbedder
from memspan.evaluate.stores import default_directory
from memspan.formats.questions import LabelledQuestion, read_labelled
from memspan.records import Record
from memspan.remember.compose import embedded_text
from memspan.remember.embedding import EmbedderSpec

from .kinds import kind_by_rule
from .salience import estimated_importance

__all__ = ["Conversation", "Embedding", "embed", "read_conversations"]

_BATCH = 64


@dataclass(frozen=True, slots=True, eq=False)
class Conversation:
    """One conversation of a data set."""

    data_set: str
    records: tuple[Record, ...]
    """Its turns in the order of time, with vectors, an estimated importance and a kind by rule."""
    questions: tuple[LabelledQuestion, ...]
    """Those with evidence that exists and has a time."""

    @property
    def user(self) -> str:
        """Unique among all data sets."""
        return self.records[0].user

    @property
    def checksum(self) -> int:
        """Of what was said: what is drawn for a conversation depends on it, and not on the name or place of a file."""
        return zlib.crc32("\n".join(record.text for record in self.records).encode())


class Embedding:
    """The vectors of turns and questions: turns from a file that keeps them, questions from memory when they come
    again. What a condition takes is then its own doing."""

    def __init__(self, embedder: EmbedderSpec, directory: Path | None) -> None:
        resolved = resolve_embedder(embedder)
        if not resolved.checksum:
            raise invalid("embedder", resolved, "one with a checksum")
        where = default_directory() if directory is None else directory
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.documents: Embedder = CachedEmbedder(resolved, where / "embeddings.sqlite")
        self.questions: Embedder = _Remembering(self.documents)


class _Remembering:
    """An embedder that keeps the vectors of questions in memory."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, NDArray[np.float32]] = {}
        self.name, self.dim, self.checksum = inner.name, inner.dim, inner.checksum

    def embed_query(self, text: str) -> NDArray[np.float32]:
        if text not in self._known:
            self._known[text] = self._inner.embed_query(text)
        return self._known[text]

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._inner.embed_documents(texts)


def read_conversations(
    files: Iterable[tuple[str, str | os.PathLike[str]]],
    embedding: Embedding,
    advance: Callable[[int], object] = lambda count: None,
) -> list[Conversation]:
    """The conversations of files of data sets.

    Args:
        files: pairs of a data set and a file of it.
        advance: is told each conversation that is embedded.

    Raises:
        InvalidArgumentError: there is no file, no question with evidence, or a conversation comes twice.
        FormatError: a file cannot be read.
    """
    given = list(files)
    # Files that cannot be read are told at once: embedding takes minutes.
    read = _read(given)
    if not read:
        named = ", ".join(f"{data_set} {Path(file).name}" for data_set, file in given) or "nothing"
        raise invalid("files", named, "files of conversations whose questions have labelled evidence")
    found = []
    for data_set, records, asked in read:
        found.append(Conversation(data_set, _judged(embed(records, embedding)), asked))
        advance(1)
    return found


def _read(
    files: Iterable[tuple[str, str | os.PathLike[str]]],
) -> list[tuple[str, list[Record], tuple[LabelledQuestion, ...]]]:
    """Of each conversation that has questions with evidence: its data set, its turns and those questions."""
    found = []
    users: set[str] = set()
    for data_set, file in files:
        labelled = read_labelled(file, data_set)
        for user, turns in labelled.turns.items():
            owner = f"{data_set}/{user}"
            if owner in users:
                named = f"{data_set} {Path(file).name}"
                raise invalid("files", named, f"conversations that differ; {user} comes twice")
            users.add(owner)
            records = [
                Record(
                    id=id_,
                    user=owner,
                    text=turn.text,
                    at=turn.at,
                    session=turn.session,
                    speaker=turn.speaker,
                    metadata={**turn.metadata, **({"images": list(turn.images)} if turn.images else {})},
                    recorded_at=turn.at,
                )
                for id_, turn in turns.items()
                if turn.at is not None
            ]
            dated = frozenset(record.id for record in records)
            asked = tuple(
                _about(question, dated)
                for question in labelled.questions
                if question.user == user and question.answerable and question.evidence & dated
            )
            if asked:
                # Turns of one time keep the order of the file.
                records.sort(key=lambda record: record.at)
                found.append((data_set, records, asked))
    return found


def _about(question: LabelledQuestion, dated: frozenset[str]) -> LabelledQuestion:
    """The question with its evidence among the turns that have a time: others have no place in a conversation."""
    evidence, outdated = question.evidence & dated, question.outdated & dated
    return replace(question, evidence=evidence, outdated=outdated if evidence > outdated else frozenset())


def embed(records: Sequence[Record], embedding: Embedding) -> list[Record]:
    """The records with the vectors of their texts."""
    done: list[Record] = []
    for start in range(0, len(records), _BATCH):
        batch = records[start : start + _BATCH]
        vectors = embedding.documents.embed_documents([embedded_text(record) for record in batch])
        done += [replace(record, embedding=vector) for record, vector in zip(batch, vectors, strict=True)]
    return done


def _judged(records: Sequence[Record]) -> tuple[Record, ...]:
    importance = estimated_importance(
        [record.text for record in records], [record.speaker for record in records]
    )
    return tuple(
        replace(record, importance=float(value), kind=kind_by_rule(record.text))
        for record, value in zip(records, importance, strict=True)
    )
