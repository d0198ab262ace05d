"""What a look at the tokens of a ranking's best records adds, on questions that nothing of it has seen.

    python benches/late_interaction.py DELTAS --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json

DELTAS is what tune_questions.py and tune_tokens.py wrote there. A question is ranked by weights that were learned
without its part (conversations dealt to five parts, or a whole data set), asked by both models with the deltas that
were tuned without it, and its best records move by how much the other parts say that `-ln(rank by MaxSim)` counts
beside the score; or by the number that is shipped, which has seen all parts. The projection of tokens has seen all
records too, but no label.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from fit_tuned import add_files, as_json, files_of, show
from memspan.embed.late_onnx import OnnxTokenEmbedder
from memspan.fitting.cross_validation import Quality, figures_of, mean_of, ranks_of
from memspan.fitting.examples import Example, example_with_ids
from memspan.fitting.listwise import Lists
from memspan.fitting.ranker import fit_ranker
from memspan.fitting.weights import scores_of
from memspan.formats.questions import LabelledQuestion
from memspan.memory import Memory
from memspan.ranking.late import LOOKED_AT, RANK, added_by_rank, max_similarities
from memspan.ranking.ranker import Ranker
from memspan.recall.wording import bare_question
from question_folds import FoldedEmbedder, delta_path, folds_of, plain_embedder
from token_records import texts_of, token_embedder, visit

Vectors = dict[str, NDArray[np.int8]]  # by id

PLACES = (LOOKED_AT, 48, 100)


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

    def added(self, places: int) -> NDArray[np.float64]:
        """`-ln(rank)` of the first so many, centred."""
        added: NDArray[np.float64] = added_by_rank(self.said[:places]) / RANK
        return added

    def moved(self, places: int, counts: float) -> NDArray[np.float64]:
        """The scores of all candidates after the look at so many."""
        scores: NDArray[np.float64] = self.scores.copy()
        scores[self.best[:places]] += counts * self.added(places)
        return scores


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
                self.vectors[data_set, question.user] = dict(zip(texts, made, strict=True))
            found.append(asked_of(memory, data_set, question))

        visit({name: self.files[name] for name in names}, look, embedder=embedder, store_dir=self.store_dir)
        return found


def asked_of(memory: Memory, data_set: str, question: LabelledQuestion) -> Asked:
    return Asked(bare_question(question.text), *example_with_ids(memory, question, data_set))


def ranked_of(each: Asked, part: object, ranker: Ranker, embedder: OnnxTokenEmbedder, vectors: Vectors,
              most: int) -> Ranked:  # fmt: skip
    scores = scores_of(ranker, each.example).astype(np.float64)
    best = np.argsort(-scores, kind="stable")[:most]
    records = [vectors[each.ids[place]] for place in best]
    return Ranked(
        part, each.example, scores, best, max_similarities(embedder.embed_query(each.text), records)
    )


def left_out(deltas: Path, collect: Collector, most: int) -> dict[str, list[Ranked]]:
    """All questions, by what is left out: their conversations, or their data sets if there are several."""
    everything = collect(FoldedEmbedder(deltas), collect.files)
    folds = folds_of([each.example for each in everything])

    def ranked(held: Sequence[Asked], seen: Sequence[Asked], out: int | str) -> Iterator[Ranked]:
        ranker, embedder = fit_ranker([each.example for each in seen]), token_embedder(deltas, out)
        for each in held:
            vectors = collect.vectors[each.example.data_set, each.example.conversation]
            yield ranked_of(each, out, ranker, embedder, vectors, most)

    found: dict[str, list[Ranked]] = {"conversation": []}
    for out in sorted(set(folds)):
        held = [each for each, fold in zip(everything, folds, strict=True) if fold == out]
        seen = [each for each, fold in zip(everything, folds, strict=True) if fold != out]
        found["conversation"] += ranked(held, seen, out)
    if len(collect.files) > 1:
        found["data_set"] = []
        for name in collect.files:
            seen = [each for each in everything if each.example.data_set != name]
            held = collect(plain_embedder(delta_path(deltas, name)), [name])
            found["data_set"] += ranked(held, seen, name)
    return found


def learned(questions: Sequence[Ranked], places: int) -> float:
    """How much `-ln(rank)` counts beside the score, by the loss that the ranking is learned by, among so many.

    What the score counts is learned too: the rank says in part the same, so that both together would say it twice.
    """
    usable = [each for each in questions if each.example.relevant[each.best[:places]].any()]
    lists = Lists.of([each.example.relevant[each.best[:places]] for each in usable])
    scores = np.concatenate([each.scores[each.best[:places]] for each in usable])
    rows = np.stack([scores, np.concatenate([each.added(places) for each in usable])], axis=1)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, slope = lists.loss((rows @ weights).astype(np.float32))
        return value, slope.astype(np.float64) @ rows

    score, rank = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B").x
    return float(rank / score)


def quality_by_data_set(
    questions: Sequence[Ranked], places: int, counts: Mapping[object, float]
) -> dict[str, Quality]:
    """After a look at so many, where a rank counts for questions of each part what `counts` says."""
    figures: dict[str, list[list[float]]] = {}
    for each in questions:
        scores = each.moved(places, counts[each.part]).astype(np.float32)
        figures.setdefault(each.example.data_set, []).append(
            figures_of(ranks_of(each.example, scores), each.example.evidence)
        )
    return {name: mean_of(np.array(rows)) for name, rows in figures.items()}


def judged(way: str, questions: Sequence[Ranked], all_places: Sequence[int]) -> dict[str, Any]:
    """Print what comes without the look and with it, and return it for JSON."""
    parts = list(dict.fromkeys(each.part for each in questions))

    def told(title: str, places: int, counts: Mapping[object, float]) -> dict[str, Any]:
        found = quality_by_data_set(questions, places, counts)
        show(title, found)
        return {name: as_json(quality) for name, quality in found.items()}

    print(f"\n{way} left out")
    result: dict[str, Any] = {"without": told("without", 0, dict.fromkeys(parts, 0.0)), "places": {}}
    for places in all_places:
        counts = {out: learned([each for each in questions if each.part != out], places) for out in parts}
        together = learned(questions, places)
        result["places"][str(places)] = {
            "shipped": told(f"{places} shipped", places, dict.fromkeys(parts, RANK)),
            "learned": told(f"{places} learned", places, counts),
            "counts": {str(out): value for out, value in counts.items()},
            "counts_of_all": together,
        }
        numbers = ", ".join(f"without {out} {value:.2f}" for out, value in counts.items())
        print(f"  -ln(rank) counts: {numbers}; of all {together:.2f}, shipped {RANK:.2f}", flush=True)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deltas", type=Path)
    add_files(parser)
    parser.add_argument("--places", nargs="+", type=int, default=PLACES, help="how many are looked at")
    parser.add_argument("--json", type=Path, help="where to write all of it")
    arguments = parser.parse_args()
    collect = Collector(files_of(arguments), arguments.store_dir, token_embedder(arguments.deltas, threads=2))
    ways = left_out(arguments.deltas, collect, max(arguments.places))
    result = {way: judged(way, questions, arguments.places) for way, questions in ways.items()}
    if arguments.json:
        arguments.json.write_text(json.dumps({"shipped": RANK, "left_out": result}, indent=1))


if __name__ == "__main__":
    main()
