"""Learning the net beside the weights from rankings that no weighted sum can express."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from memspan import errors
from memspan.fitting import net as module
from memspan.fitting.cross_validation import cross_validate, quality_of
from memspan.fitting.examples import Example
from memspan.fitting.net import FEWEST, _Problem, fit_net
from memspan.fitting.ranker import fit_ranker
from memspan.fitting.weights import fit, scores_of
from memspan.ranking import FEATURES, QueryAdapter, Ranker

pytest.importorskip("scipy")

Rule = Callable[[np.ndarray], np.ndarray]
CANDIDATES = 12


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROUNDS", 25)


def linear(rows: np.ndarray) -> np.ndarray:
    return 2.0 * rows[:, FEATURES.index("cosine_z")]


def bent(rows: np.ndarray) -> np.ndarray:
    """What is neither near nor far in the session comes first."""
    return linear(rows) - 3.0 * np.abs(rows[:, FEATURES.index("session_cosine")])


def make(
    rule: Rule = bent, *, count: int = FEWEST + 20, seed: int = 1, data_set: str = "made-up"
) -> list[Example]:
    rng = np.random.default_rng(seed)
    examples = []
    for number in range(count):
        rows = rng.normal(size=(CANDIDATES, len(FEATURES))).astype(np.float32)
        relevant = np.zeros(CANDIDATES, np.bool_)
        relevant[np.argmax(rule(rows))] = True
        examples.append(
            Example(
                data_set=data_set,
                conversation=f"c{number % 10}",
                category="x",
                features=rows,
                relevant=relevant,
                evidence=1,
                conditions=(),
            )
        )
    return examples


def recall_at_1(ranker: Ranker, examples: list[Example]) -> float:
    return quality_of(examples, lambda _, example: scores_of(ranker, example)).recall[1]


def test_what_no_sum_can_say_is_found() -> None:
    examples, unseen = make(), make(seed=2)
    weights = fit(examples)
    ranker = fit_ranker(examples)
    assert ranker.weights == weights.weights
    assert ranker.net is not None
    assert recall_at_1(ranker, unseen) > recall_at_1(weights, unseen) + 0.1


def test_where_a_sum_says_all_a_net_does_no_harm() -> None:
    examples, unseen = make(linear), make(linear, seed=2)
    ranker = fit_ranker(examples)
    assert recall_at_1(ranker, unseen) > recall_at_1(fit(examples), unseen) - 0.05


def test_it_is_deterministic_and_the_seed_matters() -> None:
    examples = make()
    weights = fit(examples)
    nets = [fit_net(examples, weights, seed=seed) for seed in (3, 3, 4)]
    kept = [net.to_dict() for net in nets if net is not None]
    assert kept[0] == kept[1]
    assert kept[0] != kept[2]


def test_few_questions_teach_no_net(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = make(count=FEWEST)
    weights = fit(examples)
    assert fit_net(examples, weights) is not None
    assert fit_net(examples[1:], weights) is None
    lost = replace(examples[0], relevant=np.zeros_like(examples[0].relevant))
    assert fit_net([lost, *examples[1:]], weights) is None
    # Evidence that is not among the best counts as lost.
    monkeypatch.setattr(module, "_BEST", 2)
    assert fit_net(examples, Ranker({"always": {"cosine_z": -1.0}})) is None


def test_questions_about_assistants_teach_it_nothing() -> None:
    examples = make()
    odd = [replace(each, conditions=("roles",)) for each in make(lambda rows: -bent(rows), seed=5)]
    weights = fit(examples)
    alone, beside = fit_net(examples, weights), fit_net([*odd, *examples], weights)
    assert alone is not None
    assert beside is not None
    assert beside.to_dict() == alone.to_dict()
    assert fit_net(odd, weights) is None


def test_a_net_that_is_there_is_left_out() -> None:
    examples = make()
    first = fit_ranker(examples)
    again, fresh = fit_net(examples, first), fit_net(examples, Ranker(first.weights))
    assert again is not None
    assert fresh is not None
    assert again.to_dict() == fresh.to_dict()


def test_features_that_never_change_are_not_seen() -> None:
    place = FEATURES.index("from_user")

    def fixed(example: Example) -> Example:
        rows = example.features.copy()
        rows[:, place] = 3.0
        return replace(example, features=rows)

    examples = [fixed(each) for each in make()]
    net = fit_net(examples, fit(examples))
    assert net is not None
    rows = examples[0].features.copy()
    before = net(rows)
    rows[:, place] = -1.0
    np.testing.assert_array_equal(net(rows), before)


def test_the_gradient_is_that_of_the_loss() -> None:
    examples = make(count=25)
    problem = _Problem.of(examples, [np.zeros(CANDIDATES, np.float32)] * 25)
    problem = replace(problem, rows=problem.rows.astype(np.float64))  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    point = problem.start(rng) * 3
    _, gradient = problem.loss(point)
    for _ in range(20):
        direction = rng.normal(size=point.size)
        direction /= np.linalg.norm(direction)
        step = 1e-4
        above, below = problem.loss(point + step * direction)[0], problem.loss(point - step * direction)[0]
        slope = (above - below) / (2 * step)
        assert slope == pytest.approx(float(gradient @ direction), rel=1e-2, abs=1e-2)


def test_a_ranker_without_a_net_can_be_had() -> None:
    zero = np.zeros((3, 1), np.float32)
    adapter = QueryAdapter(embedder="made-up", checksum="abc", up=zero, down=zero)
    ranker = fit_ranker(make(), net=False, adapter=adapter, trained_on=["here"])
    assert ranker.net is None
    assert ranker.adapter is adapter
    assert ranker.trained_on == ("here",)


def test_cross_validation_is_of_rankers_with_nets() -> None:
    examples = make(count=2 * FEWEST)
    whole = cross_validate(examples)["made-up"].recall[1]
    assert whole > cross_validate(examples, net=False)["made-up"].recall[1] + 0.1


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, 1 << 40])
def test_bad_seeds_are_refused(seed: object) -> None:
    examples = make(count=2)
    with pytest.raises(errors.InvalidArgumentError, match="seed"):
        fit_net(examples, Ranker({}), seed=seed)  # type: ignore[arg-type]
