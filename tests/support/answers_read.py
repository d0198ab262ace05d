"""Evaluations of LoCoMo files in which a reader answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memspan.evaluate import Evaluation, evaluate
from memspan.evaluate.reading.asking import Reading
from memspan.evaluate.reading.report import AnswerReport


def run(path: Path, stores: Path, **more: Any) -> Evaluation:
    """With a small embedder; `more` goes to `evaluate`."""
    return evaluate("locomo", path, embedder="hash:64", store_dir=stores, ks=(1, 5), **more)


def read(path: Path, stores: Path, reading: Reading, **more: Any) -> AnswerReport:
    """The report on the answers alone."""
    found = run(path, stores, reading=reading, **more).reading
    assert found is not None
    return found
