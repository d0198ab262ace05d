"""Learning weights from examples whose ranking is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted import PLANTED, make_examples

from memspan import errors
from memspan.fitting.cross_validation import cross_validate, quality_of
from memspan.fitting.examples import Example
from memspan.fitting.weights import _Problem, fit, fit_weights, scores_of
from memspan.ranking import FEATURES, Ranker

pytest.importorskip("scipy")


def recall_at_1(ranker: Ranker, examples: list[Example]) -> float:
    return quality_of(examples, lambda _, example: scores_of(ranker, example)).recall[1]


def best_recall_at_1(examples: list[Example]) -> float:
    return float(np.mean([1 / example.evidence for example in examples]))


def test_a_planted_ranking_is_found() -> None:
    ranker = fit(make_examples(PLANTED, count=200), penalty=1.0, special_penalty=1.0, trained_on=["made up"])
    assert ranker.trained_on == ("made up",)
    unseen = make_examples(PLANTED, seed=2)
    assert recall_at_1(ranker, unseen) > 0.85 * best_recall_at_1(unseen)
    # What holds only under a condition is learned there.
    plain = Ranker({"always": ranker.weights["always"]})
    assert recall_at_1(plain, unseen) < recall_at_1(ranker, unseen)
    always = ranker.weights["always"]
    assert always["cosine_z"] == pytest.approx(2 * always["bm25_z"], rel=0.25)
    assert always["short_text"] < 0
    assert ranker.weights["when"]["hinted"] > 0 > ranker.weights["when"]["cosine_z"]


def test_other_features_are_learned_likewise(examples: list[Example]) -> None:
    for each in examples:
        each.features[:, FEATURES.index("tagged")] = 0.0
    features = (*FEATURES, "of no record", "the same again")
    wider = [
        replace(
            each,
            features=np.concatenate([each.features, 0 * each.features[:, :1], each.features[:, :1]], axis=1),
        )
        for each in examples
    ]
    found = fit_weights(wider, features)["always"]
    assert list(found) == list(features)
    assert found["of no record"] == 0
    assert found["the same again"] == pytest.approx(found[FEATURES[0]], abs=1e-3)
    # Of tags these examples say nothing either.
    plain = fit(examples).weights["always"]
    assert found["tagged"] == plain["tagged"] == 0.5


def test_it_is_deterministic(examples: list[Example]) -> None:
    assert fit(examples).weights == fit(examples).weights


def test_a_penalty_makes_weights_small(examples: list[Example]) -> None:
    def size(ranker: Ranker, name: str) -> float:
        return sum(abs(value) for value in ranker.weights.get(name, {}).values())

    free, tied = (
        fit(examples, penalty=0.1, special_penalty=0.1),
        fit(examples, penalty=1e6, special_penalty=1e6),
    )
    assert size(tied, "always") < 0.01 * size(free, "always")
    special = fit(examples, penalty=0.1, special_penalty=1e6)
    assert size(special, "when") < 0.01 * size(free, "when")
    assert size(special, "always") > 0.2 * size(free, "always")


def test_scores_are_weights_times_features(examples: list[Example]) -> None:
    ranker = Ranker(PLANTED)
    for example in examples[:10]:
        row = np.zeros(len(FEATURES))
        for name in ("always", *example.conditions):
            for feature, weight in PLANTED.get(name, {}).items():
                row[FEATURES.index(feature)] += weight
        np.testing.assert_allclose(scores_of(ranker, example), example.features @ row, rtol=1e-4, atol=1e-3)


def test_the_gradient_is_that_of_the_loss(examples: list[Example]) -> None:
    problem = _Problem.of(
        [replace(each, features=each.features.astype(np.float32)) for each in examples[:25]], 3.0, 5.0
    )
    problem = replace(problem, rows=problem.rows.astype(np.float64))  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    point = rng.normal(size=problem.penalties.size * len(FEATURES)) * 0.2
    _, gradient = problem.loss(point)
    for _ in range(20):
        direction = rng.normal(size=point.size)
        direction /= np.linalg.norm(direction)
        step = 1e-2
        above, below = problem.loss(point + step * direction)[0], problem.loss(point - step * direction)[0]
        slope = (above - below) / (2 * step)
        assert slope == pytest.approx(float(gradient @ direction), rel=2e-2, abs=2e-2)


def loss_by_hand(examples: list[Example], weights: np.ndarray) -> float:
    """Of weights that hold always, without a penalty, in float64."""
    rows = np.concatenate([each.features for each in examples]).astype(np.float64)
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    total = 0.0
    for example in examples:
        scores = ((example.features - mean) / deviation) @ weights
        rivals = np.exp(scores[~example.relevant]).sum()
        own = np.exp(scores[example.relevant])
        total -= np.log(own / (own + rivals)).mean()
    return total


def test_the_loss_is_a_mean_over_the_evidence_against_what_is_none(examples: list[Example]) -> None:
    problem = _Problem.of(examples, 1e-9, 1e-9)
    rng = np.random.default_rng(5)
    for _ in range(5):
        weights = rng.normal(size=len(FEATURES)) * 0.5
        flat = np.zeros((len(problem.penalties), len(FEATURES)))
        flat[0] = weights
        assert problem.loss(flat.ravel())[0] == pytest.approx(loss_by_hand(examples, weights), rel=1e-4)


def test_evidence_does_not_count_against_other_evidence() -> None:
    """A question all of whose candidates are evidence teaches nothing."""
    example = make_examples(PLANTED, count=1)[0]
    everything = replace(example, relevant=np.ones_like(example.relevant), evidence=len(example.relevant))
    problem = _Problem.of([everything], 1e-9, 1e-9)
    loss, gradient = problem.loss(
        np.random.default_rng(1).normal(size=problem.penalties.size * len(FEATURES))
    )
    assert loss == pytest.approx(0.0, abs=1e-4)
    assert np.abs(gradient).max() < 1e-4


def test_features_that_never_change_get_no_weight(examples: list[Example]) -> None:
    def fixed(example: Example) -> Example:
        rows = example.features.copy()
        rows[:, FEATURES.index("from_user")] = 3.0
        return replace(example, features=rows)

    ranker = fit([fixed(example) for example in examples], penalty=0.1)
    assert all("from_user" not in row for row in ranker.weights.values())


def test_questions_without_evidence_among_the_candidates_are_left_out(examples: list[Example]) -> None:
    lost = [replace(each, relevant=np.zeros_like(each.relevant)) for each in make_examples(PLANTED, seed=9)]
    empty = replace(
        lost[0], features=np.zeros((0, len(FEATURES)), np.float32), relevant=np.zeros(0, np.bool_)
    )
    assert fit([*lost, empty, *examples]).weights == fit(examples).weights


def test_extreme_scores_stay_finite(examples: list[Example]) -> None:
    problem = _Problem.of(examples, 1.0, 1.0)
    loss, gradient = problem.loss(np.full(problem.penalties.size * len(FEATURES), 300.0))
    assert np.isfinite(loss)
    assert np.isfinite(gradient).all()


def test_nothing_to_learn_from_is_refused(examples: list[Example]) -> None:
    lost = [replace(each, relevant=np.zeros_like(each.relevant)) for each in examples]
    for nothing in ([], lost):
        with pytest.raises(errors.InvalidArgumentError, match="examples"):
            fit(nothing)


@pytest.mark.parametrize("name", ["penalty", "special_penalty"])
@pytest.mark.parametrize("value", [0.0, -1.0, 1e10, float("nan"), "much"])
def test_bad_penalties_are_refused_by_name(examples: list[Example], name: str, value: object) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=name):
        fit(examples, **{name: value})  # type: ignore[arg-type]


def test_quality_by_hand() -> None:
    base = make_examples(PLANTED, count=2, candidates=4)
    first = replace(base[0], relevant=np.array([False, True, True, False]), evidence=4)
    second = replace(base[1], relevant=np.zeros(4, np.bool_), evidence=1)
    scores = [np.array([9.0, 8.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0])]
    quality = quality_of([first, second], lambda position, _: scores[position])
    assert quality.questions == 2
    assert quality.recall == {1: 0.0, 5: 0.25, 10: 0.25, 20: 0.25, 50: 0.25}
    assert quality.mrr == 0.25


def test_equal_scores_keep_the_order_of_the_candidates() -> None:
    example = replace(
        make_examples(PLANTED, count=1, candidates=3)[0], relevant=np.array([False, True, False]), evidence=1
    )
    assert quality_of([example], lambda *_: np.zeros(3)).mrr == 0.5


def test_cross_validation_leaves_out_what_it_scores() -> None:
    planted = make_examples(PLANTED, count=60, data_set="one")
    opposite = {"always": {name: -value for name, value in PLANTED["always"].items()}}
    other = make_examples(opposite, count=60, data_set="two", seed=4, conditions=())
    together = [*planted, *other]
    by_conversation = cross_validate(planted, penalty=0.1, special_penalty=0.1)
    assert by_conversation["one"].mrr > 0.7
    # Whoever learned from the other data set alone puts the evidence last.
    by_set = cross_validate(together, "data_set", penalty=0.1, special_penalty=0.1)
    assert set(by_set) == {"one", "two"}
    assert all(quality.mrr < 0.3 for quality in by_set.values())


def test_cross_validation_needs_two_parts() -> None:
    alone = make_examples(PLANTED, count=10, conversations=1)
    for hold_out in ("conversation", "data_set"):
        with pytest.raises(errors.InvalidArgumentError, match="examples"):
            cross_validate(alone, hold_out)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="hold_out"):
        cross_validate(alone, "question")  # type: ignore[arg-type]
