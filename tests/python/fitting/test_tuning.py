"""Learning from few questions: beginning with a ranker that is there."""

from __future__ import annotations

import numpy as np
import pytest
from planted import PLANTED, make_examples

from memspan import errors
from memspan.fitting.cross_validation import quality_of
from memspan.fitting.examples import Example
from memspan.fitting.question_parts import PARTS, parts_of
from memspan.fitting.tuning import STRONGEST, _careful, tune, tune_left_out
from memspan.fitting.weights import fit, scores_of
from memspan.ranking import FEATURES, Ranker, RankingNet
from memspan.ranking.net import UNITS

pytest.importorskip("scipy")

GOOD = Ranker(PLANTED)
BAD = Ranker({"always": {name: -value for name, value in PLANTED["always"].items()}})


def net() -> RankingNet:
    features = len(FEATURES)
    random = np.random.default_rng(0)
    return RankingNet(
        mean=np.zeros(features),
        scale=np.ones(features),
        weights=random.normal(size=(features, UNITS)) * 0.1,
        bias=np.zeros(UNITS),
        out=random.normal(size=UNITS) * 0.1,
    )


def dealt(count: int) -> list[int]:
    return [number % PARTS for number in range(count)]


def mrr(ranker: Ranker, examples: list[Example]) -> float:
    return quality_of(examples, lambda _, example: scores_of(ranker, example)).mrr


def moved(before: Ranker, after: Ranker) -> float:
    return float(np.abs(after.row() - before.row()).max())


def test_a_start_is_moved_less_by_fewer_questions() -> None:
    few, many = make_examples(PLANTED, count=4), make_examples(PLANTED, count=200)
    start = Ranker({"always": {"cosine_z": 1.0, "bm25_z": 1.0}})
    by_few, by_many = fit(few, penalty=100.0, start=start), fit(many, penalty=100.0, start=start)
    assert 0 < moved(start, by_few) < 0.25 * moved(start, by_many)
    assert mrr(start, many) < mrr(by_few, many) < mrr(by_many, many)
    # A penalty without bound leaves the start alone, where without a start it leaves nothing.
    still = fit(many, penalty=1e9, special_penalty=1e9, start=start)
    assert moved(start, still) < 1e-3


def test_what_the_examples_say_nothing_about_stays() -> None:
    examples = make_examples(PLANTED)
    for each in examples:
        each.features[:, FEATURES.index("tagged")] = 0.0
    start = Ranker({"always": {"tagged": 2.5}, "list": {"cosine": 1.5}}, net=net())
    found = fit(examples, start=start)
    assert found.weights["always"]["tagged"] == 2.5
    assert found.weights["list"]["cosine"] == 1.5  # no question lists
    assert found.net is start.net


def test_weights_are_learned_beside_the_net_of_the_start() -> None:
    """What the net says already is not said again by the weights."""
    right = Ranker(PLANTED, net=net())
    examples = make_examples(PLANTED, count=60)
    for each in examples:
        scores = scores_of(right, each)
        each.relevant[:] = False
        each.relevant[np.argsort(-scores)[: each.evidence]] = True
    assert mrr(fit(examples, penalty=1000.0, start=right), examples) > mrr(Ranker(PLANTED), examples)


def test_a_good_start_is_kept_and_a_bad_one_forgotten() -> None:
    examples = make_examples(PLANTED, count=60)
    kept = tune(examples, dealt(60), GOOD)
    assert not kept.way.anew
    assert mrr(kept.ranker, make_examples(PLANTED, seed=3)) > 0.9
    opposite = Ranker({"always": {name: 50 * value for name, value in BAD.weights["always"].items()}})
    forgotten = tune(examples, dealt(60), opposite)
    assert forgotten.way.anew
    assert mrr(forgotten.ranker, make_examples(PLANTED, seed=3)) > 0.6


def test_of_very_few_questions_the_most_careful_way_is_taken() -> None:
    found = tune(make_examples(PLANTED, count=4), dealt(4), BAD)
    assert found.way.penalty == STRONGEST
    assert not found.way.anew


def test_a_penalty_that_is_given_is_taken() -> None:
    examples = make_examples(PLANTED, count=20)
    found = tune(examples, dealt(20), GOOD, penalty=7.0)
    assert (found.way.anew, found.way.penalty, found.way.special_penalty) == (False, 7.0, 3.5)
    assert tune(examples, dealt(20), GOOD, special_penalty=7.0).way.penalty == 14.0


def test_the_net_goes_if_it_is_not_wanted() -> None:
    examples = make_examples(PLANTED, count=20)
    start = Ranker(PLANTED, net=net())
    assert tune(examples, dealt(20), start, penalty=30.0).ranker.net is start.net
    assert tune(examples, dealt(20), start, penalty=30.0, net=False).ranker.net is None


def test_who_is_not_surely_better_gives_way_to_the_more_careful() -> None:
    noise = np.array([0.3, -0.3, 0.3, -0.3])
    assert _careful(np.array([1.0 + noise, 0.95 * np.ones(4), np.ones(4)])) == 0
    assert _careful(np.array([2.0 + noise, 0.95 * np.ones(4), np.ones(4)])) == 1
    assert _careful(np.array([np.ones(4), np.ones(4)])) == 0


def test_a_left_out_ranker_has_not_seen_its_part() -> None:
    examples = make_examples(PLANTED, count=20)
    parts = dealt(20)
    rankers = tune_left_out(examples, parts, GOOD)
    changed = list(examples)
    for place, part in enumerate(parts):
        if part == 0:
            changed[place] = make_examples(BAD.weights, count=20, seed=8)[place]
    again = tune_left_out(changed, parts, GOOD)
    same = [one.weights == two.weights for one, two in zip(rankers, again, strict=True)]
    assert same == [part == 0 for part in parts]


def test_bad_arguments_are_refused() -> None:
    examples = make_examples(PLANTED, count=6)
    with pytest.raises(errors.InvalidArgumentError, match="parts"):
        tune(examples, dealt(5), GOOD)
    with pytest.raises(errors.InvalidArgumentError, match="examples"):
        tune_left_out(examples, [0] * 6, GOOD)


def test_conversations_and_sessions_are_not_split() -> None:
    people = [f"p{number % 6}" for number in range(30)]
    sessions = [f"s{number % 10}" for number in range(30)]
    by_person = parts_of(people, sessions)
    assert by_person.together == "conversation"
    assert len({*zip(people, by_person.parts, strict=True)}) == 6
    one = ["ana"] * 30
    by_session = parts_of(one, sessions)
    assert by_session.together == "session"
    assert len({*zip(sessions, by_session.parts, strict=True)}) == 10
    assert parts_of(one, ["s"] * 30).together == "question"
    # A session that holds nearly everything would leave nothing to learn from.
    assert parts_of(one, ["s"] * 26 + ["a", "b", "c", "d"]).together == "question"
    for found in (by_person, by_session, parts_of(one, ["s"] * 30)):
        assert set(found.parts) == set(range(PARTS))
    assert parts_of(["a", "a"], ["s", "s"]).parts == (0, 1)
