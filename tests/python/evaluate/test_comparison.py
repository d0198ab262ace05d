"""What a change did, question by question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memspan.errors import InvalidArgumentError
from memspan.evaluate import Evaluation, compare, evaluate

Labelled = Callable[..., Path]


@pytest.fixture
def before(labelled: Labelled, stores: Path) -> Evaluation:
    return evaluate("locomo", labelled("locomo"), ks=[1, 2], embedder="hash:64", store_dir=stores)


def with_retrieved(evaluation: Evaluation, **retrieved: str) -> Evaluation:
    """The evaluation as if these ids had come back for the questions about the orchard of these numbers."""
    questions = [
        replace(each, retrieved=tuple(retrieved[number].split()), sessions=("",) * 9)
        if (number := each.question.id.replace("orchard/", "q")) in retrieved
        else replace(each, retrieved=("none",), sessions=("",))
        for each in evaluation.questions
    ]
    return replace(evaluation, questions=tuple(questions))


def test_differences_are_after_minus_before(before: Evaluation) -> None:
    old = with_retrieved(before, q0="D1:1 x", q1="x x", q3="D1:2")
    new = with_retrieved(before, q0="D1:1 D2:2", q1="x D2:1", q3="x y")
    changes = {change.name: change for change in compare(old, new)}
    assert list(changes) == ["all", "multi-hop", "temporal", "single-hop"]
    everything = changes["all"].differences
    assert changes["all"].scored == 4
    assert everything["recall@1"].mean == pytest.approx(-1 / 4)
    assert everything["recall@2"].mean == pytest.approx((0.5 + 1 - 1 + 0) / 4)
    assert everything["mrr"].mean == pytest.approx((0 + 0.5 - 1 + 0) / 4)
    assert everything["recall@2"].low < everything["recall@2"].mean < everything["recall@2"].high
    assert changes["multi-hop"].differences["recall@2"].mean == pytest.approx(0.5)
    assert changes["single-hop"].scored == 2


def test_nothing_changed(before: Evaluation) -> None:
    for change in compare(before, before):
        assert {(each.mean, each.low, each.high) for each in change.differences.values()} == {(0, 0, 0)}


def test_differences_agree_with_the_scores(before: Evaluation) -> None:
    other = with_retrieved(before, q0="D2:2", q1="D2:1")
    change, old, new = compare(before, other)[0], before.groups()[0], other.groups()[0]
    for name, difference in change.differences.items():
        assert difference.mean == pytest.approx(new.scores[name].mean - old.scores[name].mean)


def test_other_questions_or_depths_are_refused(before: Evaluation) -> None:
    with pytest.raises(InvalidArgumentError, match=r"after: got \(1,\); accepted: the depths"):
        compare(before, replace(before, ks=(1,)))
    with pytest.raises(InvalidArgumentError, match="after: got '5 questions'"):
        compare(before, replace(before, questions=before.questions[1:]))
