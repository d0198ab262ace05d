"""What each idea of the learned ranking is worth: it is taken away, and everything is learned anew without it.

    python benches/ablation.py DELTAS --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json [--out FILE]

DELTAS is what tune_questions.py wrote. Every question is embedded by a model that was tuned, and ranked by weights
and a net that were learned, without its conversation. The interval is that of the difference between the questions'
own figures with and without the idea (paired bootstrap, 95 %): an idea whose interval holds 0 has not been shown to
help there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fit_tuned import add_files, files_of
from memspan.fitting.cross_validation import Parts
from memspan.fitting.examples import Example, collect
from memspan.fitting.ranker import fit_ranker
from memspan.fitting.weights import scores_of
from memspan.ranking import FEATURES, Condition
from question_folds import FoldedEmbedder, plain_embedder

_DRAWS = 2000
_DEPTH = 10

FEATURE_GROUPS: dict[str, tuple[str, ...]] = {
    "meaning (cosine of the record)": ("cosine", "cosine_z", "cosine_rank", "cosine_top"),
    "words (BM25 of the record)": ("bm25_z", "bm25_share", "coverage", "bm25_rank", "bm25_top"),
    "turns before and after": (
        "before_cosine", "after_cosine", "before_bm25", "after_bm25", "near_cosine", "near_bm25",
        "with_before", "with_after",
    ),
    "the session": ("session_cosine", "session_cosines", "session_bm25", "session_bm25s", "session_coverage"),
    "names and roles": ("named", "other_named", "from_user"),
    "questions among the turns": ("asks", "has_question", "after_question"),
    "length": ("length", "short_text"),
    "times that the question speaks of": ("hinted",),
    "ranks beside scores": ("cosine_rank", "cosine_top", "bm25_rank", "bm25_top"),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deltas", type=Path)
    add_files(parser)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    files = files_of(arguments)

    def asked_by(embedder: Any) -> list[Example]:
        where = {"embedder": embedder, "store_dir": arguments.store_dir}
        return [each for name, paths in files.items() for each in collect(name, paths, **where)]

    tuned, plain = asked_by(FoldedEmbedder(arguments.deltas)), asked_by(plain_embedder())
    parts = Parts.of([(each.data_set, each.conversation) for each in tuned], "conversation")
    folds = [(part, tuned) for part in parts.names]

    whole = judge(folds, parts, lambda example: example)
    rows = {"everything": whole}
    rows["tuned questions"] = judge([(part, plain) for part in parts.names], parts, lambda each: each)
    rows["the small net"] = judge(folds, parts, lambda each: each, net=False)
    for title, names in FEATURE_GROUPS.items():
        rows[title] = judge(folds, parts, without_features(names))
    rows["kinds of question"] = judge(folds, parts, without_conditions)
    text = "\n".join(tables(rows, plain))
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8")


def judge(folds, parts: Parts, change: Callable[[Example], Example], *, net: bool = True) -> np.ndarray:
    """Shape (questions, 3): recall at 1 and at 10, and the reciprocal rank, each by a ranker that has not seen it."""
    found: dict[int, tuple[float, float, float]] = {}
    for part, examples in folds:
        changed = [change(each) for each in examples]
        own = [parts(each.data_set, each.conversation) == part for each in changed]
        ranker = fit_ranker([each for each, left in zip(changed, own, strict=True) if not left], net=net)
        for place, (each, left) in enumerate(zip(changed, own, strict=True)):
            if left:
                found[place] = figures(each, scores_of(ranker, each))
    return np.array([found[place] for place in range(len(found))])


def figures(example: Example, scores: np.ndarray) -> tuple[float, float, float]:
    ranks = np.flatnonzero(example.relevant[np.argsort(-scores, kind="stable")]) + 1
    first = float((ranks <= 1).sum()) / example.evidence
    best = float((ranks <= _DEPTH).sum()) / example.evidence
    return first, best, 1.0 / float(ranks[0]) if len(ranks) else 0.0


def without_features(names: Sequence[str]) -> Callable[[Example], Example]:
    columns = [FEATURES.index(name) for name in names]

    def change(example: Example) -> Example:
        rows = example.features.copy()
        rows[:, columns] = 0.0
        return replace(example, features=rows)

    return change


def without_conditions(example: Example) -> Example:
    none: tuple[Condition, ...] = ()
    return replace(example, conditions=none)


def tables(rows: dict[str, np.ndarray], examples: Sequence[Example]) -> list[str]:
    lines = []
    for data_set in dict.fromkeys(each.data_set for each in examples):
        own = [place for place, each in enumerate(examples) if each.data_set == data_set]
        categories = sorted({examples[place].category for place in own})
        groups = {"all": own}
        groups |= {name: [place for place in own if examples[place].category == name] for name in categories}
        lines += [
            f"## {data_set}",
            "",
            "| without | R@1 | R@10 | MRR | " + " | ".join(f"R@10, {name}" for name in categories) + " |",
        ]
        lines.append("|---" * (4 + len(categories)) + "|")
        counts = " | ".join(f"n = {len(groups[name])}" for name in categories)
        lines.append(
            f"| (nothing) | {whole(rows, own, 0)} | {whole(rows, own, 1)} | {whole(rows, own, 2)} | "
            + " | ".join(whole(rows, groups[name], 1) for name in categories)
            + " |"
        )
        lines.append(f"| | n = {len(own)} | | | {counts} |")
        for title, figure in rows.items():
            if title == "everything":
                continue
            loss = figure - rows["everything"]
            cells = [interval(loss[own, column]) for column in (0, 1, 2)]
            cells += [interval(loss[groups[name], 1]) for name in categories]
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def whole(rows: dict[str, np.ndarray], places: Sequence[int], column: int) -> str:
    return f"{100 * rows['everything'][places, column].mean():.1f}"


def interval(differences: np.ndarray) -> str:
    """The mean difference in points, and the 95 % interval of it."""
    draws = np.random.default_rng(0).integers(len(differences), size=(_DRAWS, len(differences)))
    low, high = np.percentile(differences[draws].mean(axis=1), [2.5, 97.5])
    mark = "**" if low > 0 or high < 0 else ""
    return f"{mark}{100 * differences.mean():+.1f}{mark} ({100 * low:+.1f}, {100 * high:+.1f})"


if __name__ == "__main__":
    main()
