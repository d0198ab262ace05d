"""What late interaction is tuned and judged with: its embedder as tuned so far, questions with known evidence, and the
texts of the records that they are asked of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from memspan.embed.late.onnx import OnnxTokenEmbedder
from memspan.embed.models import require_model
from memspan.embed.registry import DEFAULT_TOKEN_MODEL, TOKEN_MODELS
from memspan.evaluate import evaluate
from memspan.formats.questions import LabelledQuestion
from memspan.memory import Memory
from memspan.remember.compose import embedded_text
from memspan.remember.searching.recall import Recalls
from question_folds import plain_embedder

Look: TypeAlias = "Callable[[Memory, str, LabelledQuestion], None]"

BATCH = 512


def projection_path(directory: Path) -> Path:
    return directory / "projection.npz"


def token_delta_path(directory: Path, out: int | str) -> Path:
    """Where the delta of the token model lies that was tuned without this fold or data set."""
    return directory / f"tokens-without-{out}.npz"


def token_embedder(directory: Path, out: int | str | None = None, threads: int = 1) -> OnnxTokenEmbedder:
    """The default token model with the projection of the directory, and the delta that was tuned without `out`."""
    spec, files = TOKEN_MODELS[DEFAULT_TOKEN_MODEL], require_model(DEFAULT_TOKEN_MODEL)
    delta = None if out is None else token_delta_path(directory, out)
    return OnnxTokenEmbedder(files.model, files.tokenizer, projection_path(directory), name=spec.name,
                             max_tokens=spec.max_tokens, max_question_tokens=spec.max_question_tokens,
                             max_vectors=spec.max_vectors, threads=threads, question_delta=delta)  # fmt: skip


def texts_of(memory: Memory, user: str) -> dict[str, str]:
    """By id, what is embedded of every record of a user."""
    with memory._engine.store.reading() as reader:
        return {each.id: embedded_text(each) for batch in reader.scan(user, BATCH) for each in batch}


def visit(
    files: Mapping[str, Sequence[Path]], look: Look, *, embedder: Any = None, store_dir: Path | None = None
) -> None:
    """Show every answerable question once, with the memory that it is asked of and the name of its data set."""
    for name, paths in files.items():
        seen: set[str] = set()

        def ask(
            memory: Memory,
            question: LabelledQuestion,
            k: int,
            options: Mapping[str, Any],
            name: str = name,
            seen: set[str] = seen,
        ) -> Recalls:
            if question.answerable and question.evidence and question.position not in seen:
                seen.add(question.position)
                look(memory, name, question)
            return Recalls()

        evaluate(name, paths, ks=(1,), embedder=embedder or plain_embedder(), store_dir=store_dir, ask=ask)
