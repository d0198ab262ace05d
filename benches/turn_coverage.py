"""Can a turn that no statement covers be told by embeddings (ProMem 3.3)?

    python benches/turn_coverage.py --locomo locomo5.json [--embedder hash:256]

LoCoMo comes with observations: statements that a model made of each session, with the turns that they come from. Each
turn with an observation is judged twice: with all observations of its session, when it is covered, and without its own
ones, when it is not. Prints how many of either are judged rightly, by the cosine with the best observation, and by how
many standard deviations that is above the mean of all pairs of the session.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from confidence import area_under_roc
from memspan.embed import resolve_embedder
from memspan.encode.complete import Complete
from memspan.encode.cover import deviations_of
from memspan.formats import read_turns

THRESHOLDS = {"cosine": (0.5, Complete().threshold, 0.7, 0.8), "deviations": (1.0, 1.5, 2.0)}


def sessions(path: str) -> Iterator[tuple[list[str], list[str], np.ndarray]]:
    """Of each session the texts of its turns and observations, and which come from which, (turns, observations)."""
    turns = defaultdict(list)
    for turn in read_turns(path):
        turns[turn.user, turn.session].append(turn)
    with open(path) as file:
        conversations = json.load(file)
    for conversation in conversations:
        for key, by_speaker in conversation["observation"].items():
            own = turns[conversation["sample_id"], key.removesuffix("_observation")]
            facts = [fact for some in by_speaker.values() for fact in some if len(fact) == 2]
            if own and facts:
                cited = [[ids] if isinstance(ids, str) else ids for _, ids in facts]
                texts = [
                    f"{turn.speaker}: {turn.text} "
                    + " ".join(f"[image: {caption}]" for caption in turn.images)
                    for turn in own
                ]
                comes_from = np.array([[turn.id in ids for ids in cited] for turn in own])
                yield [text.strip() for text in texts], [text for text, _ in facts], comes_from


def best_scores(path: str, embedder: str | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """For each way to judge, the best score of each turn with its own observations and without."""
    model = resolve_embedder(embedder)
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in THRESHOLDS}
    for turns, facts, own in sessions(path):
        vectors = np.asarray(model.embed_documents(turns + facts))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = vectors[: len(turns)] @ vectors[len(turns) :].T
        deviations = deviations_of(cosines)
        if deviations is None:
            continue
        judged = own.any(axis=1) & ~own.all(axis=1)
        for name, scores in (("cosine", cosines), ("deviations", deviations)):
            found[name][0].extend(scores.max(axis=1)[judged])
            found[name][1].extend(np.where(own, -np.inf, scores).max(axis=1)[judged])
    return {name: (np.array(covered), np.array(not_)) for name, (covered, not_) in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--locomo", required=True)
    parser.add_argument("--embedder", help="by default the default model")
    arguments = parser.parse_args()
    for name, (covered, uncovered) in best_scores(arguments.locomo, arguments.embedder).items():
        positive = np.repeat([True, False], [len(covered), len(uncovered)])
        area = area_under_roc(np.concatenate([covered, uncovered]), positive)
        print(f"{name}: {len(covered)} turns, area under the ROC curve {area:.3f}")
        for least in THRESHOLDS[name]:
            right, found = (covered > least).mean(), (uncovered <= least).mean()
            print(f"  above {least}: {right:.2f} of the covered turns; {found:.2f} of the uncovered are not")


if __name__ == "__main__":
    main()
