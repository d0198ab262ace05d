"""Fit and judge how well a memory knows that a question has no answer.

    python benches/confidence.py --locomo locomo5.json [--beam chat.json ...] [--deltas DIR] [--out confidence.json]

With the deltas that tune_questions.py wrote, the default model asks each question as if it had not seen its
conversation, and the packaged ranker behind tuned questions ranks; without, the model as it was, and the other
ranker. Prints the area under the ROC curve between questions with an answer and without one (LoCoMo: adversarial;
BEAM: abstention), each judged by weights fitted without its conversation, and how often questions of each confidence
have an answer. `--out` writes the table of the package, fitted to all.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from memspan.fitting.confidence import fit_confidence
from memspan.fitting.examples import collect
from memspan.fitting.weights import scores_of
from memspan.ranking import default_ranker
from memspan.ranking.confidence import signals_of
from question_folds import FoldedEmbedder, plain_embedder


def area_under_roc(scores, positive) -> float:
    """The share of pairs of a positive and a negative that stand the right way round; ties count half. NaN without
    pairs."""
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return float("nan")
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for value in np.unique(scores):
        same = scores == value
        ranks[same] = ranks[same].mean()
    return float((ranks[positive].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def notes_of(examples) -> tuple[str, ...]:
    """What the table says of where it comes from."""
    notes = []
    for name in dict.fromkeys(each.data_set for each in examples):
        own = [each for each in examples if each.data_set == name]
        answered = sum(each.evidence > 0 for each in own)
        conversations = len({each.conversation for each in own})
        notes.append(
            f"{name}: {conversations} conversations, {answered} questions with an answer, {len(own) - answered} without"
        )
    return tuple(notes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", nargs="+", default=[])
    parser.add_argument("--beam", nargs="+", default=[])
    parser.add_argument("--out")
    parser.add_argument("--deltas", type=Path)
    parser.add_argument("--store-dir", type=Path)
    arguments = parser.parse_args()
    embedder = plain_embedder() if arguments.deltas is None else FoldedEmbedder(arguments.deltas)
    ranker = (
        default_ranker() if arguments.deltas is None else default_ranker(embedder.name, embedder.checksum)
    )
    examples = []
    for name, paths in (("locomo", arguments.locomo), ("beam", arguments.beam)):
        for unanswerable in (False, True) if paths else ():
            examples += collect(
                name, paths, unanswerable=unanswerable, embedder=embedder, store_dir=arguments.store_dir
            )
    conversations = [(each.data_set, each.conversation) for each in examples]
    told = np.zeros(len(examples))
    for left_out in set(conversations):
        seen = [each for each, own in zip(examples, conversations, strict=True) if own != left_out]
        model = fit_confidence(seen, ranker)
        for place, own in enumerate(conversations):
            if own == left_out:
                told[place] = model(signals_of(examples[place].features, scores_of(ranker, examples[place])))
    answered = np.array([each.evidence > 0 for each in examples])
    for name in dict.fromkeys(each.data_set for each in examples):
        own = np.array([each.data_set == name for each in examples])
        print(f"{name}: {answered[own].sum()} with an answer, {(~answered[own]).sum()} without;", end=" ")
        print(f"area under the ROC curve {area_under_roc(told[own], answered[own]):.3f}")
    for low in np.arange(0, 1, 0.1):
        group = (told >= low) & (told < low + 0.1 + 1e-9)
        if group.any():
            print(
                f"told {low:.1f}-{low + 0.1:.1f}: {group.sum():4} questions, {answered[group].mean():.2f} have one"
            )
    if arguments.out:
        replace(fit_confidence(examples, ranker), trained_on=notes_of(examples)).save(arguments.out)


if __name__ == "__main__":
    main()
