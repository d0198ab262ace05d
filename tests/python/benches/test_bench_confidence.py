"""The area under the ROC curve, by hand, and what the confidence's table says of where it comes from."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from confidence import area_under_roc, notes_of


@pytest.mark.parametrize(
    ("scores", "positive", "area"),
    [
        ([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], 1.0),
        ([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1], 0.0),
        ([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], 0.75),  # of four pairs one stands the wrong way round
        ([0.5, 0.5], [0, 1], 0.5),
        ([0.5, 0.5, 0.5, 0.5, 0.5], [0, 1, 0, 0, 1], 0.5),
        ([0.2, 0.5, 0.5, 0.7], [0, 0, 1, 1], 0.875),  # three pairs and a half
        ([0.5, 0.5, 0.9], [1, 0, 0], 0.25),
        ([3.0, 1.0, 2.0], [1, 0, 0], 1.0),
    ],
)
def test_area_is_the_share_of_pairs_in_order(scores: list[float], positive: list[int], area: float) -> None:
    assert area_under_roc(np.array(scores), np.array(positive, bool)) == pytest.approx(area)


def test_area_is_that_of_all_pairs_counted() -> None:
    random = np.random.default_rng(4)
    scores, positive = random.integers(0, 9, 60) / 9, random.random(60) < 0.3
    above, below = scores[positive][:, None], scores[~positive]
    pairs = (above > below) + 0.5 * (above == below)
    assert area_under_roc(scores, positive) == pytest.approx(pairs.mean())


@pytest.mark.parametrize("kind", [True, False])
def test_one_kind_alone_has_no_area(kind: bool) -> None:
    assert np.isnan(area_under_roc(np.array([0.1, 0.9]), np.array([kind, kind])))


def test_notes_count_conversations_and_both_kinds_of_questions() -> None:
    examples = [
        SimpleNamespace(data_set=name, conversation=conversation, evidence=evidence)
        for name, conversation, evidence in [("a", "1", 2), ("a", "2", 0), ("a", "1", 1), ("b", "1", 0)]
    ]
    assert notes_of(examples) == (
        "a: 2 conversations, 2 questions with an answer, 1 without",
        "b: 1 conversations, 0 questions with an answer, 1 without",
    )
