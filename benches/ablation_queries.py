"""What each idea of a search is worth that needs no learning: it is taken away when the question is asked.

    python benches/ablation_queries.py --locomo locomo5.json --realtalk Chat_*.json --beam 100K/*/chat.json [--out FILE]

Searches are those of `Memory.search` with the packaged weights, which have seen these conversations, and a plan in
which one thing is changed. Each question is asked for ten and for as many as its plan wants. The interval is that of
the difference between the questions' own figures (paired bootstrap, 95 %), once over all questions and once over those
whose plan has the idea at all.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ablation import interval
from fit_tuned import add_files, files_of
from memspan import Memory
from memspan.evaluate.metrics import recall_at, reciprocal_rank
from memspan.evaluate.run import evaluate
from memspan.formats.questions import LabelledQuestion
from memspan.recall import Plan
from memspan.recall.plan import ViewWeights
from memspan.recall.planner import plan_by_rules
from memspan.remember.searching.asking import when_asked
from memspan.remember.searching.recall import Recalls

Change = Callable[[Plan], Plan]

FIGURES = ("R@1", "R@10", "MRR", "R, plan's depth")
TITLES = {"locomo": "LoCoMo", "realtalk": "REALTALK", "beam": "BEAM 100K"}
TOKENS = "the look at tokens"
NOTHING = "+0.0 (+0.0, +0.0)"


def asked_whole(plan: Plan) -> Plan:
    """With what the question says about itself."""
    names = plan.lexical[len(plan.semantic) :]
    return replace(plan, semantic=plan.question, lexical=plan.question + names)


def nameless(plan: Plan) -> Plan:
    """Without names, and without their spelling behind the words; a speaker's name in the question still lifts."""
    return replace(plan, names=(), lexical=plan.semantic)


def timeless(plan: Plan) -> Plan:
    """Without times, and without what a question for all of a time changes because of them."""
    steps = plan.spread and plan.kind == "order"
    return replace(plan, intervals=(), weights=ViewWeights(), smoothing=1.0, spread=steps)


CHANGES: dict[str, Change] = {
    TOKENS: lambda plan: plan,
    "sessions of listings": lambda plan: replace(plan, sessions=1),
    "time apart for orders": lambda plan: replace(plan, spread=False),
    "repetitions stand back": lambda plan: replace(plan, distinct=False),
    "the bare question": asked_whole,
    "names": nameless,
    "times": timeless,
}


class Asked(NamedTuple):
    """One question: its figures as it is, and without each idea."""

    whole: list[float]
    without: dict[str, list[float]]
    touched: frozenset[str]
    """The ideas that its plan has."""
    moved: frozenset[str]
    """The ideas without which other records, or the same in another order, come back."""


class Found(NamedTuple):
    """What came back for a question."""

    ten: Recalls
    ids: tuple[list[str], list[str]]
    """Of the best ten, and of as many as the plan wants."""
    figures: list[float]


@dataclass
class Asker:
    """Asks each question in all ways when `evaluate` asks it."""

    found: dict[tuple[str, str], Asked] = field(default_factory=dict)

    def __call__(
        self, memory: Memory, question: LabelledQuestion, k: int, options: Mapping[str, Any]
    ) -> Recalls:
        if not (question.answerable and question.evidence):
            return Recalls()
        index = memory._engine.current()
        plan = plan_by_rules(
            question.text,
            now=when_asked(index, question.user, question.now),
            vocabulary=memory._engine.vocabularies.of(index, question.user),
        )
        whole = found_for(memory, question, plan)
        without = dict.fromkeys(CHANGES, whole)
        touched = set[str]()
        for name, change in CHANGES.items():
            changed = change(plan)
            if name == TOKENS:
                with without_tokens(memory):
                    without[name] = found_for(memory, question, plan)
            elif changed != plan:
                without[name] = found_for(memory, question, changed)
            else:
                continue
            touched.add(name)
        self.found[question.user, question.id] = Asked(
            whole.figures,
            {name: each.figures for name, each in without.items()},
            frozenset(touched),
            frozenset(name for name, each in without.items() if each.ids != whole.ids),
        )
        return whole.ten


def found_for(memory: Memory, question: LabelledQuestion, plan: Plan) -> Found:
    def search(k: int | None) -> Recalls:
        between = None if question.until is None else (None, question.until)
        return memory.search(question.text, user=question.user, k=k, between=between, plan=plan, track=False)

    relevant, best = question.evidence, search(10)
    ten, deep = [recall.id for recall in best], [recall.id for recall in search(None)]
    at = [recall_at(relevant, ten, 1), recall_at(relevant, ten, 10), reciprocal_rank(relevant, ten)]
    return Found(best, (ten, deep), [*at, recall_at(relevant, deep, plan.k)])


@contextmanager
def without_tokens(memory: Memory) -> Iterator[None]:
    tokens, memory._engine.tokens = memory._engine.tokens, None
    try:
        yield
    finally:
        memory._engine.tokens = tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_files(parser)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    lines: list[str] = []
    for name, paths in files_of(arguments).items():
        asker = Asker()
        evaluate(name, paths, ks=(10,), store_dir=arguments.store_dir, ask=asker)
        lines += table(TITLES[name], list(asker.found.values()))
        print("\n".join(lines), flush=True)
    if arguments.out:
        arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def table(title: str, asked: list[Asked]) -> list[str]:
    whole = np.array([each.whole for each in asked])
    means = [f"{100 * value:.1f}" for value in whole.mean(axis=0)]
    lines = [
        f"### {title} (n = {len(asked)})",
        "",
        "| without | "
        + " | ".join(FIGURES)
        + " | have it / answers that change | "
        + " | ".join(FIGURES)
        + " |",
        "|---" * (2 + 2 * len(FIGURES)) + "|",
        "| (nothing) | " + " | ".join(means) + " |" * (2 + len(FIGURES)),
    ]
    for name in CHANGES:
        loss = np.array([each.without[name] for each in asked]) - whole
        own = np.array([name in each.touched for each in asked])
        changed = sum(name in each.moved for each in asked)
        cells = [*intervals(loss), f"{own.sum()} / {changed}"]
        cells += intervals(loss[own]) if own.any() and not own.all() else [""] * len(FIGURES)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def intervals(loss: NDArray[np.float64]) -> list[str]:
    return [interval(column).replace(NOTHING, "0") for column in loss.T]


if __name__ == "__main__":
    main()
