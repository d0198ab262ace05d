"""Learn what late interaction needs besides its model: the projection of tokens, and how questions are embedded.

    pip install torch
    python benches/tune_tokens.py DELTAS --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json

Writes `projection.npz`: the directions in which the tokens of all records vary most, with no label seen. Then deltas
of the question side: five, each learned without a fold of the conversations (question_folds.py), and one without each
data set, for late_interaction.py; and `tokens-without-all.npz`, learned from all, which is shipped with the projection.
Files that are there already stay. The loss is that of tune_questions.py with MaxSim for the cosine. The records are
read twice, which takes some minutes on one core; a delta takes one to four.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.nn import functional

from fit_tuned import add_files, files_of
from memspan.embed.late.model import FRAME_TOKENS, LateModel
from memspan.embed.late.onnx import OnnxTokenEmbedder
from memspan.embed.late.projection import Projection
from memspan.embed.models import require_model
from memspan.embed.registry import DEFAULT_TOKEN_MODEL, TOKEN_MODELS
from memspan.formats.questions import LabelledQuestion
from memspan.memory import Memory
from memspan.ranking.late import TokenBlocks, max_similarities
from memspan.recall.wording import bare_question
from question_encoder import QuestionEncoder
from question_folds import ALL, FOLDS, folds_of
from question_tuning import SHARPNESS, tune
from token_records import projection_path, texts_of, token_delta_path, token_embedder, visit

WIDTH = 384  # of the model's states
BEFORE = 2  # tokens before a question's own: [CLS] and the marker
SPEC = TOKEN_MODELS[DEFAULT_TOKEN_MODEL]


@dataclass(frozen=True)
class Asked:
    """A question and the places of its evidence among the records of its conversation."""

    data_set: str
    conversation: str
    text: str
    evidence: list[int]


@dataclass(frozen=True)
class Records:
    """The token vectors of all records of a conversation."""

    stored: list[TokenBlocks]
    vectors: torch.Tensor  # (tokens, dim), of length 1
    record: torch.Tensor  # of each token


@dataclass(frozen=True)
class Sample:
    """A question as the model reads it."""

    asked: Asked
    tokens: list[int]
    records: Records


Conversations = dict[tuple[str, str], dict[str, str]]


def read(files: Mapping[str, Sequence[Path]], store_dir: Path | None) -> tuple[list[Asked], Conversations]:
    """Questions with evidence, and by data set and conversation the texts of all records."""
    found: list[Asked] = []
    texts: Conversations = {}
    places: dict[tuple[str, str], dict[str, int]] = {}

    def look(memory: Memory, data_set: str, question: LabelledQuestion) -> None:
        of = (data_set, question.user)
        if of not in texts:
            texts[of] = texts_of(memory, question.user)
            places[of] = {id_: place for place, id_ in enumerate(texts[of])}
        evidence = sorted(places[of][id_] for id_ in question.evidence if id_ in places[of])
        if evidence:
            found.append(Asked(*of, bare_question(question.text), evidence))

    visit(files, look, store_dir=store_dir)
    return found, texts


def projection_of(texts: Conversations) -> NDArray[np.float16]:
    """The main directions of the states of all tokens that get a vector: eigenvectors of the sum of their outer
    products."""
    files = require_model(DEFAULT_TOKEN_MODEL)
    model = LateModel(files.model, files.tokenizer, Projection(np.eye(WIDTH)), SPEC.max_tokens)
    most = SPEC.max_tokens - FRAME_TOKENS
    moment = np.zeros((WIDTH, WIDTH))
    for of_id in texts.values():
        # Rounded to bytes, which adds the same to all directions.
        found = [model.document(text, most, SPEC.max_vectors) for text in of_id.values()]
        states = np.concatenate(found).astype(np.float64)
        states /= np.linalg.norm(states, axis=1, keepdims=True)
        moment += states.T @ states
    return np.linalg.eigh(moment).eigenvectors[:, ::-1][:, : SPEC.dim].astype(np.float16)


def records_of(embedder: OnnxTokenEmbedder, texts: Sequence[str]) -> Records:
    stored = embedder.embed_documents(texts)
    vectors = torch.from_numpy(np.concatenate(stored).astype(np.float32))
    record = np.repeat(np.arange(len(stored)), [len(each) for each in stored])
    return Records(
        [*map(TokenBlocks, stored)], functional.normalize(vectors, dim=1).bfloat16(), torch.from_numpy(record)
    )


def samples_of(asked: Sequence[Asked], records: Mapping[tuple[str, str], Records]) -> list[Sample]:
    tokenizer = Tokenizer.from_file(str(require_model(DEFAULT_TOKEN_MODEL).tokenizer))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    first, marker, last = (tokenizer.token_to_id(token) for token in ("[CLS]", "[unused0]", "[SEP]"))
    samples = []
    for each in asked:
        own = tokenizer.encode(each.text, add_special_tokens=False).ids
        tokens = [first, marker, *own[: SPEC.max_question_tokens - FRAME_TOKENS], last]
        samples.append(Sample(each, tokens, records[each.data_set, each.conversation]))
    return samples


def similarities(records: Records, question: torch.Tensor) -> torch.Tensor:
    """MaxSim of each record, as `memspan.ranking.late.max_similarities`; -1 without tokens."""
    cosines = (records.vectors @ question.bfloat16().T).float()
    best = torch.full((len(records.stored), len(question)), -1.0)
    return best.scatter_reduce(0, records.record[:, None].expand_as(cosines), cosines, "amax").mean(1)


@dataclass(frozen=True)
class MaxSimLoss:
    """Minus the logarithm of the share of a question's evidence in a softmax of MaxSim over its conversation."""

    projection: torch.Tensor

    def __call__(self, encoder: QuestionEncoder, batch: Sequence[Sample]) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            states = encoder.states([each.tokens for each in batch])
        total = torch.zeros(())
        for sample, found in zip(batch, states.float(), strict=True):
            own = functional.normalize(found[BEFORE : len(sample.tokens) - 1], dim=1)
            question = functional.normalize(own @ self.projection, dim=1)
            shares = torch.log_softmax(SHARPNESS * similarities(sample.records, question), 0)
            total = total - shares[sample.asked.evidence].mean()
        return total / len(batch)


def recall_of(embedder: OnnxTokenEmbedder, samples: Sequence[Sample], k: int = 10) -> dict[str, float]:
    """The mean share of the evidence among the k best records by MaxSim alone, by the model as it runs, by data set."""
    found: dict[str, list[float]] = {}
    for sample in samples:
        said = max_similarities(embedder.embed_query(sample.asked.text), sample.records.stored)
        best = np.argsort(-said, kind="stable")[:k]
        share = float(np.isin(sample.asked.evidence, best).mean())
        found.setdefault(sample.asked.data_set, []).append(share)
    return {name: round(100 * float(np.mean(shares)), 1) for name, shares in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deltas", type=Path, help="a folder for them")
    add_files(parser)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    deltas = arguments.deltas
    deltas.mkdir(parents=True, exist_ok=True)
    asked, texts = read(files_of(arguments), arguments.store_dir)
    if not projection_path(deltas).exists():
        np.savez_compressed(projection_path(deltas), projection=projection_of(texts))
    plain = token_embedder(deltas, threads=arguments.threads)
    records = {of: records_of(plain, list(of_id.values())) for of, of_id in texts.items()}
    samples, folds = samples_of(asked, records), folds_of(asked)
    loss = MaxSimLoss(torch.from_numpy(np.load(projection_path(deltas))["projection"].astype(np.float32)))
    for out in (*range(FOLDS), ALL, *dict.fromkeys(each.data_set for each in asked)):
        path = token_delta_path(deltas, out)
        if path.exists():
            continue
        began = time.perf_counter()
        is_out = [out in (fold, each.data_set) for each, fold in zip(asked, folds, strict=True)]
        seen = [sample for sample, left in zip(samples, is_out, strict=True) if not left]
        held = [sample for sample, left in zip(samples, is_out, strict=True) if left]
        model = require_model(DEFAULT_TOKEN_MODEL).model
        tune(model, seen, loss, arguments.seed).delta().save(path)
        print(
            f"without {out}: {time.perf_counter() - began:.0f} s, {path.stat().st_size:,} bytes", flush=True
        )
        if held:
            tuned = recall_of(token_embedder(deltas, out), held)
            print(f"  recall@10 by MaxSim alone: {recall_of(plain, held)} -> {tuned}", flush=True)


if __name__ == "__main__":
    main()
