"""Questions in the five parts that are left out in turn when a ranking is judged, and an embedder that asks each with
what was tuned without its part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memspan.embed import OnnxEmbedder
from memspan.embed.models import require_model
from memspan.embed.registry import DEFAULT_MODEL, MODELS
from memspan.fitting.cross_validation import Parts
from memspan.formats.questions import read_labelled
from memspan.recall.wording import bare_question

FOLDS = 5
ALL = "all"  # tuned on every question: what is shipped


class Labelled(Protocol):
    """A question of a data set."""

    @property
    def data_set(self) -> str: ...
    @property
    def conversation(self) -> str: ...


def folds_of(askings: Sequence[Labelled]) -> list[int]:
    """The fold of each question, 0-4. No conversation is split over them."""
    parts = Parts.of([(each.data_set, each.conversation) for each in askings], "conversation")
    return [int(str(parts(each.data_set, each.conversation))) for each in askings]


def delta_path(directory: Path, fold: int | str) -> Path:
    """Where the delta lies that was tuned without the fold."""
    return directory / f"without-{fold}.npz"


def plain_embedder(delta: Path | None = None, threads: int = 1) -> OnnxEmbedder:
    """The default model, with this delta for questions or none."""
    spec, files = MODELS[DEFAULT_MODEL], require_model(DEFAULT_MODEL)
    return OnnxEmbedder(files.model, files.tokenizer, name=spec.name, pooling=spec.pooling, dim=spec.dim,
                        query_prefix=spec.query_prefix, document_prefix=spec.document_prefix,
                        max_tokens=spec.max_tokens, threads=threads, question_delta=delta,
                        tuned_prefix=None if delta is None else spec.tuned_prefix)  # fmt: skip


class FoldedEmbedder:
    """The default model that asks a question of the folds as if its conversation had not been seen.

    A question that no fold knows is asked as the shipped model asks it, one that several have by what was tuned
    without the first of them.
    """

    def __init__(self, directory: Path) -> None:
        self._folds: dict[str, int] = json.loads((directory / "folds.json").read_text())
        self._plain = plain_embedder(threads=2)
        places: dict[int | str, Path] = {fold: delta_path(directory, fold) for fold in (*range(FOLDS), ALL)}
        self._tuned = {fold: plain_embedder(path) for fold, path in places.items() if path.exists()}
        self.name, self.dim, self.checksum = self._plain.name, self._plain.dim, self._plain.checksum

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._plain.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._tuned.get(self._folds.get(text, ALL), self._plain).embed_query(text)


def write_folds(
    directory: Path, files: Mapping[str, Iterable[Path]], askings: Iterable[Labelled], folds: Iterable[int]
) -> None:
    """Write the fold of every question of the files, those without an answer among them."""
    fold_of = {
        (asking.data_set, asking.conversation): fold for asking, fold in zip(askings, folds, strict=True)
    }
    found: dict[str, int] = {}
    for data_set, paths in files.items():
        for path in paths:
            for question in read_labelled(path, data_set).questions:
                if (fold := fold_of.get((data_set, question.user))) is not None:
                    found.setdefault(question.text, fold)
                    found.setdefault(bare_question(question.text), fold)  # what a learned search embeds
    (directory / "folds.json").write_text(json.dumps(found))
