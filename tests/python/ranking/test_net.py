"""The small net beside the weights: what it accepts, what it answers, and that the native core answers the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import memspan
from memspan import errors
from memspan.query import Query
from memspan.ranking import FEATURES, Ranker, RankingNet
from memspan.ranking.net import UNITS

Parts = dict[str, Any]


def random_parts(seed: int = 0) -> Parts:
    rng = np.random.default_rng(seed)
    size = len(FEATURES)
    return {
        "mean": rng.normal(size=size),
        "scale": 0.1 + np.abs(rng.normal(size=size)),
        "weights": rng.normal(size=(size, UNITS)) * 0.3,
        "bias": rng.normal(size=UNITS),
        "out": rng.normal(size=UNITS),
    }


def by_definition(parts: Parts, features: np.ndarray) -> np.ndarray:
    """In float64, unit by unit."""
    answers = np.zeros(len(features))
    for unit in range(UNITS):
        usual = parts["bias"][unit]
        for place, row in enumerate(features.astype(np.float64)):
            seen = np.clip((row - parts["mean"]) * parts["scale"], -4, 4)
            total = usual + seen @ parts["weights"][:, unit]
            lifted = total / np.sqrt(1 + total**2) - usual / np.sqrt(1 + usual**2)
            answers[place] += parts["out"][unit] * lifted
    return answers


def filled() -> memspan.Index:
    index = memspan.Index(8)
    rng = np.random.default_rng(4)
    words = ["boat", "sea", "hill", "paint", "who?", "island"]
    for number in range(120):
        index.add(
            user="ana",
            id=str(number),
            at=number,
            text=" ".join(rng.choice(words, rng.integers(1, 12))),
            embedding=rng.normal(size=8),
            session=f"s{number // 10}",
            speaker=["ana", "ben"][number % 2],
        )
    return index


def question(ranker: Ranker, conditions: Any = (), **options: Any) -> dict[str, Any]:
    return {
        "user": "ana",
        "text": "Who saw the boat?",
        "embedding": np.ones(8),
        "fusion": "learned",
        "ranking": ranker.ranking(conditions, **options),
    }


def test_answers_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(7)
    for seed, wide in ((1, 0.1), (2, 1.0), (3, 30.0)):
        parts = random_parts(seed)
        rows = (rng.normal(size=(20, len(FEATURES))) * wide).astype(np.float32)
        np.testing.assert_allclose(RankingNet(**parts)(rows), by_definition(parts, rows), atol=1e-4)


def test_a_record_like_the_mean_gets_nothing() -> None:
    parts = random_parts()
    assert RankingNet(**parts)(parts["mean"][None].astype(np.float32)) == pytest.approx([0.0], abs=1e-6)


def test_the_native_core_adds_the_same_to_the_same_sums() -> None:
    index = filled()
    weights = {"always": dict.fromkeys(FEATURES, 0.3)}
    for seed in range(5):
        ranker = Ranker(weights, net=RankingNet(**random_parts(seed)))
        asked = question(ranker)
        ids, rows = index.features(Query(**asked))
        wanted = dict(zip(ids, ranker.scores(rows), strict=True))
        hits = index.search(**asked, k=100)
        assert len(hits) == 100
        for hit in hits:
            assert hit.score == pytest.approx(wanted[hit.id], abs=1e-3)
        assert [hit.id for hit in hits] != index.search(**question(Ranker(weights)), k=100).ids


def test_explanations_say_what_the_net_added_and_share_it_out() -> None:
    index, net = filled(), RankingNet(**random_parts(5))
    ranker = Ranker({"always": {"cosine_z": 1.0, "coverage": 2.0}}, net=net)
    asked = question(ranker)
    ids, rows = index.features(Query(**asked))
    answers = dict(zip(ids, net(rows), strict=True))
    for hit in index.search(**asked, k=40, explain=True):
        explanation = hit.explanation
        assert explanation is not None
        assert explanation["net"] == pytest.approx(answers[hit.id], abs=1e-4)
        assert set(explanation["features"]) <= set(FEATURES)
        assert sum(explanation["features"].values()) == pytest.approx(hit.score, abs=1e-3)
    plain = index.search(**question(Ranker(ranker.weights)), explain=True)[0].explanation
    assert plain is not None
    assert plain["net"] == 0.0
    assert set(plain["features"]) <= {"cosine_z", "coverage"}


def test_it_is_silent_about_conversations_with_an_assistant_and_under_scaled_weights() -> None:
    index = filled()
    weights = {"always": {"cosine_z": 1.0, "coverage": 2.0}}
    ranker, plain = Ranker(weights, net=RankingNet(**random_parts(2))), Ranker(weights)

    def scores(ranker: Ranker, conditions: Any = (), **options: Any) -> list[tuple[str, float]]:
        hits = index.search(**question(ranker, conditions, **options), k=30)
        return [(hit.id, hit.score) for hit in hits]

    assert scores(ranker) != scores(plain)
    assert scores(ranker, ["when"]) != scores(plain, ["when"])
    assert scores(ranker, ["roles"]) == scores(plain, ["roles"])
    assert scores(ranker, ["when", "roles"]) == scores(plain, ["when", "roles"])
    half = np.full(len(FEATURES), 0.5, np.float32)
    assert scores(ranker, scales=half) == scores(plain, scales=half)
    assert ranker.net_for(["roles"]) is None
    assert ranker.net_for(["when"]) is ranker.net
    rows = np.ones((3, len(FEATURES)), np.float32)
    np.testing.assert_array_equal(ranker.scores(rows, ["roles"]), plain.scores(rows, ["roles"]))


def test_what_is_kept_answers_the_same() -> None:
    net = RankingNet(**random_parts(8))
    kept = RankingNet.from_dict(net.to_dict())
    rows = np.random.default_rng(1).normal(size=(50, len(FEATURES))).astype(np.float32)
    np.testing.assert_allclose(kept(rows), net(rows), atol=1e-3)
    assert kept.to_dict() == net.to_dict()


def test_nothing_that_is_given_changes_it() -> None:
    parts = random_parts()
    net, rows = RankingNet(**parts), np.ones((1, len(FEATURES)), np.float32)
    before = net(rows)
    parts["weights"][:] = 9.0
    assert net(rows) == before
    with pytest.raises(AttributeError):
        net.more = 1  # type: ignore[attr-defined]


def spoilt(name: str, value: Any) -> Parts:
    return random_parts() | {name: value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean", np.zeros(len(FEATURES) - 1)),
        ("scale", 1.0),
        ("weights", np.zeros((UNITS, len(FEATURES) + 1))),
        ("weights", np.zeros(len(FEATURES) * UNITS)),
        ("weights", [[0.0], [0.0, 1.0]]),
        ("bias", np.zeros((UNITS, 1))),
        ("out", []),
        ("out", None),
        ("mean", ["a"] * len(FEATURES)),
        ("mean", [True] * len(FEATURES)),
        ("mean", [10**400] * len(FEATURES)),
        ("scale", [float("nan")] * len(FEATURES)),
        ("bias", [float("inf")] * UNITS),
        ("out", [1e7] * UNITS),
    ],
)
def test_bad_nets_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=rf"net\[{name}\]"):
        RankingNet(**spoilt(name, value))


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {**RankingNet(**random_parts()).to_dict(), "more": []},
        {key: value for key, value in RankingNet(**random_parts()).to_dict().items() if key != "bias"},
        {**RankingNet(**random_parts()).to_dict(), "weights": [1.0]},
        {**RankingNet(**random_parts()).to_dict(), "weights": "w" * (len(FEATURES) * UNITS)},
        {**RankingNet(**random_parts()).to_dict(), "out": [None] * UNITS},
        {**RankingNet(**random_parts()).to_dict(), "out": {"0": 1.0}},
    ],
)
def test_other_documents_are_refused(document: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="net"):
        RankingNet.from_dict(document)


def test_what_is_no_net_is_refused() -> None:
    for net in ({}, "net", RankingNet(**random_parts()).native):
        with pytest.raises(errors.InvalidArgumentError, match="^net"):
            Ranker({}, net=net)  # type: ignore[arg-type]
