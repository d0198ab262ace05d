"""Tune how the default model embeds questions, from questions with known evidence. Records' vectors stay as they are.

    pip install torch
    python benches/tune_questions.py DELTAS --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json

Writes five deltas, each learned without a fold of the conversations (question_folds.py), and one without each data set,
for fit_tuned.py; and `without-all.npz`, learned from all, which is shipped. Those that are there already stay. The loss
is that of `memspan.fitting.adapter.fit_adapter`: minus the logarithm of the share of a question's evidence in a softmax
over all records of its conversation. About a minute and a half a delta on one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from fit_tuned import add_files, files_of
from memspan.embed.models import require_model
from memspan.embed.registry import DEFAULT_MODEL, MODELS
from memspan.fitting.adapter import Asking
from memspan.fitting.examples import collect_askings
from memspan.recall.wording import bare_question
from question_encoder import QuestionEncoder
from question_folds import ALL, FOLDS, delta_path, folds_of, plain_embedder, write_folds
from question_tuning import SHARPNESS, tune


@dataclass(frozen=True)
class Sample:
    """A question as the model reads it."""

    asking: Asking
    tokens: list[int]
    records: torch.Tensor
    evidence: torch.Tensor


def samples_of(askings: Sequence[Asking]) -> list[Sample]:
    spec = MODELS[DEFAULT_MODEL]
    prefix = spec.query_prefix if spec.tuned_prefix is None else spec.tuned_prefix
    tokenizer = Tokenizer.from_file(str(require_model(DEFAULT_MODEL).tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(spec.max_tokens)
    records = {id(each.records): torch.from_numpy(each.records) for each in askings}
    return [
        Sample(each, tokenizer.encode(prefix + bare_question(each.text)).ids, records[id(each.records)],
               torch.from_numpy(each.evidence))
        for each in askings
    ]  # fmt: skip


def loss_of(encoder: QuestionEncoder, batch: Sequence[Sample]) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        vectors = encoder([each.tokens for each in batch])
    total = torch.zeros(())
    for sample, vector in zip(batch, vectors.float(), strict=True):
        shares = torch.log_softmax(SHARPNESS * (sample.records @ vector), 0)
        total = total - shares[sample.evidence].mean()
    return total / len(batch)


def recall_of(delta: Path | None, samples: Sequence[Sample], k: int = 10) -> dict[str, float]:
    """The mean share of the evidence among the k nearest records, by the model as it runs, by data set."""
    embedder = plain_embedder(delta)
    found: dict[str, list[float]] = {}
    for sample in samples:
        cosines = sample.asking.records @ embedder.embed_query(bare_question(sample.asking.text))
        nearest = np.argsort(-cosines, kind="stable")[:k]
        share = float(np.isin(sample.asking.evidence, nearest).mean())
        found.setdefault(sample.asking.data_set, []).append(share)
    return {name: round(100 * float(np.mean(shares)), 1) for name, shares in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deltas", type=Path, help="a folder for them")
    add_files(parser)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.deltas.mkdir(parents=True, exist_ok=True)
    files = files_of(arguments)
    askings = [
        each
        for name, paths in files.items()
        for each in collect_askings(name, paths, embedder=plain_embedder(), store_dir=arguments.store_dir)
    ]
    folds = folds_of(askings)
    write_folds(arguments.deltas, files, askings, folds)
    samples = samples_of(askings)
    for out in (*range(FOLDS), ALL, *dict.fromkeys(each.data_set for each in askings)):
        path = delta_path(arguments.deltas, out)
        if path.exists():
            continue
        began = time.perf_counter()
        is_out = [out in (fold, each.asking.data_set) for each, fold in zip(samples, folds, strict=True)]
        seen = [sample for sample, left in zip(samples, is_out, strict=True) if not left]
        held = [sample for sample, left in zip(samples, is_out, strict=True) if left]
        tune(require_model(DEFAULT_MODEL).model, seen, loss_of, arguments.seed).delta().save(path)
        print(
            f"without {out}: {time.perf_counter() - began:.0f} s, {path.stat().st_size:,} bytes", flush=True
        )
        if held:
            print(
                f"  recall@10 by cosine alone: {recall_of(None, held)} -> {recall_of(path, held)}", flush=True
            )


if __name__ == "__main__":
    main()
