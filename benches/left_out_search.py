"""`Memory.search` as it would be if it had seen nothing of a question: what late_interaction.py and rerank_budgets.py
judge whole searches with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fit_tuned import as_json, show
from memspan.fitting.cross_validation import figures_of, mean_of
from memspan.formats.questions import LabelledQuestion
from memspan.memory import Memory
from memspan.ranking.late_ranker import LateRanker
from memspan.ranking.planned import late_weights_for
from memspan.ranking.ranker import Ranker
from memspan.remember.searching.asking import Asked, asked
from memspan.remember.searching.recall import Recalls
from memspan.remember.searching.searching import search
from question_folds import FoldedEmbedder, delta_path, plain_embedder
from token_records import token_embedder, visit

Figures: TypeAlias = "dict[str, list[tuple[str, list[float]]]]"
"""By data set: the category and the figures of each question."""

Use: TypeAlias = "Callable[[str, LabelledQuestion, Recalls], None]"
"""Takes the name of the data set, a question, and what is found for it."""

DEEPEST = 50


def note(figures: Figures, data_set: str, category: str, ranks: NDArray[np.int64], evidence: int) -> None:
    figures.setdefault(data_set, []).append((category, figures_of(ranks, evidence)))


def told(title: str, figures: Figures) -> dict[str, Any]:
    """Print the means, and return them for JSON."""
    quality = {name: mean_of(np.array([row for _, row in rows])) for name, rows in figures.items()}
    show(title, quality)
    found = {}
    for name, rows in figures.items():
        categories = {
            category: mean_of(np.array([row for each, row in rows if each == category]))
            for category in dict.fromkeys(each for each, _ in rows)
        }
        line = ", ".join(f"{each} {100 * one.recall[10]:.1f}" for each, one in categories.items())
        print(f"  {name} R@10: {line}", flush=True)
        found[name] = {
            **as_json(quality[name]),
            "categories": {each: as_json(one) for each, one in categories.items()},
        }
    return found


@dataclass
class LeftOutSearch:
    """Searches of questions, each without its part.

    Args:
        deltas: what tune_questions.py and tune_tokens.py wrote.
        part_of: the part of a conversation, by data set and name.
        rankers, late_rankers: by part, what was learned without it.
        rerank_ms: budget of the reranker; 0: none.
        explain: whether what is found is explained.
    """

    deltas: Path
    part_of: Callable[[str, str], object]
    rankers: Mapping[object, Ranker]
    late_rankers: Mapping[object, LateRanker]
    rerank_ms: int = 0
    explain: bool = False

    def figures(self, files: Mapping[str, Sequence[Path]], store_dir: Path | None) -> Figures:
        found: Figures = {}

        def use(name: str, question: LabelledQuestion, recalls: Recalls) -> None:
            ranks = np.flatnonzero([recall.id in question.evidence for recall in recalls]) + 1
            note(found, name, question.category, ranks, len(question.evidence))

        self.visit(files, store_dir, use)
        return found

    def visit(self, files: Mapping[str, Sequence[Path]], store_dir: Path | None, use: Use) -> None:
        """Show what is found for every question."""
        embedders = {part: token_embedder(self.deltas, str(part)) for part in self.rankers}

        def look(memory: Memory, name: str, question: LabelledQuestion) -> None:
            part = self.part_of(name, question.user)
            use(name, question, self._search(memory, question, part, embedders[part]))

        for name, paths in files.items():
            whole_set = name in self.rankers
            embedder = (
                plain_embedder(delta_path(self.deltas, name)) if whole_set else FoldedEmbedder(self.deltas)
            )
            visit({name: paths}, look, embedder=embedder, store_dir=store_dir)

    def _search(self, memory: Memory, question: LabelledQuestion, part: object, tokens: Any) -> Recalls:
        prepared = asked(
            memory._engine,
            question.text,
            user=question.user,
            now=question.now,
            views=None,
            exclude=(),
            fusion=None,
            ranker=self.rankers[part],
            rerank_ms=self.rerank_ms,
            arguments={**_arguments(question), "explain": self.explain},
        )
        return search(memory._engine, self._looking(prepared, part, tokens), memory._second_look)

    def _looking(self, prepared: Asked, part: object, tokens: Any) -> Asked:
        """With a look at tokens that has not seen the part either."""
        if prepared.plan is None or prepared.late_look is None:
            raise ValueError("the memory has no token vectors; `memspan models pull` fetches their model")
        weights = late_weights_for(
            prepared.plan, self.rankers[part], self.late_rankers[part], prepared.conditions
        )
        look = replace(
            prepared.late_look, weights=weights, question=tokens.embed_query(prepared.plan.semantic)
        )
        return replace(prepared, late_look=look, arguments={**prepared.arguments, "features": True})


def _arguments(question: LabelledQuestion) -> dict[str, Any]:
    between = None if question.until is None else (None, question.until)
    unset = dict.fromkeys(("as_of", "valid_at", "kinds", "where"))
    return {**unset, "between": between, "k": DEEPEST, "require_tags": (), "neighbors": 0, "route": 0,
            "track": False}  # fmt: skip
