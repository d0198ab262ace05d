"""What a reranker does to a ranking when its budget ends early: recall and MRR by how many records it had scored.

    python benches/rerank_budgets.py --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json \\
        [--left-out DELTAS] [--out FILE]

Every question is searched for once, with all the time there is, and ranked anew from the scores of the first n records
alone, as if the budget had ended there. What ships searches, whose weights have seen these conversations; or, with
what tune_questions.py and tune_tokens.py wrote to DELTAS, what has not. Beside the difference to the ranking that the
reranker was given stands its 95 % interval (paired bootstrap over the questions): where that lies below 0, stopping
there is worse than not to rerank.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ablation import interval
from fit_tuned import add_files, files_of
from late_interaction import Collector, late_rankers, left_out
from left_out_search import LeftOutSearch, Use
from memspan.embed.resolve import resolve_embedder
from memspan.fitting.cross_validation import DEPTHS, figures_of
from memspan.formats.questions import LabelledQuestion
from memspan.memory import Memory
from memspan.remember.searching.recall import Recalls
from memspan.remember.searching.reranking import CANDIDATES, MAX_RERANK_MS
from memspan.rerank.pace import Pace
from memspan.rerank.reordering import reorder
from token_records import token_embedder, visit

SCORED = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, CANDIDATES)
DEEPEST = 50


class Remembered:
    """A reranker that has said it all before; passages are places in the ranking."""

    def __init__(self, said: Sequence[float]) -> None:
        self._said = said

    @property
    def name(self) -> str:
        return "remembered"

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self._said[int(place)] for place in passages], np.float32)


def cut_short(recalls: Recalls, scored: int) -> list[str]:
    """Ids in the order that the ranking has when so many of its records were scored."""
    seen = sorted(
        ((each.explanation or {})["reranker"] | {"id": each.id} for each in recalls), key=_rank_before
    )
    said = [each["said"] for each in seen if each["said"] is not None]
    again = reorder(
        Remembered(said),
        Pace(),
        "",
        [str(place) for place in range(min(scored, len(said)))],
        np.array([each["score_before"] for each in seen]),
        MAX_RERANK_MS,
    )
    return [seen[place]["id"] for place in again.order]


def _rank_before(seen: dict[str, float]) -> float:
    return seen["rank_before"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_files(parser)
    parser.add_argument("--left-out", type=Path, metavar="DELTAS")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    figures: dict[str, dict[int, list[list[float]]]] = {}
    began = perf_counter()

    def use(name: str, question: LabelledQuestion, recalls: Recalls) -> None:
        for scored in SCORED:
            ids = cut_short(recalls, scored)
            ranks = np.flatnonzero([id_ in question.evidence for id_ in ids]) + 1
            own = figures_of(ranks, len(question.evidence))
            figures.setdefault(name, {}).setdefault(scored, []).append(own)

    files, store_dir = files_of(arguments), arguments.store_dir
    if arguments.left_out is None:
        visit_as_shipped(files, store_dir, use)
    else:
        visit_left_out(arguments.left_out, files, store_dir, use)
    lines = page(figures)
    print("\n".join(lines), f"\n{perf_counter() - began:.0f} s")
    if arguments.out is not None:
        arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def visit_as_shipped(files: Mapping[str, Sequence[Path]], store_dir: Path | None, use: Use) -> None:
    def look(memory: Memory, name: str, question: LabelledQuestion) -> None:
        between = None if question.until is None else (None, question.until)
        recalls = memory.search(question.text, user=question.user, k=DEEPEST, now=question.now, between=between,
                                rerank_ms=MAX_RERANK_MS, explain=True, track=False)  # fmt: skip
        use(name, question, recalls)

    visit(files, look, embedder=resolve_embedder(), store_dir=store_dir)


def visit_left_out(
    deltas: Path, files: Mapping[str, Sequence[Path]], store_dir: Path | None, use: Use
) -> None:
    collect = Collector(files, store_dir, token_embedder(deltas, threads=2))
    left = left_out(deltas, collect, data_sets=False)["conversation"]
    late = late_rankers(left, left.questions)
    LeftOutSearch(deltas, left.part_of, left.rankers, late, MAX_RERANK_MS, explain=True).visit(
        files, store_dir, use
    )


def page(figures: dict[str, dict[int, list[list[float]]]]) -> list[str]:
    columns = ("R@1", "R@5", "R@10", "MRR")
    places = [DEPTHS.index(depth) for depth in (1, 5, 10)] + [len(DEPTHS)]
    lines = []
    for name, by_count in figures.items():
        base = np.array(by_count[0])[:, places]
        lines += [
            f"### {name} (n = {len(base)})",
            "",
            "| scored | " + " | ".join(columns) + " |",
            "|---" * (1 + len(columns)) + "|",
            "| none | " + " | ".join(f"{100 * mean:.1f}" for mean in base.mean(axis=0)) + " |",
        ]
        for scored in SCORED[1:]:
            gained = np.array(by_count[scored])[:, places] - base
            lines.append(f"| {scored} | " + " | ".join(interval(column) for column in gained.T) + " |")
        lines.append("")
    return lines


if __name__ == "__main__":
    main()
