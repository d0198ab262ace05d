"""Learn how tokens count beside all else that a ranking sees, and judge it on questions that nothing of it has seen.

    python benches/late_interaction.py DELTAS --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json \\
        --out weights-tokens.json --json left_out.json

DELTAS is what tune_questions.py and tune_tokens.py wrote there. A question is ranked by weights that were learned
without its part (conversations dealt to five parts, or a whole data set), and asked by both models with the deltas that
were tuned without it; its best records move by weights that were learned from the other parts. "Searched" is the same
by `Memory.search`, with what it does besides: which of the scored come back, and the reranker. The number that the rank
by tokens counts, and the share of both, have seen all parts. The projection of tokens has seen all records too, but no
label.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fit_tuned import add_files, files_of
from left_out_search import Figures, LeftOutSearch, note, told
from memspan.embed.late.onnx import OnnxTokenEmbedder
from memspan.fitting.cross_validation import ranks_of
from memspan.fitting.examples import Example, example_with_ids
from memspan.fitting.ranker import fit_ranker
from memspan.fitting.weights import fit_weights, scores_of
from memspan.formats.questions import LabelledQuestion
from memspan.memory import Memory
from memspan.ranking.late import LOOKED_AT, TokenBlocks, late_features, max_similarities
from memspan.ranking.late_ranker import LOOKED_AT_FEATURES, SHARE, LateRanker, LateWeights
from memspan.ranking.ranker import Ranker
from memspan.recall.wording import bare_question
from question_folds import FoldedEmbedder, delta_path, folds_of, plain_embedder
from token_records import texts_of, token_embedder, visit

Vectors = dict[str, TokenBlocks]  # by id

SHARES = {"without": None, "by rank": 0.0, "by weights": 1.0, "shipped": SHARE}
"""What weights count against the score and the rank by tokens; `None`: no look."""


@dataclass(frozen=True)
class Asked:
    """A question and its candidates."""

    text: str
    example: Example
    ids: list[str]


@dataclass(frozen=True)
class Ranked:
    """A question as the ranking and the tokens see it without its part."""

    part: object
    example: Example
    scores: NDArray[np.float64]
    best: NDArray[np.int64]
    """Places of the best candidates by score."""
    said: NDArray[np.float32]
    """MaxSim of these."""

    def looked_at(self) -> Example:
        """The best candidates, with what tokens say of them."""
        there = ~np.isnan(self.said)
        best = self.best[there]
        features = np.concatenate([self.example.features[best], late_features(self.said[there])], axis=1)
        return replace(self.example, features=features, relevant=self.example.relevant[best])

    def moved(self, ranker: LateRanker, share: float) -> NDArray[np.float32]:
        """The scores of all candidates after the look."""
        scores = self.scores.copy()
        weights = LateWeights(ranker.row(self.example.conditions), share=share)
        features = self.example.features[self.best]
        scores[self.best] += weights.added(scores[self.best], features, self.said)
        return scores.astype(np.float32)


@dataclass
class LeftOut:
    """Questions, each ranked without its part, and what ranked them."""

    questions: list[Ranked] = field(default_factory=list)
    rankers: dict[object, Ranker] = field(default_factory=dict)
    """By part."""

    def part_of(self, data_set: str, conversation: str) -> object:
        """The part that a conversation was left out with."""
        return self._parts[data_set, conversation]

    @cached_property
    def _parts(self) -> dict[tuple[str, str], object]:
        return {(each.example.data_set, each.example.conversation): each.part for each in self.questions}


@dataclass
class Collector:
    """Questions with their candidates; and the token vectors of their conversations, each embedded once."""

    files: Mapping[str, Sequence[Path]]
    store_dir: Path | None
    documents: OnnxTokenEmbedder
    vectors: dict[tuple[str, str], Vectors] = field(default_factory=dict)

    def __call__(self, embedder: Any, names: Iterable[str]) -> list[Asked]:
        """The questions of these data sets, embedded by `embedder`."""
        found: list[Asked] = []

        def look(memory: Memory, data_set: str, question: LabelledQuestion) -> None:
            if (data_set, question.user) not in self.vectors:
                texts = texts_of(memory, question.user)
                made = self.documents.embed_documents(list(texts.values()))
                self.vectors[data_set, question.user] = dict(zip(texts, map(TokenBlocks, made), strict=True))
            found.append(asked_of(memory, data_set, question))

        visit({name: self.files[name] for name in names}, look, embedder=embedder, store_dir=self.store_dir)
        return found


def asked_of(memory: Memory, data_set: str, question: LabelledQuestion) -> Asked:
    return Asked(bare_question(question.text), *example_with_ids(memory, question, data_set))


def ranked_of(
    each: Asked, part: object, ranker: Ranker, embedder: OnnxTokenEmbedder, vectors: Vectors
) -> Ranked:
    scores = scores_of(ranker, each.example).astype(np.float64)
    best = np.argsort(-scores, kind="stable")[:LOOKED_AT]
    records = [vectors[each.ids[place]] for place in best]
    return Ranked(
        part, each.example, scores, best, max_similarities(embedder.embed_query(each.text), records)
    )


def left_out(deltas: Path, collect: Collector, data_sets: bool = True) -> dict[str, LeftOut]:
    """All questions, by what is left out: their conversations, or, if wanted, their data sets, of several."""
    everything = collect(FoldedEmbedder(deltas), collect.files)
    folds = folds_of([each.example for each in everything])

    def add(to: LeftOut, held: Sequence[Asked], seen: Sequence[Asked], out: int | str) -> None:
        to.rankers[out] = fit_ranker([each.example for each in seen])
        embedder = token_embedder(deltas, out)
        for each in held:
            vectors = collect.vectors[each.example.data_set, each.example.conversation]
            to.questions.append(ranked_of(each, out, to.rankers[out], embedder, vectors))

    found = {"conversation": LeftOut()}
    for out in sorted(set(folds)):
        held = [each for each, fold in zip(everything, folds, strict=True) if fold == out]
        seen = [each for each, fold in zip(everything, folds, strict=True) if fold != out]
        add(found["conversation"], held, seen, out)
    if data_sets and len(collect.files) > 1:
        found["data_set"] = LeftOut()
        for name in collect.files:
            seen = [each for each in everything if each.example.data_set != name]
            held = collect(plain_embedder(delta_path(deltas, name)), [name])
            add(found["data_set"], held, seen, name)
    return found


def learned(questions: Sequence[Ranked], trained_on: Sequence[str] = ()) -> LateRanker:
    return LateRanker(fit_weights([each.looked_at() for each in questions], LOOKED_AT_FEATURES), trained_on)


def late_rankers(left: LeftOut, seen: Sequence[Ranked]) -> dict[object, LateRanker]:
    """By part, what is learned without it. With a data set left out, that is from the others as they are seen with
    conversations left out, which is what `seen` are.
    """
    return {
        out: learned([each for each in seen if out not in (each.part, each.example.data_set)])
        for out in left.rankers
    }


def judged(questions: Sequence[Ranked], rankers: Mapping[object, LateRanker]) -> dict[str, Any]:
    """Print what comes without the look and with it, and return it for JSON."""
    result: dict[str, Any] = {}
    for name, share in SHARES.items():
        figures: Figures = {}
        for each in questions:
            scores = each.scores.astype(np.float32)
            if share is not None:
                scores = each.moved(rankers[each.part], share)
            note(figures, each.example.data_set, each.example.category, ranks_of(each.example, scores),
                 each.example.evidence)  # fmt: skip
        result[name] = told(name, figures)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deltas", type=Path)
    add_files(parser)
    parser.add_argument("--out", type=Path, help="the table of weights, learned from all parts")
    parser.add_argument("--json", type=Path, help="where to write what was judged")
    parser.add_argument(
        "--rerank-ms", type=int, nargs="*", default=[0], help="budgets of whole searches; 0: none"
    )
    arguments = parser.parse_args()
    collect = Collector(files_of(arguments), arguments.store_dir, token_embedder(arguments.deltas, threads=2))
    ways = left_out(arguments.deltas, collect)
    by_conversation = ways["conversation"].questions
    result = {}
    for way, left in ways.items():
        print(f"\n{way} left out")
        late = late_rankers(left, by_conversation)
        result[way] = judged(left.questions, late)
        for milliseconds in arguments.rerank_ms:
            search = LeftOutSearch(arguments.deltas, left.part_of, left.rankers, late, milliseconds)
            name = f"searched, {milliseconds} ms"
            result[way][name] = told(name, search.figures(collect.files, collect.store_dir))
    if arguments.json:
        arguments.json.write_text(json.dumps({"left_out": result}, indent=1))
    if arguments.out:
        notes = [
            f"{name}: " + ", ".join(path.name for path in paths) for name, paths in collect.files.items()
        ]
        learned(by_conversation, notes).save(arguments.out)


if __name__ == "__main__":
    main()
